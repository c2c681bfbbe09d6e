/*
 * Every policy with memory and threads at their worst. This program has an arena and a pool of its own, which
 * the linker takes instead of the library's: every piece of scratch is an allocation of its own, full of
 * numbers that are none, freed when it is released, and any of them may fail; tasks run in any order, on any
 * worker. What a policy suggests must not know. Under AddressSanitizer this also finds whoever reads or
 * writes beyond a piece of scratch, or after its release.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "base/arena.h"
#include "base/error.h"
#include "base/rng.h"
#include "base/threads.h"
#include "support/policies.h"
#include "support/scale.h"

/* --- the arena: a stack of blocks, one per piece --- */

struct ckg__arena_block {
    struct ckg__arena_block *next;
};

enum { HEADER = 64, WORKERS = 3 };

static int pattern;      /* of the bytes that scratch is full of: 0xff makes NANs */
static int scrambled;    /* 1: tasks run in another order, on other workers */
static int pieces;       /* taken so far */
static int failing = -1; /* the piece that is refused; -1: none */

void ckg__arena_init(struct ckg__arena *arena)
{
    *arena = (struct ckg__arena){NULL, NULL, 0};
}

struct ckg__arena_mark ckg__arena_mark(const struct ckg__arena *arena)
{
    return (struct ckg__arena_mark){arena->current, 0};
}

void ckg__arena_release(struct ckg__arena *arena, struct ckg__arena_mark mark)
{
    while (arena->current != mark.block) {
        struct ckg__arena_block *block = arena->current;
        assert_non_null(block); /* or the mark is not of this arena */
        arena->current = block->next;
        ckg__free(block);
    }
}

void ckg__arena_free(struct ckg__arena *arena)
{
    ckg__arena_release(arena, (struct ckg__arena_mark){NULL, 0});
}

void *ckg__arena_get(struct ckg__arena *arena, size_t count, size_t size)
{
    struct ckg__arena_block *block = pieces++ == failing ? NULL : ckg__alloc(HEADER + count * size, 1);
    if (!block) {
        ckg__fail_nomem();
        return NULL;
    }
    memset((char *)block + HEADER, pattern, count * size);
    block->next = arena->current;
    arena->current = block;
    return (char *)block + HEADER;
}

double *ckg__arena_doubles(struct ckg__arena *arena, size_t count)
{
    return ckg__arena_get(arena, count, sizeof(double));
}

int *ckg__arena_ints(struct ckg__arena *arena, size_t count)
{
    return ckg__arena_get(arena, count, sizeof(int));
}

/* --- the pool: one thread that pretends to be several --- */

struct ckg__pool {
    int runs;
    struct ckg__interrupt *interrupt;
};

int ckg__pool_new(struct ckg__pool **out, int threads)
{
    *out = ckg__alloc_zero(1, sizeof **out);
    assert_int_equal(threads, WORKERS);
    return *out ? CKG_OK : CKG_ERR_NOMEM;
}

void ckg__pool_free(struct ckg__pool *pool)
{
    ckg__free(pool);
}

void ckg__pool_watch(struct ckg__pool *pool, struct ckg__interrupt *interrupt)
{
    pool->interrupt = interrupt;
}

struct ckg__interrupt *ckg__pool_watched(const struct ckg__pool *pool)
{
    return pool->interrupt;
}

static void run_tasks(struct ckg__pool *pool, int number, int count, ckg__task task, void *context)
{
    pool->runs++;
    for (int i = 0; i < count; i++)
        task(context, scrambled ? count - 1 - i : i, scrambled ? (5 * i + pool->runs) % WORKERS : number);
}

int ckg__pool_run(struct ckg__pool *pool, int count, ckg__task task, void *context)
{
    run_tasks(pool, 0, count, task, context);
    return CKG_OK;
}

int ckg__workers_run(const struct ckg__workers *workers, int count, double work, ckg__task task,
                     void *context)
{
    (void)work;
    const int shared = workers && workers->pool;

    if (shared)
        run_tasks(workers->pool, workers->worker, count, task, context);
    for (int i = 0; !shared && i < count; i++)
        task(context, i, 0);
    return 0;
}

/* --- what must not change --- */

enum { ASKS = 5, NUMBERS = 6, MOST = TOY_INITIAL + ASKS };

static const enum ckg_noise noises[] = {CKG_NOISE_NONE, CKG_NOISE_AUTO};

static struct toy toy_number(int i)
{
    return (struct toy){
        .K = i % 3, .noise = noises[i / 3 % 2], .lattice = i == 1 || i == 5, .threads = WORKERS};
}

