/* Problems that others in the field compare themselves on. */
#include <math.h>
#include <stddef.h>

#include "problems/problems.h"

static const double pi = 3.14159265358979323846;

static void gramacy(const double *x, double *v)
{
    v[0] = x[0] + x[1];
    v[1] = 1.5 - x[0] - 2 * x[1] - 0.5 * sin(2 * pi * (x[0] * x[0] - 2 * x[1]));
    v[2] = x[0] * x[0] + x[1] * x[1] - 1.5;
}

const struct app_problem app_problem_gramacy = {
    .name = "gramacy",
    .title = "a linear objective over a wavy edge",
    .reference =
        "Gramacy et al., Modeling an augmented Lagrangian for blackbox constrained optimization, 2016",
    .formula = {"x1 + x2", "3/2 - x1 - 2 x2 - sin(2 pi (x1^2 - 2 x2))/2", "x1^2 + x2^2 - 3/2"},
    .d = 2,
    .K = 2,
    .low = {0, 0},
    .high = {1, 1},
    .optimum = 0.5997880520,
    .best = {0.195122689, 0.404665363},
    .infeasible = 2,
    .share = 0.45723,
    .evaluate = gramacy,
};

static void gardner_1(const double *x, double *v)
{
    v[0] = cos(2 * x[0]) * cos(x[1]) + sin(x[0]);
    v[1] = cos(x[0]) * cos(x[1]) - sin(x[0]) * sin(x[1]) - 0.5;
}

const struct app_problem app_problem_gardner_1 = {
    .name = "gardner-1",
    .title = "large feasible stripes",
    .reference = "Gardner et al., Bayesian optimization with inequality constraints, 2014",
    .formula = {"cos(2 x1) cos x2 + sin x1", "cos x1 cos x2 - sin x1 sin x2 - 0.5"},
    .d = 2,
    .K = 1,
    .low = {0, 0},
    .high = {6, 6},
    .optimum = -2,
    .best = {4.712388980, 0},
    .infeasible = 2,
    .share = 0.66509,
    .evaluate = gardner_1,
};

static void gardner_2(const double *x, double *v)
{
    v[0] = sin(x[0]) + x[1];
    v[1] = sin(x[0]) * sin(x[1]) + 0.95;
}

const struct app_problem app_problem_gardner_2 = {
    .name = "gardner-2",
    .title = "two tiny feasible regions",
    .reference = "Gardner et al., Bayesian optimization with inequality constraints, 2014",
    .formula = {"sin x1 + x2", "sin x1 sin x2 + 0.95"},
    .d = 2,
    .K = 1,
    .low = {0, 0},
    .high = {6, 6},
    .optimum = 0.2532358975,
    .best = {4.712388980, 1.253235897},
    .infeasible = 7,
    .share = 0.01768,
    .evaluate = gardner_2,
};

static void hartmann6(const double *x, double *v)
{
    static const double alpha[4] = {1, 1.2, 3, 3.2};
    static const double A[4][6] = {{10, 3, 17, 3.5, 1.7, 8},
                                   {0.05, 10, 17, 0.1, 8, 14},
                                   {3, 3.5, 1.7, 10, 17, 8},
                                   {17, 8, 0.05, 10, 0.1, 14}};
    static const double P[4][6] = {{0.1312, 0.1696, 0.5569, 0.0124, 0.8283, 0.5886},
                                   {0.2329, 0.4135, 0.8307, 0.3736, 0.1004, 0.9991},
                                   {0.2348, 0.1451, 0.3522, 0.2883, 0.3047, 0.6650},
                                   {0.4047, 0.8828, 0.8732, 0.5743, 0.1091, 0.0381}};
    double square = 0;

    v[0] = 0;
    for (int i = 0; i < 4; i++) {
        double sum = 0;
        for (int k = 0; k < 6; k++)
            sum += A[i][k] * (x[k] - P[i][k]) * (x[k] - P[i][k]);
        v[0] -= alpha[i] * exp(-sum);
    }
    for (int k = 0; k < 6; k++)
        square += x[k] * x[k];
    v[1] = sqrt(square) - 1;
}

