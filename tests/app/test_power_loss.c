/*
 * Power fails at any moment: what was acknowledged as safe is there, and what is there is a study as it was
 * at one moment, whole. A study's life is recorded once, by a layer between SQLite and the system that notes
 * every write, cut, sync and removal of a file. Then for each crash point a disk is put together as it may
 * look after a power failure there: what was synced is on it; of what was not, any part may be missing, in
 * sectors of 512 bytes, in any order, with zeros or rubbish in the place of what a longer file lost. The
 * store is opened upon it and read whole. CKG_CRASHES=N: how many crash points, by chance; all of them, and
 * again, for large N.
 *
 * Taken for granted, as by SQLite: a write changes no bytes but its own, and a file that was synced is in its
 * folder.
 */
#include <fcntl.h>
#include <sqlite3.h>

#include "app/store_scene.h"
#include "store/checksum.h"
#include "support/scale.h"

/* --- what happened to the disk --- */

enum action { WRITE, CUT, SYNC, REMOVE };
enum { FILES = 2, SECTOR = 512, MOST_STEPS = 800 };

static const char *const endings[FILES] = {"", "-wal"};

struct event {
    enum action kind;
    int file; /* of endings */
    int64_t at;
    int size;
    unsigned char *bytes;
};

static struct {
    int on;
    int count, capacity;
    struct event *events;
} disk;

/* Which of the store's files it is, -1: none. */
static int file_of(const char *path)
{
    const char *dot = path ? strstr(path, "s.db") : NULL;

    for (int i = 0; dot && i < FILES; i++)
        if (!strcmp(dot + 4, endings[i]))
            return i;
    return -1;
}

static void note(enum action kind, int file, int64_t at, int size, const void *bytes)
{
    if (!disk.on || file < 0)
        return;
    if (disk.count == disk.capacity) {
        disk.capacity = 2 * disk.capacity + 1024;
        disk.events = realloc(disk.events, (size_t)disk.capacity * sizeof *disk.events);
        assert_non_null(disk.events);
    }
    struct event *e = &disk.events[disk.count++];
    *e = (struct event){.kind = kind, .file = file, .at = at, .size = size};
    if (bytes) {
        e->bytes = malloc((size_t)size);
        assert_non_null(e->bytes);
        memcpy(e->bytes, bytes, (size_t)size);
    }
}

/* --- the layer under SQLite --- */

struct layer {
    sqlite3_file base;
    int file;
    sqlite3_file *real;
};

static sqlite3_vfs *system_vfs;

#define REAL(f) (((struct layer *)(void *)(f))->real)
#define FILE_OF(f) (((struct layer *)(void *)(f))->file)
#define PASS_ON(f, method, ...) REAL(f)->pMethods->method(REAL(f), __VA_ARGS__)

static int layer_close(sqlite3_file *f)
{
    return REAL(f)->pMethods->xClose(REAL(f));
}

static int layer_read(sqlite3_file *f, void *to, int size, sqlite3_int64 at)
{
    return PASS_ON(f, xRead, to, size, at);
}

static int layer_write(sqlite3_file *f, const void *from, int size, sqlite3_int64 at)
{
    note(WRITE, FILE_OF(f), at, size, from);
    return PASS_ON(f, xWrite, from, size, at);
}

static int layer_truncate(sqlite3_file *f, sqlite3_int64 size)
{
    note(CUT, FILE_OF(f), size, 0, NULL);
    return PASS_ON(f, xTruncate, size);
}

/* Noted when it is over: before that nothing is certain. The system itself need not do it. */
static int layer_sync(sqlite3_file *f, int flags)
{
    (void)flags;
    note(SYNC, FILE_OF(f), 0, 0, NULL);
    return SQLITE_OK;
}

static int layer_size(sqlite3_file *f, sqlite3_int64 *size)
{
    return PASS_ON(f, xFileSize, size);
}

static int layer_lock(sqlite3_file *f, int lock)
{
    return PASS_ON(f, xLock, lock);
}

static int layer_unlock(sqlite3_file *f, int lock)
{
    return PASS_ON(f, xUnlock, lock);
}

