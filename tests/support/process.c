#include "support/process.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>

#include <ckg/status.h>

static void draw_noise(struct process *p, int n, enum process_noise noise)
{
    for (int i = 0; i < n; i++) {
        const enum process_noise kind = noise == MIXED ? (enum process_noise)(i % 3) : noise;
        p->count[i] = kind == ESTIMATED ? 1 + i % 3 : 1;
        p->known[i] = kind == ESTIMATED ? -1 : kind == KNOWN ? 0.01 * (1 + i % 4) : 0;
        p->series.estimated |= kind == ESTIMATED;
        p->series.extra += p->count[i] - 1;
    }
    p->series.within = 0.04 * p->series.extra;
    p->series.constant = -0.7;
    p->series.typical_known = noise == KNOWN ? 0.02 : 0;
}

static void draw_data(struct process *p, int D, int n)
{
    for (int i = 0; i < n; i++) {
        double sum = 0.2;
        for (int k = 0; k < D; k++) {
            double *x = &p->X[k * PROCESS_MAX_N + i];
            *x = ckg__rng_uniform(&p->rng);
            sum += sin((4.0 + k) * *x) * (k % 2 ? -0.7 : 0.9);
        }
        p->y[i] = sum + 0.1 * ckg__rng_normal(&p->rng);
    }
}

void process_make(struct process *p, enum ckg__kernel kernel, int D, int n, enum process_noise noise,
                  uint64_t seed)
{
    memset(p, 0, sizeof *p);
    ckg__arena_init(&p->arena);
    ckg__rng_seed(&p->rng, seed, (uint64_t)D, (uint64_t)n);
    for (int k = 0; k < D; k++) {
        p->theta[k] = log(0.25) + ckg__rng_uniform(&p->rng) * log(4);
        p->group[k] = k;
    }
    p->theta[D] = log(0.03);
    p->theta[D + 1] = 0.3;
    p->series.likelihood = &ckg__likelihood_normal;
    p->series.n = n;
    p->series.y = p->y;
    p->series.known = p->known;
    p->series.count = p->count;
    p->series.design = p->design;
    for (int i = 0; i < PROCESS_MAX_N; i++)
        p->design[i] = i;
    draw_noise(p, n, noise);
    draw_data(p, D, n);
    p->inputs = (struct ckg__gp_inputs){kernel,        D,          D,   n,    p->group, p->X,
                                        PROCESS_MAX_N, &p->series, 1.0, NULL, 0,        NULL};
    process_set(p);
}

void process_make_empty(struct process *p, double mean, double var, double noise)
{
    process_make(p, CKG__RBF, 1, 1, EXACT, 1);
    p->inputs.n = 0;
    p->series.constant = 0;
    process_set(p);
    p->gp.mean = mean;
    p->gp.k.s2 = p->gp.unit = var;
    p->gp.future = noise;
}

void process_set(struct process *p)
{
    assert_int_equal(ckg__gp_reserve(&p->gp, p->inputs.D, p->inputs.n + 4), CKG_OK);
    assert_int_equal(ckg__gp_set(&p->gp, &p->inputs, p->theta, &p->arena), CKG_OK);
}

void process_free(struct process *p)
{
    ckg__gp_free(&p->gp);
    ckg__arena_free(&p->arena);
}

void check_at_exact_observations(process_function function, double step)
{
    double value[PROCESS_EXACT], gradient[2 * PROCESS_EXACT];
    struct process p;

    process_make(&p, CKG__RBF, 2, PROCESS_EXACT, EXACT, 52);
    for (double best = -2; best <= 3; best += step) {
        assert_int_equal(function(&p, best, value, gradient), CKG_OK);
        for (int i = 0; i < PROCESS_EXACT; i++)
            assert_true(isfinite(value[i]) && isfinite(gradient[i]) && isfinite(gradient[PROCESS_EXACT + i]));
    }
    process_free(&p);
}