const struct app_problem app_problem_hartmann6 = {
    .name = "hartmann6",
    .title = "the six-dimensional Hartmann function inside the unit ball",
    .reference = "Letham et al., Constrained Bayesian optimization with noisy experiments, 2019",
    .formula = {"the Hartmann function of six variables", "|x| - 1"},
    .d = 6,
    .K = 1,
    .high = {1, 1, 1, 1, 1, 1},
    .optimum = -3.3223680114,
    .best = {0.201689512, 0.150010692, 0.476873974, 0.275332430, 0.311651616, 0.657300534},
    .share = 0.08075,
    .evaluate = hartmann6,
};

static void ackley10(const double *x, double *v)
{
    double squares = 0;
    double cosines = 0;
    double sum = 0;

    for (int i = 0; i < 10; i++) {
        squares += x[i] * x[i];
        cosines += cos(2 * pi * x[i]);
        sum += x[i];
    }
    v[0] = -20 * exp(-0.2 * sqrt(squares / 10)) - exp(cosines / 10) + 20 + exp(1);
    v[1] = sum;
    v[2] = sqrt(squares) - 5;
}

const struct app_problem app_problem_ackley10 = {
    .name = "ackley10",
    .title = "the ten-dimensional Ackley function with two constraints",
    .reference = "Eriksson and Poloczek, Scalable constrained Bayesian optimization, 2021",
    .formula = {"the Ackley function of ten variables", "x1 + … + x10", "|x| - 5"},
    .d = 10,
    .K = 2,
    .low = {-5, -5, -5, -5, -5, -5, -5, -5, -5, -5},
    .high = {10, 10, 10, 10, 10, 10, 10, 10, 10, 10},
    .optimum = 0,
    .infeasible = 15,
    .share = 2.159e-5,
    .evaluate = ackley10,
};

static void spring(const double *x, double *v)
{
    const double d = x[0];
    const double D = x[1];
    const double N = x[2];

    v[0] = (N + 2) * D * d * d;
    v[1] = 1 - D * D * D * N / (71785 * d * d * d * d);
    v[2] = (4 * D * D - d * D) / (12566 * (D * d * d * d - d * d * d * d)) + 1 / (5108 * d * d) - 1;
    v[3] = 1 - 140.45 * d / (D * D * N);
    v[4] = (d + D) / 1.5 - 1;
}

const struct app_problem app_problem_spring = {
    .name = "spring",
    .title = "the lightest tension/compression spring",
    .reference = "Arora, Introduction to optimum design, 1989; Coello Coello, 2000",
    .formula = {"(x3 + 2) x2 x1^2", "1 - x2^3 x3/(71785 x1^4)",
                "(4 x2^2 - x1 x2)/(12566 (x2 x1^3 - x1^4)) + 1/(5108 x1^2) - 1", "1 - 140.45 x1/(x2^2 x3)",
                "(x1 + x2)/1.5 - 1"},
    .d = 3,
    .K = 4,
    .low = {0.05, 0.25, 2},
    .high = {2, 1.3, 15},
    .optimum = 0.0126652328,
    .best = {0.051689098, 0.356718633, 11.288913376},
    .infeasible = 1,
    .share = 0.00749,
    .evaluate = spring,
};

static void keane10(const double *x, double *v)
{
    double fourth = 0;
    double product = 1;
    double weighted = 0;
    double all = 1;
    double sum = 0;

    for (int i = 0; i < 10; i++) {
        const double c = cos(x[i]) * cos(x[i]);
        fourth += c * c;
        product *= c;
        weighted += (i + 1) * x[i] * x[i];
        all *= x[i];
        sum += x[i];
    }
    v[0] = weighted > 0 ? -fabs(fourth - 2 * product) / sqrt(weighted) : 0;
    v[1] = 0.75 - all;
    v[2] = sum - 75;
}

const struct app_problem app_problem_keane10 = {
    .name = "keane10",
    .title = "Keane's bump in ten dimensions",
    .reference = "Keane, Experiences with optimizers in structural design, 1994",
    .formula = {"-|sum cos^4 xi - 2 prod cos^2 xi|/sqrt(sum i xi^2)", "0.75 - prod xi", "sum xi - 75"},
    .d = 10,
    .K = 2,
    .high = {10, 10, 10, 10, 10, 10, 10, 10, 10, 10},
    .optimum = -0.7473103615,
    .best = {3.123890378, 3.069154878, 3.014282325, 2.957588368, 1.466041364, 0.368058521, 0.363482322,
             0.359120634, 0.354954283, 0.350966643},
    .share = 0.99687,
    .evaluate = keane10,
};
