/*
 * The database file as it is read. An input is a list of patches of a store that is made here: three bytes
 * say where, one says what stands there; one that begins with "SQLite format 3" is the whole file instead.
 * Whatever it is, opening it, reading all of it and looking for damage end, and a refusal is one line; what
 * is read of a trial is whole, for every row has its checksum.
 */
#include <math.h>

#include <fcntl.h>
#include <unistd.h>

#include "fuzz.h"
#include "store/store.h"

enum { TRIALS = 4, PATCH = 4, MOST_BYTES = 1 << 20 };

static char folder[64], path[80], url[96];
static uint8_t *whole; /* the store that is patched */
static size_t length;

static void remove_files(void)
{
    static const char *const endings[] = {"", "-wal", "-shm", "-journal", "-turn"};
    char name[96];

    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
        snprintf(name, sizeof name, "%s%s", path, endings[i]);
        unlink(name);
    }
}

static void leave(void)
{
    remove_files();
    rmdir(folder);
    free(whole);
}

static void check_line(const char *text)
{
    fuzz_require(text[0] != 0, "refused without a reason", "");
    fuzz_require(!strchr(text, '\n'), "not one line", text);
}

/* A study with trials of every state. */
static void fill(struct app_store *store)
{
    static const char definition[] = "{\"name\": \"s\"}";
    const struct app_study_record wanted = {
        .name = (char *)"s", .definition = (char *)definition, .folder = (char *)"/", .seed = 7};
    const struct app_trial record = {
        .state = APP_PENDING, .origin = "design", .parameters = "{\"x\": 0.25}", .seconds = NAN};
    const struct app_trial results[] = {
        {.number = 1, .state = APP_COMPLETE, .outcomes = "{\"y\": 1.5}", .seconds = 0.5},
        {.number = 2, .state = APP_FAILED_TRIAL, .why = "exit status 1", .log = "no", .seconds = 0.1}};
    struct app_trial records[TRIALS];
    struct app_study_record study;
    struct app_message message;
    int kept;

    for (int i = 0; i < TRIALS; i++)
        records[i] = record;
    fuzz_require(!app_store_study_create(store, &wanted, &study, &message), "no study", message.text);
    fuzz_require(!app_store_add(store, study.id, 1, TRIALS, records, 0, &message), "no trials", message.text);
    for (int i = 0; i < 2; i++)
        fuzz_require(!app_store_finish(store, study.id, &results[i], 0, &kept, &message) && kept, "no result",
                     message.text);
    app_study_record_free(&study);
}

/* The file to patch, made once. */
static void make_store(void)
{
    struct app_store *store;
    struct app_message message;

    snprintf(folder, sizeof folder, "%s/ckg-fuzz-XXXXXX", access("/dev/shm", W_OK) ? "/tmp" : "/dev/shm");
    fuzz_require(mkdtemp(folder) != NULL, "no folder", folder);
    snprintf(path, sizeof path, "%s/s.db", folder);
    snprintf(url, sizeof url, "sqlite:%s", path);
    atexit(leave);
    fuzz_require(!app_store_open(&store, url, 1, &message), "no store", message.text);
    fill(store);
    app_store_close(store);

    whole = malloc(MOST_BYTES);
    const int file = open(path, O_RDONLY | O_CLOEXEC);
    fuzz_require(whole && file >= 0, "no file", path);
    const ssize_t size = read(file, whole, MOST_BYTES);
    fuzz_require(size > 0 && size < MOST_BYTES, "an odd size", path);
    length = (size_t)size;
    close(file);
}

static void write_file(const uint8_t *data, size_t size)
{
    remove_files();
    const int file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);

    fuzz_require(file >= 0 && write(file, data, size) == (ssize_t)size, "cannot write", path);
    close(file);
}

static void write_input(const uint8_t *data, size_t size)
{
    static const char magic[] = "SQLite format 3";
    uint8_t *patched;

    if (size >= sizeof magic && !memcmp(data, magic, sizeof magic)) {
        write_file(data, size);
        return;
    }
    patched = malloc(length);
    fuzz_require(patched != NULL, "out of memory", "");
    memcpy(patched, whole, length);
    for (; size >= PATCH; data += PATCH, size -= PATCH)
        patched[((size_t)data[0] << 16 | (size_t)data[1] << 8 | data[2]) % length] = data[3];
    write_file(patched, length);
    free(patched);
}

/* --- reading everything --- */

static int see_trial(void *context, const struct app_trial *record)
{
    int *count = context;

    fuzz_require(record->number >= 1 && record->state < APP_STATES && record->origin && record->parameters,
                 "half a trial", "");
    ++*count;
    return CKG_OK;
}

static int see_trouble(void *context, const struct app_trouble *trouble)
{
    (void)context;
    check_line(trouble->text);
    return CKG_OK;
}

static int see_study(void *context, const struct app_study_record *study)
{
    (void)context;
    (void)study;
    return CKG_OK;
}

static int see_change(void *context, const struct app_change *change)
{
    (void)context;
    (void)change;
    return CKG_OK;
}

static int see_name(void *context, const char *name)
{
    char *first = context;

    if (!first[0])
        snprintf(first, 64, "%s", name);
    return CKG_OK;
}

static void read_study(struct app_store *store, const char *name)
{
    struct app_study_record study = {0};
    struct app_message message = {""};
    int count = 0;

    if (app_store_study_find(store, name, &study, &message)) {
        check_line(message.text);
        return;
    }
    message.text[0] = 0;
    if (app_store_trials_since(store, study.id, 0, see_trial, &count, &message))
        check_line(message.text);
    message.text[0] = 0;
    if (app_store_changes(store, study.id, see_change, NULL, &message))
        check_line(message.text);
    app_study_record_free(&study);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct app_message message = {""};
    struct app_store *store;
    char name[64] = "";
    int count = 0;
    const struct app_examiner by = {see_trouble, see_study, see_trial, &count};

    if (!whole)
        make_store();
    write_input(data, size);
    if (app_store_open(&store, url, 0, &message)) {
        check_line(message.text);
        return 0;
    }
    if (app_store_study_names(store, see_name, name, &message))
        check_line(message.text);
    read_study(store, name[0] ? name : "s");
    message.text[0] = 0;
    if (app_store_examine(store, NULL, &by, &message))
        check_line(message.text);
    app_store_close(store);
    return 0;
}
