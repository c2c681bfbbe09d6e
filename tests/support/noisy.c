#include "support/noisy.h"

#include <math.h>
#include <string.h>

#include <ckg/status.h>

#include "support/test.h"

static double truth(int j, const double *u)
{
    return j == 0   ? sin(5 * u[0]) + cos(4 * u[1] + 1)
           : j == 1 ? sin(4 * u[0] + 3 * u[1])
                    : 1.2 * cos(5 * u[0] - 2 * u[1]);
}

/* A row of that design, −1: of none that is told. */
static void add_row(struct process *p, struct ckg__rng *rng, int j, int design, const double *u, double var)
{
    const int i = p->series.n++;
    for (int k = 0; k < NOISY_D; k++)
        p->X[k * PROCESS_MAX_N + i] = u[k];
    p->known[i] = var;
    p->count[i] = 1;
    p->design[i] = design;
    p->y[i] = truth(j, u) + sqrt(var) * ckg__rng_normal(rng);
}

static void outcome_make(struct noisy *m, const struct noisy_sort *s, int j, struct ckg__rng *rng)
{
    struct process *p = &m->p[j];
    const double var = s->sd[j] * s->sd[j];
    const int last = s->n - (j == (s->K > 0) ? s->missing : 0);

    process_make(p, s->kernel, NOISY_D, 1, KNOWN, 7);
    p->series.n = 0;
    for (int k = 0; k < NOISY_D; k++)
        p->theta[k] = log(0.3 + 0.3 * ckg__rng_uniform(rng));
    p->theta[NOISY_D + 1] = log(0.8 + 0.5 * ckg__rng_uniform(rng));
    for (int i = 0; i < last; i++) {
        const double u[NOISY_D] = {m->U[i], m->U[NOISY_MOST + i]};
        add_row(p, rng, j, i, u, s->mixed && i % 3 == 0 ? 0 : var * (0.5 + i % 3));
    }
    for (int i = 0; i < s->twice; i++) {
        const double u[NOISY_D] = {m->U[i], m->U[NOISY_MOST + i]};
        add_row(p, rng, j, i, u, 2 * var);
    }
    for (int i = 0; i < s->beside; i++) {
        const double u[NOISY_D] = {ckg__rng_uniform(rng), ckg__rng_uniform(rng)};
        add_row(p, rng, j, -1, u, var);
    }
    p->inputs.n = p->series.n;
    process_set(p);
}

void noisy_make(struct noisy *m, const struct noisy_sort *s, uint64_t seed)
{
    static const double lower[] = {0, -INFINITY, -0.7}, upper[] = {0, 0.3, 0.9};
    struct ckg__rng rng;

    memset(m, 0, sizeof *m);
    ckg__arena_init(&m->keep);
    ckg__arena_init(&m->scratch);
    ckg__rng_seed(&rng, seed, 3, 4);
    m->n = s->n;
    for (int i = 0; i < s->n; i++)
        m->number[i] = i;
    for (int i = 0; i < s->n; i++)
        for (int k = 0; k < NOISY_D; k++)
            m->U[k * NOISY_MOST + i] = ckg__rng_uniform(&rng);
    m->belief = (struct ckg__belief){.outcomes = 1 + s->K};
    m->belief.penalty = -2.5;
    for (int j = 0; j <= s->K; j++) {
        outcome_make(m, s, j, &rng);
        m->belief.gp[j] = &m->p[j].gp;
        m->belief.lower[j] = lower[j] - (j == 2 ? s->shift : 0);
        m->belief.upper[j] = upper[j] + s->shift;
    }
}

void noisy_free(struct noisy *m)
{
    for (int j = 0; j < m->belief.outcomes; j++)
        process_free(&m->p[j]);
    ckg__arena_free(&m->keep);
    ckg__arena_free(&m->scratch);
}

void noisy_draw(struct noisy *m, int count, int most, int rule)
{
    const struct ckg__arena_mark start = {NULL, 0};
    const struct ckg__nei_draws draws = {count, most, 11 + (unsigned long long)rule, 0};
    const struct ckg__designs designs = {m->n, m->number, m->U, NOISY_MOST};

    ckg__arena_release(&m->keep, start);
    assert_int_equal(
        ckg__nei_make(&m->nei, &m->belief, m->belief.outcomes, &designs, &draws, &m->keep, &m->scratch),
        CKG_OK);
}

double noisy_value(struct noisy *m, const double *u)
{
    double value;
    assert_int_equal(ckg__nei_batch(&m->nei, 1, u, 1, &m->scratch, &value, NULL), CKG_OK);
    return value;
}

const struct noisy_sort noisy_sorts[NOISY_SORTS] = {
    {.name = "K = 0", .kernel = CKG__RBF, .K = 0, .n = 8, .sd = {0.3}},
    {.name = "K = 0, much noise", .kernel = CKG__MATERN52, .K = 0, .n = 10, .sd = {1.5}},
    {.name = "K = 1", .kernel = CKG__RBF, .K = 1, .n = 8, .sd = {0.3, 0.2}},
    {.name = "K = 1, exact constraint", .kernel = CKG__MATERN52, .K = 1, .n = 8, .sd = {0.4, 0}},
    {.name = "K = 1, exact objective", .kernel = CKG__RBF, .K = 1, .n = 8, .sd = {0, 0.4}},
    {.name = "K = 1, seldom feasible",
     .kernel = CKG__MATERN52,
     .K = 1,
     .n = 6,
     .sd = {0.3, 0.3},
     .shift = -1.2},
    {.name = "K = 2", .kernel = CKG__MATERN52, .K = 2, .n = 8, .sd = {0.3, 0.2, 0.3}},
    {.name = "K = 2, mixed rows", .kernel = CKG__RBF, .K = 2, .n = 9, .sd = {0.3, 0.3, 0.1}, .mixed = 1},
    {.name = "partly measured", .kernel = CKG__RBF, .K = 1, .n = 8, .sd = {0.3, 0.2}, .missing = 3},
    {.name = "partly measured, exact", .kernel = CKG__MATERN52, .K = 1, .n = 8, .sd = {0, 0}, .missing = 3},
    {.name = "objective partly measured", .kernel = CKG__RBF, .K = 0, .n = 8, .sd = {0.2}, .missing = 2},
    {.name = "measured twice", .kernel = CKG__RBF, .K = 1, .n = 7, .sd = {0.4, 0.2}, .twice = 4},
    {.name = "rows beside", .kernel = CKG__MATERN52, .K = 2, .n = 6, .sd = {0.3, 0.2, 0.3}, .beside = 4},
    {.name = "all at once",
     .kernel = CKG__MATERN52,
     .K = 2,
     .n = 8,
     .sd = {0.4, 0.3, 0.2},
     .missing = 2,
     .twice = 2,
     .beside = 3,
     .mixed = 1},
};
