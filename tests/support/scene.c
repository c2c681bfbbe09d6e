#include "support/scene.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>

#include <ckg/status.h>

#include "support/near.h"

void scene_make(struct scene *s, enum ckg__kernel kernel, double shift, uint64_t seed)
{
    static const double lower[] = {0, -INFINITY, -0.4, -0.6}, upper[] = {0, 0.5, INFINITY, 0.8};

    ckg__arena_init(&s->arena);
    s->belief = (struct ckg__belief){.outcomes = SCENE_OUTCOMES};
    s->belief.penalty = -4;
    for (int j = 0; j < SCENE_OUTCOMES; j++) {
        process_make(&s->process[j], kernel, SCENE_D, 8 + 2 * j, j == 2 ? KNOWN : ESTIMATED,
                     seed + (uint64_t)j);
        s->belief.gp[j] = &s->process[j].gp;
        s->belief.lower[j] = lower[j] + shift;
        s->belief.upper[j] = upper[j] + (j == 1 ? -shift : shift);
    }
}

void scene_free(struct scene *s)
{
    for (int j = 0; j < SCENE_OUTCOMES; j++)
        process_free(&s->process[j]);
    ckg__arena_free(&s->arena);
}

struct along {
    struct scene *scene;
    scene_function function;
    double u[SCENE_D];
    int k;
};

static double value_along(void *context, double step)
{
    const struct along *a = context;
    double moved[SCENE_D], value, gradient[SCENE_D];

    memcpy(moved, a->u, sizeof moved);
    moved[a->k] += step;
    assert_int_equal(a->function(a->scene, 1, moved, &value, gradient), CKG_OK);
    return value;
}

double scene_gradient_error(struct scene *s, scene_function function, int m)
{
    double U[SCENE_D * 64], value[64], gradient[SCENE_D * 64], worst = 0;

    assert_true(m <= 64);
    random_points(&s->process[0].rng, SCENE_D, m, U);
    assert_int_equal(function(s, m, U, value, gradient), CKG_OK);
    for (int p = 0; p < m; p++) {
        double largest = 1, error = 0;
        assert_true(isfinite(value[p]));
        for (int k = 0; k < SCENE_D; k++) {
            struct along a = {s, function, {U[p], U[m + p]}, k};
            const double slope = difference(value_along, &a, 3e-4);
            largest = fmax(largest, fabs(slope));
            error = fmax(error, fabs(slope - gradient[k * m + p]));
        }
        assert_near(value_along(&(struct along){s, function, {U[p], U[m + p]}, 0}, 0), value[p],
                    1e-11 * (1 + fabs(value[p])));
        worst = fmax(worst, error / largest);
    }
    return worst;
}
