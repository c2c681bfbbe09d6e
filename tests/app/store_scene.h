/* What the suites of every store share: the kinds of stores, one of them with a study, and short ways to use
 * it. */
#ifndef CKG_TESTS_STORE_SCENE_H
#define CKG_TESTS_STORE_SCENE_H

#include <math.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include <ckg/status.h>

#include "store/sql.h"
#include "store/store.h"
#include "support/test.h"

/* A kind of store: how to name a new one, how to remove it. */
struct kind {
    const char *name;
    void (*make)(char url[256]);
    void (*remove)(const char *url);
};

struct scene {
    const struct kind *kind;
    char url[256];
    struct app_store *store;
    struct app_message message;
    struct app_study_record study;
};

/* --- SQLite --- */

static inline void sqlite_make(char url[256])
{
    char folder[] = "/tmp/ckg-store-XXXXXX";
    assert_non_null(mkdtemp(folder));
    snprintf(url, 256, "sqlite:%s/s.db", folder);
}

static inline void sqlite_remove(const char *url)
{
    static const char *const endings[] = {"", "-wal", "-shm", "-turn"};
    char path[300];
    const char *file = url + strlen("sqlite:");
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
        snprintf(path, sizeof path, "%s%s", file, endings[i]);
        unlink(path);
    }
    snprintf(path, sizeof path, "%.*s", (int)(strrchr(file, '/') - file), file);
    assert_int_equal(rmdir(path), 0);
}

/* --- PostgreSQL, of tests/app/postgresql.py --- */

/* A command of the server's, which has its socket in that folder. */
static inline void postgresql_do(const char *command, const char *name)
{
    char words[512];

    snprintf(words, sizeof words, "%s -h '%s' -U ckg %s", command, getenv("CKG_TEST_POSTGRESQL"), name);
    assert_int_equal(system(words), 0);
}

static inline void postgresql_make(char url[256])
{
    static int made;
    char name[64];

    snprintf(name, sizeof name, "store_%d_%d", (int)getpid(), ++made);
    postgresql_do("createdb", name);
    snprintf(url, 256, "postgresql://ckg@/%s?host=%s", name, getenv("CKG_TEST_POSTGRESQL"));
}

static inline void postgresql_remove(const char *url)
{
    char name[64];

    assert_int_equal(sscanf(url, "postgresql://ckg@/%63[^?]", name), 1);
    postgresql_do("dropdb --force", name);
}

/* With a server, its stores are tested; without, files. */
static const struct kind stores[] = {{"sqlite", sqlite_make, sqlite_remove},
                                     {"postgresql", postgresql_make, postgresql_remove}};

static inline const struct kind *the_kind(void)
{
    return &stores[getenv("CKG_TEST_POSTGRESQL") != NULL];
}

/* --- the scene --- */

static const struct app_study_record some_study = {.name = "spring",
                                                   .definition = "{\"name\": \"spring\"}",
                                                   .folder = "/tmp",
                                                   .seed = 18446744073709551615u};

static inline void open_store(struct scene *s, int create)
{
    assert_int_equal(app_store_open(&s->store, s->url, create, &s->message), CKG_OK);
}

static inline void set_up(struct scene *s, const struct kind *kind)
{
    *s = (struct scene){.kind = kind};
    kind->make(s->url);
    open_store(s, 1);
    assert_int_equal(app_store_study_create(s->store, &some_study, &s->study, &s->message), CKG_OK);
}

static inline void tear_down(struct scene *s)
{
    app_study_record_free(&s->study);
    app_store_close(s->store);
    s->kind->remove(s->url);
}

/* A copy of what a visit saw. */
struct seen {
    int count;
    struct app_trial records[32];
    char state[32][16], outcomes[32][64], why[32][64], parameters[32][64];
    char answer[32][64], extra[32][64], notes[32][256];
};

static inline int see(void *context, const struct app_trial *r)
{
    struct seen *seen = context;
    const int at = seen->count++;
    assert_true(at < 32);
    seen->records[at] = *r;
    snprintf(seen->state[at], 16, "%s", app_state_name(r->state));
    snprintf(seen->parameters[at], 64, "%s", r->parameters);
    snprintf(seen->outcomes[at], 64, "%s", r->outcomes ? r->outcomes : "");
    snprintf(seen->why[at], 64, "%s", r->why ? r->why : "");
    snprintf(seen->answer[at], 64, "%s", r->answer ? r->answer : "");
    snprintf(seen->extra[at], 64, "%s", r->extra ? r->extra : "");
    snprintf(seen->notes[at], 256, "%s", r->notes ? r->notes : "");
    return CKG_OK;
}

static inline struct seen look(struct scene *s, int64_t since)
{
    struct seen seen = {0};
    assert_int_equal(app_store_trials_since(s->store, s->study.id, since, see, &seen, &s->message), CKG_OK);
    return seen;
}

static inline int add_state(struct scene *s, int first, int count, const char *state, int queued,
                            int64_t worker)
{
    struct app_trial records[8];
    assert_true(count <= 8);
    for (int i = 0; i < count; i++)
        records[i] = (struct app_trial){.state = app_state_named(state),
                                        .origin = "design",
                                        .queued = queued,
                                        .parameters = "{\"x\": 0.1}",
                                        .seconds = NAN};
    return app_store_add(s->store, s->study.id, first, count, records, worker, &s->message);
}

static inline void finish(struct scene *s, int number, const char *state, const char *outcomes,
                          const char *why, int64_t worker, int expected)
{
    const struct app_trial result = {.number = number,
                                     .state = app_state_named(state),
                                     .outcomes = outcomes,
                                     .why = why,
                                     .seconds = 1.5,
                                     .failures = why != NULL};
    int kept = -1;
    assert_int_equal(app_store_finish(s->store, s->study.id, &result, worker, &kept, &s->message), CKG_OK);
    assert_int_equal(kept, expected);
}

/* The one process that is no longer alive. */
static int64_t process_gone;

static inline int is_gone(int64_t process, int64_t born)
{
    assert_int_equal(born, process + 1);
    return process == process_gone;
}

static inline struct app_worker make_worker(struct scene *s, const char *machine, int64_t process)
{
    struct app_worker worker = {.machine = machine, .process = process, .born = process + 1};
    assert_int_equal(app_store_worker_add(s->store, &worker, &s->message), CKG_OK);
    assert_true(worker.id > 0);
    return worker;
}

static inline struct app_claim claim(struct scene *s, const struct app_worker *worker)
{
    struct app_claim out = {.number = -1};
    assert_int_equal(app_store_claim(s->store, s->study.id, worker, is_gone, &out, &s->message), CKG_OK);
    return out;
}

static inline void in_a_store(void (*check)(struct scene *scene))
{
    struct scene scene;

    set_up(&scene, the_kind());
    check(&scene);
    tear_down(&scene);
}

#define TEST(name)                                                                                           \
    static void test_##name(void **state)                                                                    \
    {                                                                                                        \
        (void)state;                                                                                         \
        in_a_store(check_##name);                                                                            \
    }

#endif
