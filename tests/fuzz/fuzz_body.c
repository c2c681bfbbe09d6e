/*
 * The body of a request that changes a study, behind the name of the action and a line end. A refusal is one
 * line and changes nothing; what is accepted answers with JSON, a line each, and the store is whole after it.
 */
#include <sys/stat.h>
#include <unistd.h>

#include "fuzz.h"
#include "actions/action_retry.h"
#include "api/api.h"

static const char problem[] =
    "{name: s, goal: minimize, budget: 9, policy: sobol, seed: 1, parameters: {x: {type: real, low: 0, high: "
    "1},"
    " n: {type: integer, low: 1, high: 9}, k: {type: categorical, values: [a, b]}}, objective: {name: y},"
    " constraints: {c: {max: 0}, 'a \"b\" é': {min: -1}}}";

static char folder[64];
static char store[128];
static char *fresh; /* the bytes of a study with two trials */
static size_t fresh_length;

static void remove_all(void)
{
    static const char *const endings[] = {"", "-wal", "-shm"};
    char path[160];

    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
        snprintf(path, sizeof path, "%s%s", store, endings[i]);
        unlink(path);
    }
}

static void leave(void)
{
    remove_all();
    rmdir(folder);
    free(fresh);
}

/* A study with a trial that was told and one that waits, once for all inputs. */
static void prepare(void)
{
    struct app_message message = {{0}};
    struct app_study n;
    struct app_asked asked;

    snprintf(folder, sizeof folder, "/tmp/ckg-fuzz-XXXXXX");
    fuzz_require(mkdtemp(folder) != NULL, "no folder", folder);
    snprintf(store, sizeof store, "%s/s.db", folder);
    atexit(leave);
    const struct app_study_address place = {.definition = problem, .store = store};
    fuzz_require(!app_study_open(&n, &place, APP_LOOK, &message) && !app_study_begin(&n), "no study",
                 message.text);
    fuzz_require(!app_study_ask(&n, 2, &asked), "no trial", message.text);
    app_asked_free(&asked);
    app_study_close(&n);
    fuzz_require(!app_read_file(store, &fresh, &fresh_length, &message), "no store", message.text);
}

/* The store as it was prepared. */
static void begin(void)
{
    FILE *file;

    if (!fresh)
        prepare();
    remove_all();
    file = fopen(store, "wb");
    fuzz_require(file && fwrite(fresh, 1, fresh_length, file) == fresh_length && !fclose(file), "no copy",
                 store);
}

static void open_study(struct app_api_study *study)
{
    fuzz_require(!app_study_open(&study->record, &(struct app_study_address){.store = store}, APP_LOOK,
                                 &study->message),
                 "not opened", study->message.text);
    study->open = 1;
    study->from = "a test";
}

static void check_answer(const struct app_text *out)
{
    for (const char *line = out->data; line && *line;) {
        const size_t length = strcspn(line, "\n");
        json_t *object = json_loadb(line, length, JSON_REJECT_DUPLICATES, NULL);
        fuzz_require(json_is_object(object), "no JSON", line);
        json_decref(object);
        line += length + (line[length] == '\n');
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = strndup((const char *)data, size);
    char *body = text ? strchr(text, '\n') : NULL;
    struct app_api_study study = {0};
    struct app_text out = {0};

    fuzz_require(text != NULL, "out of memory", "");
    if (body)
        *body++ = 0;
    const struct app_action *action = body ? app_action_named(text, 1) : NULL;
    if (!action) {
        free(text);
        return 0;
    }

    begin();
    open_study(&study);
    const int64_t before = study.record.revision;
    const int status = app_action_call(action, &study, body, &out);
    if (status)
        fuzz_require(study.message.text[0] && !strchr(study.message.text, '\n'), "not one line",
                     study.message.text);
    else
        check_answer(&out);

    /* What the store has now. */
    app_api_close(&study);
    open_study(&study);
    fuzz_require(!status || study.record.revision == before, "changed", body);
    app_api_close(&study);
    app_text_free(&out);
    free(text);
    return 0;
}