static int layer_reserved(sqlite3_file *f, int *out)
{
    return PASS_ON(f, xCheckReservedLock, out);
}

static int layer_control(sqlite3_file *f, int operation, void *argument)
{
    return PASS_ON(f, xFileControl, operation, argument);
}

static int layer_sector(sqlite3_file *f)
{
    return REAL(f)->pMethods->xSectorSize(REAL(f));
}

static int layer_traits(sqlite3_file *f)
{
    return REAL(f)->pMethods->xDeviceCharacteristics(REAL(f));
}

static int layer_shm_map(sqlite3_file *f, int page, int size, int extend, void volatile **out)
{
    return PASS_ON(f, xShmMap, page, size, extend, out);
}

static int layer_shm_lock(sqlite3_file *f, int offset, int count, int flags)
{
    return PASS_ON(f, xShmLock, offset, count, flags);
}

static void layer_shm_barrier(sqlite3_file *f)
{
    REAL(f)->pMethods->xShmBarrier(REAL(f));
}

static int layer_shm_unmap(sqlite3_file *f, int remove)
{
    return PASS_ON(f, xShmUnmap, remove);
}

static const sqlite3_io_methods layer_methods = {
    .iVersion = 2,
    .xClose = layer_close,
    .xRead = layer_read,
    .xWrite = layer_write,
    .xTruncate = layer_truncate,
    .xSync = layer_sync,
    .xFileSize = layer_size,
    .xLock = layer_lock,
    .xUnlock = layer_unlock,
    .xCheckReservedLock = layer_reserved,
    .xFileControl = layer_control,
    .xSectorSize = layer_sector,
    .xDeviceCharacteristics = layer_traits,
    .xShmMap = layer_shm_map,
    .xShmLock = layer_shm_lock,
    .xShmBarrier = layer_shm_barrier,
    .xShmUnmap = layer_shm_unmap,
};

static int layer_open(sqlite3_vfs *vfs, const char *path, sqlite3_file *f, int flags, int *out)
{
    struct layer *layer = (struct layer *)(void *)f;

    (void)vfs;
    layer->file = file_of(path);
    layer->real = (sqlite3_file *)(void *)(layer + 1);
    layer->real->pMethods = NULL;
    const int code = system_vfs->xOpen(system_vfs, path, layer->real, flags, out);
    layer->base.pMethods = layer->real->pMethods ? &layer_methods : NULL;
    return code;
}

static int layer_delete(sqlite3_vfs *vfs, const char *path, int sync)
{
    (void)vfs;
    note(REMOVE, file_of(path), 0, 0, NULL);
    return system_vfs->xDelete(system_vfs, path, sync);
}

static void install_layer(void)
{
    static sqlite3_vfs layer;

    system_vfs = sqlite3_vfs_find(NULL);
    layer = *system_vfs;
    layer.zName = "power";
    layer.szOsFile = (int)sizeof(struct layer) + system_vfs->szOsFile;
    layer.xOpen = layer_open;
    layer.xDelete = layer_delete;
    assert_int_equal(sqlite3_vfs_register(&layer, 1), SQLITE_OK);
}

/* --- a study's life --- */

/* After each step: how far the disk was, whether it was acknowledged as safe, and what the study was. */
static struct {
    int events, safe;
    uint64_t study;
} steps[MOST_STEPS];
static int step_count;

static int print_trial(void *context, const struct app_trial *r)
{
    struct app_text *out = context;

    app_text_print(out, "%d %lld %s %s %s %d;", r->number, (long long)r->revision, app_state_name(r->state),
                   r->parameters, r->outcomes ? r->outcomes : "-", r->starts);
    return CKG_OK;
}

/* All trials as one number; that reading them succeeds is itself the check of every seal and sum. */
static uint64_t look_at_all(struct scene *s)
{
    struct app_text text = {0};

    app_text_print(&text, ".");
    if (app_store_trials_since(s->store, s->study.id, 0, print_trial, &text, &s->message))
        fail_msg("%s", s->message.text);
    const uint64_t out = app_checksum_bytes(0, text.length, text.data);
    app_text_free(&text);
    return out;
}

