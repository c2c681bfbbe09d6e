/* The problems of Ungredda and Branke's paper. */
#include <math.h>
#include <stddef.h>

#include "problems/problems.h"

static const double pi = 3.14159265358979323846;

static void mystery(const double *x, double *v)
{
    v[0] = 2 + 0.01 * pow(x[1] - x[0] * x[0], 2) + pow(1 - x[0], 2) + 2 * pow(2 - x[1], 2) +
           7 * sin(0.5 * x[0]) * sin(0.7 * x[0] * x[1]);
    v[1] = -sin(x[0] - x[1] - pi / 8);
}

/* What is the same with and without noise on the constraint. */
#define MYSTERY                                                                                              \
    .d = 2, .K = 1, .low = {0, 0}, .high = {5, 5}, .optimum = -1.1742743289,                                 \
    .best = {2.744951044, 2.352251962}, .share = 0.48292, .evaluate = mystery

const struct app_problem app_problem_mystery = {
    MYSTERY,
    .name = "mystery",
    .title = "two feasible regions, the optimum at the edge of the larger",
    .reference = "Sasena, 2002; Ungredda and Branke, Bayesian optimisation for constrained problems, 2021",
    .formula = {"2 + 0.01 (x2 - x1^2)^2 + (1 - x1)^2 + 2 (2 - x2)^2 + 7 sin(0.5 x1) sin(0.7 x1 x2)",
                "-sin(x1 - x2 - pi/8)"},
};

const struct app_problem app_problem_mystery_noisy_constraints = {
    MYSTERY,
    .name = "mystery-noisy-constraint",
    .title = "mystery with noise of standard deviation 0.1 on its constraint",
    .reference = "Sasena, 2002; the noise is ours",
    .formula = {"as mystery", "as mystery, measured with noise"},
    .constraint_noise = 0.1,
};

static void new_branin(const double *x, double *v)
{
    v[0] = -pow(x[0] - 10, 2) - pow(x[1] - 15, 2);
    v[1] = pow(x[1] - 5.1 / (4 * pi * pi) * x[0] * x[0] + 5 / pi * x[0] - 6, 2) +
           10 * (1 - 1 / (8 * pi)) * cos(x[0]) + 5;
}

const struct app_problem app_problem_new_branin = {
    .name = "new-branin",
    .title = "three small feasible regions where the Branin function is low",
    .reference = "Sasena, 2002; Ungredda and Branke, Bayesian optimisation for constrained problems, 2021",
    .formula = {"-(x1 - 10)^2 - (x2 - 15)^2",
                "(x2 - 5.1/(4 pi^2) x1^2 + 5/pi x1 - 6)^2 + 10 (1 - 1/(8 pi)) cos x1 + 5"},
    .d = 2,
    .K = 1,
    .low = {-5, 0},
    .high = {10, 15},
    .optimum = -268.7885046754,
    .best = {3.273023802, 0.048869745},
    .share = 0.08474,
    .evaluate = new_branin,
};

static void test_function_2_with(double factor, const double *x, double *v)
{
    v[0] = -pow(x[0] - 1, 2) - pow(x[1] - 0.5, 2);
    v[1] = (pow(x[0] - 3, 2) + pow(x[1] + 2, 2)) * factor - 12;
    v[2] = 10 * x[0] + x[1] - 7;
    v[3] = pow(x[0] - 0.5, 2) + pow(x[1] - 0.5, 2) - 0.2;
}

static void test_function_2(const double *x, double *v)
{
    test_function_2_with(exp(-pow(x[1], 7)), x, v);
}

static void test_function_2_printed(const double *x, double *v)
{
    test_function_2_with(1, x, v);
}

/* Both in the same box; the formula of the first constraint is given. */
#define TEST_FUNCTION_2(first)                                                                               \
    .formula = {"-(x1 - 1)^2 - (x2 - 0.5)^2", first, "10 x1 + x2 - 7", "(x1 - 0.5)^2 + (x2 - 0.5)^2 - 0.2"}, \
    .d = 2, .K = 3, .low = {0, 0}, .high = {1, 1}

const struct app_problem app_problem_test_function_2 = {
    TEST_FUNCTION_2("((x1 - 3)^2 + (x2 + 2)^2) exp(-x2^7) - 12"),
    .name = "test-function-2",
    .title = "three constraints that leave two regions; the factor exp(-x2^7) as the authors computed it",
    .reference = "Sasena, 2002; Ungredda and Branke, Bayesian optimisation for constrained problems, 2021",
    .optimum = -0.7483083109,
    .best = {0.201691689, 0.833184861},
    .share = 0.17742,
    .evaluate = test_function_2,
};

const struct app_problem app_problem_test_function_2_printed = {
    TEST_FUNCTION_2("(x1 - 3)^2 + (x2 + 2)^2 - 12"),
    .name = "test-function-2-printed",
    .title = "the same as the paper prints it, without that factor: one region",
    .reference = "Ungredda and Branke, Bayesian optimisation for constrained problems, 2021",
    .optimum = -0.6883828789,
    .best = {0.261617121, 0.121617121},
    .share = 0.11542,
    .evaluate = test_function_2_printed,
};
