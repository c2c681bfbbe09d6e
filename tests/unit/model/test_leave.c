/*
 * Each design predicted from all others in closed form, against a process that is conditioned on the others
 * anew.
 *
 * Both answers carry the rounding of a factor, eps·cond(K + Σ): without noise the nugget leaves a condition
 * of up to n·1e10, so the bound there is 1e-4 of the signal; with noise 1e-9. Measured with gcc 12: 7e-7 and
 * 7e-14 at most.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include <ckg/status.h>

#include "model/leave_one_out.h"
#include "posterior/posterior.h"
#include "support/near.h"
#include "support/process.h"
#include "support/test.h"

/* The process p without the rows first … next−1, conditioned anew; predicts at row `first`. */
static void brute_force(const struct process *p, int first, int next, double *mean, double *var)
{
    static struct process rest;
    struct ckg__view view;
    double u[PROCESS_MAX_D];
    memset(&rest, 0, sizeof rest);
    memcpy(rest.theta, p->theta, sizeof rest.theta);
    memcpy(rest.group, p->group, sizeof rest.group);
    ckg__arena_init(&rest.arena);
    rest.series = p->series;
    rest.series.y = rest.y;
    rest.series.known = rest.known;
    rest.series.count = rest.count;
    int n = 0;
    for (int i = 0; i < p->inputs.n; i++) {
        if (i >= first && i < next)
            continue;
        rest.y[n] = p->y[i];
        rest.known[n] = p->known[i];
        rest.count[n] = p->count[i];
        for (int k = 0; k < p->inputs.D; k++)
            rest.X[k * PROCESS_MAX_N + n] = p->X[k * PROCESS_MAX_N + i];
        n++;
    }
    rest.inputs = p->inputs;
    rest.inputs.n = rest.series.n = n;
    rest.inputs.group = rest.group;
    rest.inputs.X = rest.X;
    rest.inputs.series = &rest.series;
    process_set(&rest);
    for (int k = 0; k < p->inputs.D; k++)
        u[k] = p->X[k * PROCESS_MAX_N + first];
    assert_int_equal(ckg__view_make(&view, &rest.gp, 1, u, 1, &rest.arena), CKG_OK);
    *mean = view.mean[0];
    *var = view.var[0];
    process_free(&rest);
}

/*
 * Rows 2i and 2i+1 become one design, as an estimated and a known noise at one design are, for the first
 * `pairs`.
 */
static void pair_rows(struct process *p, int *design, int pairs)
{
    for (int i = 0; i < p->inputs.n; i++)
        design[i] = i < 2 * pairs ? i / 2 : i;
    for (int i = 0; i < pairs; i++)
        for (int k = 0; k < p->inputs.D; k++)
            p->X[k * PROCESS_MAX_N + 2 * i + 1] = p->X[k * PROCESS_MAX_N + 2 * i];
    p->series.design = design;
    process_set(p);
}

static void check(struct process *p, const int *design, double bound)
{
    double mean[PROCESS_MAX_N], var[PROCESS_MAX_N];
    const int n = p->inputs.n;
    assert_int_equal(ckg__gp_leave_out(&p->gp, &p->series, NULL, &p->arena, mean, var), CKG_OK);
    for (int first = 0, next; first < n; first = next) {
        double want_mean, want_var;
        for (next = first + 1; next < n && design[next] == design[first]; next++)
            ;
        brute_force(p, first, next, &want_mean, &want_var);
        for (int i = first; i < next; i++) {
            assert_near(mean[i], want_mean, bound);
            assert_near(var[i], want_var, bound);
        }
    }
}

static void test_against_brute_force(void **state)
{
    static const double precisions[] = {0, 1, INFINITY};
    (void)state;
    for (int noise = ESTIMATED; noise <= MIXED; noise++)
        for (int which = 0; which < 3; which++) {
            struct process p;
            int design[PROCESS_MAX_N];
            process_make(&p, CKG__RBF, 1 + which, 24, (enum process_noise)noise, 5 + (uint64_t)which);
            p.inputs.mean_precision = precisions[which];
            p.inputs.linear = which == 2;
            pair_rows(&p, design, noise == MIXED || noise == ESTIMATED ? 4 : 0);
            check(&p, design, noise == EXACT || noise == MIXED ? 1e-4 : 1e-9);
            process_free(&p);
        }
}

/* Without other designs the prior answers. */
static void test_alone(void **state)
{
    (void)state;
    for (int n = 1; n <= 2; n++) {
        struct process p;
        int design[PROCESS_MAX_N];
        double mean[2], var[2];
        process_make(&p, CKG__RBF, 2, n, ESTIMATED, 3);
        pair_rows(&p, design, n - 1);
        assert_int_equal(ckg__gp_leave_out(&p.gp, &p.series, NULL, &p.arena, mean, var), CKG_OK);
        for (int i = 0; i < n; i++) {
            assert_near(mean[i], 0, 1e-12);
            assert_near(var[i], p.gp.k.s2, 1e-9);
        }
        process_free(&p);
    }
}

int main(void)
{
    return RUN_TESTS(test_against_brute_force, test_alone);
}
