/*
 * The controls `random` and `sobol`: uniform over reals, lattices and lists, by chi-square or exactly where
 * the sequence is a net; nothing that is settled or pending again, until a finite problem is exhausted; no
 * model needed, not even a measured objective.
 *
 * Each chi-square is compared with its 99.99 % point. Seeds are fixed: the tests are the same every time.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include <ckg/ckg.h>

#include "base/rng.h"
#include "design/sequence.h"
#include "support/test.h"

enum { LIST = 6, SEED = 11 };

static ckg_study *new_study(ckg_problem *p, const char *policy)
{
    ckg_options options = CKG_OPTIONS_INIT;
    ckg_study *s;

    options.policy = policy;
    options.initial = 0;
    options.seed = SEED;
    must(ckg_problem_set_noise(p, "objective", CKG_NOISE_NONE, 0));
    must(ckg_study_new(&s, p, &options));
    ckg_problem_free(p);
    return s;
}

static ckg_problem *reals(void)
{
    ckg_problem *p;

    must(ckg_problem_new(&p));
    must(ckg_problem_add_real(p, "a", -2, 6, CKG_LINEAR));
    must(ckg_problem_add_real(p, "b", 1e-2, 1e2, CKG_LOG));
    return p;
}

static ckg_problem *lattice(void)
{
    static const char *const values[] = {"p", "q", "r"};
    ckg_problem *p;

    must(ckg_problem_new(&p));
    must(ckg_problem_add_integer(p, "a", -1, 2));
    must(ckg_problem_add_categorical(p, "b", 3, values));
    return p;
}

/* Six designs in two reals, unevenly spread. */
static ckg_problem *list(void)
{
    static const double X[2 * LIST] = {-2, 0.01, -1.99, 0.01, -1.98, 0.01, 0, 1, 5, 50, 6, 100};
    ckg_problem *p = reals();

    must(ckg_problem_set_designs(p, LIST, X));
    return p;
}

/* Cells of equal share: 4 × 4 of the reals, each design of the lattice or the list. */
static int cell_of_reals(const double *x)
{
    return 4 * (int)((x[0] + 2) / 2) + (int)(log10(x[1]) + 2);
}

static int cell_of_lattice(const double *x)
{
    return 3 * (int)(x[0] + 1) + (int)x[1];
}

static int cell_of_list(const double *x)
{
    return x[0] < -1.985 ? x[0] < -1.995 ? 0 : 1 : x[0] < -1 ? 2 : x[0] < 1 ? 3 : x[0] < 5.5 ? 4 : 5;
}

static const struct {
    const char *name;
    ckg_problem *(*make)(void);
    int (*cell)(const double *x);
    int cells;
    double limit; /* 99.99 % of chi-square with cells − 1 degrees of freedom */
} shapes[] = {{"reals", reals, cell_of_reals, 16, 44.26},
              {"lattice", lattice, cell_of_lattice, 12, 37.37},
              {"list", list, cell_of_list, 6, 25.74}};

/* Asks once, cancels, and gives the design. */
static void draw(ckg_study *s, const char *path, double *x)
{
    ckg_suggestion *suggestion;

    must(ckg_study_ask(s, &suggestion));
    assert_string_equal(suggestion->path, path);
    assert_true(isnan(suggestion->value) && isnan(suggestion->mean[0]));
    memcpy(x, suggestion->x, 2 * sizeof *x);
    must(ckg_study_cancel(s, suggestion->trial));
    ckg_suggestion_free(suggestion);
}

static void count(ckg_study *s, const char *path, int draws, int (*cell)(const double *x), int *counts)
{
    memset(counts, 0, 16 * sizeof *counts);
    for (int i = 0; i < draws; i++) {
        double x[2];
        draw(s, path, x);
        counts[cell(x)]++;
    }
}

static void test_random_is_uniform(void **state)
{
    enum { DRAWS = 2400 };

    (void)state;
    for (int i = 0; i < 3; i++) {
        ckg_study *s = new_study(shapes[i].make(), "random");
        const double expected = (double)DRAWS / shapes[i].cells;
        double chi_square = 0;
        int counts[16];
        count(s, "random", DRAWS, shapes[i].cell, counts);
        for (int c = 0; c < shapes[i].cells; c++)
            chi_square += (counts[c] - expected) * (counts[c] - expected) / expected;
        print_message("%s: chi-square %.1f, %.1f allowed\n", shapes[i].name, chi_square, shapes[i].limit);
        assert_true(chi_square <= shapes[i].limit);
        ckg_study_free(s);
    }
}