static void done(struct scene *s, int safe)
{
    assert_true(step_count < MOST_STEPS);
    steps[step_count].events = disk.count;
    steps[step_count].safe = safe;
    steps[step_count++].study = look_at_all(s);
}

static void finish_trial(struct scene *s, int number, int64_t worker, double seconds)
{
    char outcomes[64];
    const struct app_trial result = {
        .number = number, .state = APP_COMPLETE, .outcomes = outcomes, .seconds = seconds};
    int kept = 0;

    snprintf(outcomes, sizeof outcomes, "{\"f\": %d.5}", number);
    assert_int_equal(app_store_finish(s->store, s->study.id, &result, worker, &kept, &s->message), CKG_OK);
    assert_true(kept);
    done(s, seconds > 1);
}

/* A run: trials added by a worker, started, ended quickly or slowly. */
static void run_for_a_while(struct scene *s, int from, int count)
{
    const struct app_worker worker = make_worker(s, "here", 10);

    for (int number = from; number < from + count; number++) {
        assert_int_equal(add_state(s, number, 1, "running", 1, worker.id), CKG_OK);
        done(s, 0);
        assert_int_equal(
            app_store_started(s->store, s->study.id, number, worker.id, 1000 + number, 5, &s->message),
            CKG_OK);
        done(s, 0);
        finish_trial(s, number, worker.id, number % 3 ? 0.01 : 2);
    }
    app_store_worker_remove(s->store, &worker);
}

/* A person corrects a trial, and takes that back every other time. */
static void correct(struct scene *s, int number)
{
    const struct app_change change = {.kind = "tell", .command = "tell s.yaml", .who = "you@here"};
    struct app_trial record = look(s, 0).records[number - 1];
    int moved;

    record.state = APP_COMPLETE;
    record.outcomes = "{\"f\": -1}";
    record.parameters = record.why = record.log = record.answer = record.extra = record.notes = NULL;
    assert_int_equal(app_store_change(s->store, s->study.id, &change, 1, &record, &s->message), CKG_OK);
    done(s, 1);
    if (number % 2) {
        assert_int_equal(app_store_undo(s->store, s->study.id, number, "you@here", 0, &moved, &s->message),
                         CKG_OK);
        done(s, 1);
    }
}

/* The store is made, used, closed and opened again; long enough that the log is written back and begun anew.
 */
static void live(struct scene *s)
{
    disk.on = 1;
    open_store(s, 1);
    assert_int_equal(app_store_study_create(s->store, &some_study, &s->study, &s->message), CKG_OK);
    done(s, 1);
    run_for_a_while(s, 1, 12);
    for (int number = 1; number <= 4; number++)
        correct(s, number);
    app_store_close(s->store);

    open_store(s, 0);
    assert_int_equal(add_state(s, 13, 2, "pending", 0, 0), CKG_OK);
    done(s, 1);
    finish_trial(s, 13, 0, 2);
    run_for_a_while(s, 15, 160);
    app_store_close(s->store);
    disk.on = 0;
}

/* How often a log was begun: at its first byte. */
static int logs_begun(void)
{
    int begun = 0;

    for (int i = 0; i < disk.count; i++)
        begun += disk.events[i].kind == WRITE && disk.events[i].file == 1 && disk.events[i].at == 0;
    return begun;
}

/* --- a disk after a power failure --- */

