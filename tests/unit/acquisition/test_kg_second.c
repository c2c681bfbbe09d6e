/*
 * What a second evaluation is expected to gain: against models that are really conditioned on what the first
 * one shows, node by node and place by place.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include <ckg/status.h>

#include "acquisition/kg_second.h"
#include "support/near.h"
#include "support/process.h"
#include "support/scale.h"
#include "support/test.h"

enum { POINTS = 7, NODES = 3, MODELS = 6, PLACES = 3 };

struct model {
    struct process process[2];
    struct ckg__belief belief;
    struct ckg__arena keep, scratch;
    double U[2 * (POINTS + 1)], gain[POINTS + 1]; /* the last point is x⁺ */
    struct ckg__nodes nodes;
    struct ckg__shown shown;
};

static const double z_c[NODES] = {-1.1, 0.1, 1.3};

static void model_make(struct model *m, uint64_t seed)
{
    ckg__arena_init(&m->keep);
    ckg__arena_init(&m->scratch);
    m->belief = (struct ckg__belief){
        .outcomes = 2, .penalty = -3, .lower = {0, -0.6}, .upper = {0, seed % 4 ? INFINITY : 0.5}};
    for (int j = 0; j < 2; j++) {
        process_make(&m->process[j], CKG__RBF, 2, 5 + j, ESTIMATED, seed + (uint64_t)j);
        m->belief.gp[j] = &m->process[j].gp;
    }
    random_points(&m->process[0].rng, 2, POINTS + 1, m->U);
    m->nodes = (struct ckg__nodes){NODES, 1, z_c};
    assert_int_equal(ckg__shown_make(&m->shown, &m->belief, 2, 1, &m->keep), CKG_OK);
}

static void model_free(struct model *m)
{
    for (int j = 0; j < 2; j++)
        process_free(&m->process[j]);
    ckg__arena_free(&m->keep);
    ckg__arena_free(&m->scratch);
}

/* cKG on the first `count` points, as the processes are now. */
static struct ckg__kg make_kg(struct model *m, int count)
{
    struct ckg__kg kg = {.belief = &m->belief, .nodes = &m->nodes, .m = count, .gain = m->gain};
    double log_pf[POINTS + 1];

    assert_int_equal(ckg__belief_views(&m->belief, count, m->U, POINTS + 1, &m->keep, kg.view), CKG_OK);
    ckg__belief_log_feasible(&m->belief, kg.view, log_pf);
    for (int p = 0; p < count; p++) {
        m->gain[p] = kg.view[0].mean[p] - m->belief.penalty;
        kg.r = m->gain[p] * exp(log_pf[p]) > m->gain[kg.r] * exp(log_pf[kg.r]) ? p : kg.r;
    }
    return kg;
}

/* The largest cKG at the places and at x⁺, once the processes know what is shown there. */
static double largest_after(struct model *m, const double *z, int places, const int *place)
{
    const double u[2] = {m->U[POINTS], m->U[2 * POINTS + 1]};
    int rows[2];
    double best = 0;

    /* The processes take it in. */
    for (int j = 0; j < 2; j++) {
        struct ckg__view at;
        double noise;
        struct ckg__noise of = {.var = &noise};
        assert_int_equal(ckg__view_make(&at, m->belief.gp[j], 1, u, 1, &m->keep), CKG_OK);
        ckg__posterior_noise(m->belief.gp[j], 1, u, 1, at.mean, at.var, &of);
        rows[j] = ckg__gp_rows(m->belief.gp[j]);
        assert_int_equal(
            ckg__gp_append(m->belief.gp[j], -1, u, at.mean[0] + sqrt(at.var[0] + noise) * z[j], noise),
            CKG_OK);
    }

    /* What an evaluation gains then. */
    const struct ckg__kg kg = make_kg(m, POINTS + 1);
    for (int t = 0; t <= places; t++) {
        const int p = t < places ? place[t] : POINTS;
        const double v[2] = {m->U[p], m->U[POINTS + 1 + p]};
        double value;
        assert_int_equal(ckg__kg_value_at(&kg, v, &m->scratch, &value), CKG_OK);
        best = fmax(best, value);
    }
    for (int j = 0; j < 2; j++)
        ckg__gp_truncate(m->belief.gp[j], rows[j]);
    return best;
}

static void check_model(uint64_t seed)
{
    struct model m;
    double want = 0;
    double value;

    model_make(&m, seed);
    const double u[2] = {m.U[POINTS], m.U[2 * POINTS + 1]};
    const struct ckg__kg kg = make_kg(&m, POINTS);
    struct ckg__kg_second second = {.kg = &kg, .U = m.U, .ldu = POINTS + 1, .shown = &m.shown};
    assert_int_equal(ckg__kg_second_make(&second, PLACES, &m.keep, &m.scratch), CKG_OK);
    assert_int_equal(second.tries, PLACES);
    assert_int_equal(ckg__kg_second_value(&second, u, &m.scratch, &value), CKG_OK);

    /* kg's gains are those of now; the check below makes others. */
    for (int i = 0; i < m.shown.count; i++)
        want += m.shown.weight[i] * largest_after(&m, m.shown.z + 2 * i, PLACES, second.place);
    print_message("%.8g, with conditioned models %.8g\n", value, want);
    assert_true(want > 1e-4);
    assert_near(value, want, 1e-6 * want);
    model_free(&m);
}

static void test_against_conditioned_models(void **state)
{
    (void)state;
    for (int i = 0; i < test_scale(MODELS, 2); i++)
        check_model(200 + 2 * (uint64_t)i);
}

/* The places are those where cKG is largest now, the best first. */
static void test_places(void **state)
{
    struct model m;
    double value[POINTS];

    (void)state;
    model_make(&m, 300);
    const struct ckg__kg kg = make_kg(&m, POINTS);
    struct ckg__kg_second second = {.kg = &kg, .U = m.U, .ldu = POINTS + 1, .shown = &m.shown};
    assert_int_equal(ckg__kg_second_make(&second, POINTS + 5, &m.keep, &m.scratch), CKG_OK);
    assert_int_equal(second.tries, POINTS);
    for (int t = 0; t < POINTS; t++) {
        const double u[2] = {m.U[second.place[t]], m.U[POINTS + 1 + second.place[t]]};
        assert_int_equal(ckg__kg_value_at(&kg, u, &m.scratch, &value[t]), CKG_OK);
        assert_true(!t || value[t] <= value[t - 1] + 1e-12);
    }
    assert_true(value[0] > value[POINTS - 1]);
    model_free(&m);
}

int main(void)
{
    return RUN_TESTS(test_against_conditioned_models, test_places);
}