/*
 * 64 points in two dimensions are a net: one point in each of 64 equal boxes, of any shape 2^-i × 2^-(6−i).
 */
static void test_sobol_is_a_net(void **state)
{
    ckg_study *s = new_study(reals(), "sobol");
    double x[64][2];

    (void)state;
    for (int i = 0; i < 64; i++)
        draw(s, "sobol", x[i]);
    for (int rows = 1; rows <= 64; rows *= 2) {
        int counts[64] = {0};
        for (int i = 0; i < 64; i++)
            counts[(int)((x[i][0] + 2) / 8 * rows) * (64 / rows) +
                   (int)((log10(x[i][1]) + 2) / 4 * (64 / rows))]++;
        for (int c = 0; c < 64; c++)
            assert_int_equal(counts[c], 1);
    }
    ckg_study_free(s);
}

/* In each of its coordinates the sequence fills the values of the lattice, and the list, evenly. */
static void test_sobol_on_lattices(void **state)
{
    int counts[16];

    (void)state;
    ckg_study *s = new_study(lattice(), "sobol");
    count(s, "sobol", 192, cell_of_lattice, counts);
    for (int a = 0; a < 4; a++)
        assert_int_equal(counts[3 * a] + counts[3 * a + 1] + counts[3 * a + 2], 48);
    for (int c = 0; c < 12; c++)
        assert_in_range(counts[c], 13, 19);
    ckg_study_free(s);
    s = new_study(list(), "sobol");
    count(s, "sobol", 192, cell_of_list, counts);
    for (int c = 0; c < LIST; c++)
        assert_in_range(counts[c], 31, 33);
    ckg_study_free(s);
}

/* The point's number is the number of trials, whoever made them. */
static void test_sobol_goes_on(void **state)
{
    ckg_study *s = new_study(reals(), "sobol");
    double cube[2 * 8], x[2];

    (void)state;
    ckg__design_sobol(SEED, 0, 8, 2, cube);
    for (int i = 0; i < 8; i++) {
        int trial;
        if (i % 3 == 1) {
            must(ckg_study_add(s, (double[]){1, 1}, &trial));
            must(ckg_study_tell(s, trial, (double[]){i}));
            continue;
        }
        draw(s, "sobol", x);
        assert_true(fabs((x[0] + 2) / 8 - cube[2 * i]) < 1e-15 &&
                    fabs((log10(x[1]) + 2) / 4 - cube[2 * i + 1]) < 1e-14);
    }
    ckg_study_free(s);
}

/* Evaluated without noise or pending, every design of a finite problem comes once; then there is none. */
static void test_nothing_twice(void **state)
{
    static const char *const policies[] = {"random", "sobol"};

    (void)state;
    for (int i = 0; i < 4; i++) {
        const int shape = 1 + i % 2, pending = i / 2;
        for (int k = 0; k < 2; k++) {
            ckg_study *s = new_study(shapes[shape].make(), policies[k]);
            int counts[16] = {0};
            ckg_suggestion *suggestion;
            for (int t = 0; t < shapes[shape].cells; t++) {
                must(ckg_study_ask(s, &suggestion));
                counts[shapes[shape].cell(suggestion->x)]++;
                if (!pending)
                    must(ckg_study_tell(s, suggestion->trial, (double[]){t}));
                ckg_suggestion_free(suggestion);
            }
            for (int c = 0; c < shapes[shape].cells; c++)
                assert_int_equal(counts[c], 1);
            assert_int_equal(ckg_study_ask(s, &suggestion), CKG_ERR_EXHAUSTED);
            ckg_study_free(s);
        }
    }
}

/* The initial design comes first, and there are no values to score. */
static void test_initial_design_and_scores(void **state)
{
    ckg_options options = CKG_OPTIONS_INIT;
    ckg_problem *p = reals();
    ckg_study *s;
    double x[2], value;

    (void)state;
    options.policy = "random";
    options.initial = 2;
    must(ckg_study_new(&s, p, &options));
    ckg_problem_free(p);
    draw(s, "design", x);
    draw(s, "design", x);
    draw(s, "random", x);
    assert_int_equal(ckg_study_score(s, NULL, 1, x, &value), CKG_ERR_INVALID);
    assert_non_null(strstr(ckg_error_message(), "random"));
    ckg_study_free(s);
}

int main(void)
{
    return RUN_TESTS(test_random_is_uniform, test_sobol_is_a_net, test_sobol_on_lattices, test_sobol_goes_on,
                     test_nothing_twice, test_initial_design_and_scores);
}