/* xorshift: which bytes are lost is drawn anew for each crash, and the same for the same number of it. */
static uint64_t draw(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

struct image {
    int there;
    int64_t size, capacity;
    unsigned char *bytes;
};

/* Room for that many bytes; what is new is zeros, or rubbish. */
static void grow(struct image *image, int64_t size, uint64_t *rubbish)
{
    if (size > image->capacity) {
        image->capacity = 2 * size;
        image->bytes = realloc(image->bytes, (size_t)image->capacity);
        assert_non_null(image->bytes);
    }
    for (int64_t i = image->size; i < size; i++)
        image->bytes[i] = rubbish ? (unsigned char)draw(rubbish) : 0;
    if (size > image->size)
        image->size = size;
}

static void apply(struct image *image, const struct event *e)
{
    image->there = e->kind != REMOVE;
    if (e->kind == WRITE) {
        grow(image, e->at + e->size, NULL);
        memcpy(image->bytes + e->at, e->bytes, (size_t)e->size);
    } else if (e->kind == CUT && e->at < image->size)
        image->size = e->at;
    else if (e->kind == REMOVE)
        image->size = 0;
}

/* A write of which each sector may be missing. */
static void apply_torn(struct image *image, const struct event *e, uint64_t *chance)
{
    uint64_t rubbish = draw(chance);

    grow(image, e->at + e->size, draw(chance) % 2 ? &rubbish : NULL);
    image->there = 1;
    for (int64_t at = e->at; at < e->at + e->size;) {
        const int64_t next = at / SECTOR * SECTOR + SECTOR;
        const int64_t end = next < e->at + e->size ? next : e->at + e->size;

        if (draw(chance) % 2)
            memcpy(image->bytes + at, e->bytes + (at - e->at), (size_t)(end - at));
        at = end;
    }
}

/* How much of what was not synced is lost: nothing, everything, one in two, torn, or what came after a point.
 */
enum loss { NONE, ALL, SOME, TORN, LATE, LOSSES };

/* What the event leaves on the disk where it was not synced. */
static void apply_unsure(struct image *image, const struct event *e, enum loss loss, int late,
                         uint64_t *chance)
{
    if (loss == ALL || (loss == LATE && late))
        return;
    if (loss == NONE || loss == LATE || e->kind == REMOVE) {
        apply(image, e);
        return;
    }
    if (e->kind == WRITE && loss == TORN && draw(chance) % 4 == 0)
        apply_torn(image, e, chance);
    else if (draw(chance) % 2)
        apply(image, e);
}

static void copy(struct image *to, const struct image *from)
{
    to->size = 0;
    grow(to, from->size, NULL);
    if (from->size)
        memcpy(to->bytes, from->bytes, (size_t)from->size);
    to->there = from->there;
}

/* The last sync or removal of the file before the crash point: all before it is certain. */
static int certain_until(int file, int point)
{
    for (int i = point - 1; i >= 0; i--)
        if (disk.events[i].file == file && disk.events[i].kind == SYNC)
            return i;
    return -1;
}

/* The file as it may be found. */
static void crash_file(int file, int point, enum loss loss, const struct image *sure, struct image *out,
                       uint64_t *chance)
{
    const int first = certain_until(file, point) + 1;
    const int late = first + (int)(draw(chance) % (uint64_t)(point - first + 1));

    copy(out, sure);
    for (int i = first; i < point; i++) {
        const struct event *e = &disk.events[i];

        if (e->file != file || e->kind == SYNC)
            continue;
        /* Where a file was not removed after all, what was then made of that name is not there. */
        if (e->kind == REMOVE && loss != NONE && draw(chance) % 2)
            return;
        apply_unsure(out, e, loss, i >= late, chance);
    }
}

static void write_image(const char *folder, int file, const struct image *image)
{
    char path[300];

    snprintf(path, sizeof path, "%s/s.db%s", folder, endings[file]);
    unlink(path);
    if (!image->there)
        return;
    const int out = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0666);
    assert_true(out >= 0);
    assert_true(write(out, image->bytes, (size_t)image->size) == image->size);
    close(out);
}

/* --- what is found --- */

static int take_trouble(void *context, const struct app_trouble *t)
{
    (void)context;
    if (!t->harmless)
        fail_msg("%s %lld: %s", t->part, (long long)t->number, t->text);
    return CKG_OK;
}

static int take_study(void *context, const struct app_study_record *study)
{
    (void)context;
    assert_non_null(study->definition);
    return CKG_OK;
}

static int take_any(void *context, const struct app_trial *record)
{
    (void)record;
    ++*(int *)context;
    return CKG_OK;
}