static void run_study(const struct toy *toy, const char *policy, double said[MOST][NUMBERS])
{
    static const double X[] = {1, 2, 3, 1, 0, 0}; /* of the lattice too */
    ckg_study *study = toy_study(toy, policy, 0, NULL);
    for (int t = 0; t < TOY_INITIAL + test_scale(ASKS, 2); t++) {
        double value[3] = {0};
        if (t >= TOY_INITIAL && policy_has_values(study->policy))
            must(ckg_study_score(study, NULL, 3, X, value));
        ckg_suggestion *s = toy_step(study, toy);
        const double numbers[NUMBERS] = {s->x[0], s->x[1], s->value, value[0], value[1], value[2]};
        memcpy(said[t], numbers, sizeof numbers);
        ckg_suggestion_free(s);
    }
    ckg_study_free(study);
}

static void order_and_stale_memory_change_no_bit(const struct ckg__policy *row)
{
    /* in a light run the lattice, and noise on the box */
    for (int i = test_scale(0, 1); i < 6; i += test_scale(1, 3)) {
        const struct toy toy = toy_number(i);
        double said[2][MOST][NUMBERS] = {{{0}}};
        for (int adverse = 0; adverse < 2; adverse++) {
            pattern = adverse ? 0xff : 0;
            scrambled = adverse;
            run_study(&toy, row->name, said[adverse]);
        }
        pattern = scrambled = 0;
        for (int t = 0; t < MOST; t++)
            if (memcmp(said[0][t], said[1][t], sizeof said[0][t]) != 0)
                fail_msg(
                    "toy %d, trial %d: (%.17g, %.17g), value %.17g; at the worst (%.17g, %.17g), value %.17g",
                    i, t, said[0][t][0], said[0][t][1], said[0][t][2], said[1][t][0], said[1][t][1],
                    said[1][t][2]);
    }
}

/* --- memory that runs out --- */

enum { FIRST = 60, DRAWN = 60 };

/* What a call says: a suggestion, or scores. */
static int call(ckg_study *study, int scores, double *said)
{
    static const double X[] = {1, 2, 3, 0};
    ckg_suggestion *s = NULL;
    if (scores)
        return ckg_study_score(study, NULL, 2, X, said);
    const int status = ckg_study_ask(study, &s);
    assert_true(!status == (s != NULL));
    for (int k = 0; s && k < 2; k++)
        said[k] = s->x[k];
    ckg_suggestion_free(s);
    return status;
}

static ckg_study *prepared_study(const struct toy *toy, const char *policy)
{
    ckg_study *study = toy_study_told(toy, policy, TOY_INITIAL);
    const double x[] = {1, 1};
    /* the models are made: what is left is the policy's */
    must(ckg_study_predict(study, 1, x, NULL, NULL, NULL, NULL));
    return study;
}

/*
 * The n-th piece of scratch is refused, for the first n and for some at random: a status and a message, and
 * in the end the call gives what it gives in a study that never saw a failure.
 */
static void refuse_pieces(const struct toy *toy, const struct ckg__policy *row, int scores)
{
    struct ckg__rng rng;
    double wanted[2], said[2];
    ckg_study *study = prepared_study(toy, row->name);
    pieces = 0;
    must(call(study, scores, wanted));
    const int all = pieces;
    ckg_study_free(study);
    study = prepared_study(toy, row->name);
    ckg__rng_seed(&rng, 5, (uint64_t)all, 0);
    /* a policy that takes no scratch has nothing to be refused */
    for (int i = 0; all && i < FIRST + DRAWN; i += test_scale(1, 6)) {
        const int n = i < FIRST ? i : ckg__rng_below(&rng, all);
        if (n >= all)
            continue;
        pieces = 0;
        failing = n;
        const int status = call(study, scores, said);
        failing = -1;
        if (pieces > n && (status != CKG_ERR_NOMEM || !ckg_error_message()[0]))
            fail_msg("%s: piece %d of %d is refused: status %d, '%s'", row->name, n, all, status,
                     ckg_error_message());
        if (pieces > n)
            continue;
        /* what the calls before left behind needs no piece any more: this one went through */
        assert_int_equal(status, CKG_OK);
        assert_memory_equal(said, wanted, sizeof said);
        ckg_study_free(study);
        study = prepared_study(toy, row->name);
    }
    must(call(study, scores, said));
    assert_memory_equal(said, wanted, sizeof said);
    ckg_study_free(study);
}

static void refused_memory_is_reported(const struct ckg__policy *row)
{
    for (int i = 0; i < 6; i += 1 + i % 2) { /* 0, 1, 3, 5 */
        const struct toy toy = toy_number(i);
        refuse_pieces(&toy, row, 0);
        if (policy_has_values(row))
            refuse_pieces(&toy, row, 1);
    }
}

int main(void)
{
    static const struct policy_contract contracts[] = {
        {"order and stale memory change no bit", order_and_stale_memory_change_no_bit},
        {"refused memory is reported", refused_memory_is_reported},
    };
    return policies_run(sizeof contracts / sizeof *contracts, contracts);
}