/* The study as it is found, 0: there is none. */
static uint64_t found(struct scene *s)
{
    int trials = 0;
    const struct app_examiner examiner = {take_trouble, take_study, take_any, &trials};
    int status = app_store_open(&s->store, s->url, 0, &s->message);

    if (status == CKG_ERR_NOT_FOUND)
        return 0;
    if (status)
        fail_msg("the store cannot be opened: %s", s->message.text);
    status = app_store_study_find(s->store, "spring", &s->study, &s->message);
    if (status && status != CKG_ERR_NOT_FOUND)
        fail_msg("%s", s->message.text);
    if (!status && app_store_examine(s->store, "spring", &examiner, &s->message))
        fail_msg("%s", s->message.text);
    const uint64_t out = status ? 0 : look_at_all(s);
    app_study_record_free(&s->study);
    app_store_close(s->store);
    return out;
}

/* It is the study of a step between the last one that was safe and the one under way. */
static void check_found(uint64_t study, int point, enum loss loss)
{
    int first = -1;
    int last = 0;

    while (last < step_count - 1 && steps[last].events <= point)
        last++;
    for (int i = 0; i < step_count && steps[i].events <= point; i++)
        if (steps[i].safe)
            first = i;
    if (first < 0 && !study)
        return;
    for (int i = first < 0 ? 0 : first; i <= last; i++)
        if (steps[i].study == study)
            return;
    fail_msg("crash at event %d of %d, loss %d: the study is none of steps %d to %d", point, disk.count,
             (int)loss, first, last);
}

/* --- all of it --- */

static int wanted(void)
{
    const char *text = getenv("CKG_CRASHES");

    return text ? atoi(text) : test_scale(250, 50);
}

struct bench {
    struct image sure[FILES]; /* as certain before the point that is looked at */
    int next[FILES];          /* the first event that is not in it */
    struct image crashed;
};

/* What is certain at the point; points must not go back. */
static void bring_forward(struct bench *b, int point)
{
    for (int file = 0; file < FILES; file++) {
        const int until = certain_until(file, point);

        for (; b->next[file] <= until; b->next[file]++)
            if (disk.events[b->next[file]].file == file && disk.events[b->next[file]].kind != SYNC)
                apply(&b->sure[file], &disk.events[b->next[file]]);
    }
}

static void crash(struct bench *b, struct scene *s, const char *folder, int point, uint64_t number)
{
    uint64_t chance = number * 0x9E3779B97F4A7C15u + 88172645463325252u;
    const enum loss loss = (enum loss)(number % LOSSES);

    for (int file = 0; file < FILES; file++) {
        crash_file(file, point, loss, &b->sure[file], &b->crashed, &chance);
        write_image(folder, file, &b->crashed);
    }
    check_found(found(s), point, loss);
}

static void crash_everywhere(struct scene *s, const char *folder, int count)
{
    struct bench b = {0};

    bring_forward(&b, 0);
    for (int i = 0; i < count; i++) {
        const int point = (int)((int64_t)i * disk.count / count);

        bring_forward(&b, point);
        crash(&b, s, folder, point, (uint64_t)i);
    }
    for (int file = 0; file < FILES; file++)
        free(b.sure[file].bytes);
    free(b.crashed.bytes);
}

static void test_power_loss(void **state)
{
    struct scene s = {.kind = &stores[0]};
    const int count = wanted();
    char folder[256];

    (void)state;
    s.kind->make(s.url);
    snprintf(folder, sizeof folder, "%.*s", (int)(strrchr(s.url, '/') - s.url - 7), s.url + 7);
    install_layer();
    live(&s);
    app_study_record_free(&s.study);
    assert_true(logs_begun() > 2); /* twice by opening, and once because it was full */
    crash_everywhere(&s, folder, count);
    printf("%d crashes at %d events, %d steps: nothing that was safe was lost, every store was whole\n",
           count, disk.count, step_count);

    for (int i = 0; i < disk.count; i++)
        free(disk.events[i].bytes);
    free(disk.events);
    s.kind->remove(s.url);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_power_loss)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
