/*
 * New Branin by the constrained knowledge gradient: 10 initial designs and 40 more, then the recommendation.
 * Its optimum is −268.788505 at (3.273024, 0.048870).
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include <ckg/ckg.h>

static void evaluate(const double *x, double *values)
{
    const double pi = 3.14159265358979323846;
    const double parabola = x[1] - 5.1 / (4 * pi * pi) * x[0] * x[0] + 5 / pi * x[0] - 6;
    values[0] = -(x[0] - 10) * (x[0] - 10) - (x[1] - 15) * (x[1] - 15);
    values[1] = parabola * parabola + 10 * (1 - 1 / (8 * pi)) * cos(x[0]) + 5;
}

static void check(int status)
{
    if (status) {
        fprintf(stderr, "new_branin: %s\n", ckg_error_message());
        exit(1);
    }
}

int main(void)
{
    ckg_problem *problem;
    ckg_study *study;
    ckg_recommendation *best;
    check(ckg_problem_new(&problem));
    check(ckg_problem_add_real(problem, "x1", -5, 10, CKG_LINEAR));
    check(ckg_problem_add_real(problem, "x2", 0, 15, CKG_LINEAR));
    check(ckg_problem_set_objective(problem, "f", CKG_MINIMIZE));
    check(ckg_problem_add_constraint(problem, "c", -INFINITY, 0));
    check(ckg_problem_set_noise(problem, "f", CKG_NOISE_NONE, 0));
    check(ckg_problem_set_noise(problem, "c", CKG_NOISE_NONE, 0));
    check(ckg_study_new(&study, problem, NULL));
    for (int i = 0; i < 50; i++) {
        ckg_suggestion *next;
        double values[2];
        check(ckg_study_ask(study, &next));
        evaluate(next->x, values);
        check(ckg_study_tell(study, next->trial, values));
        ckg_suggestion_free(next);
    }
    check(ckg_study_recommend(study, NULL, &best));
    printf("recommended design   x1 = %.4f, x2 = %.4f\n", best->x[0], best->x[1]);
    printf("predicted objective  %.3f (sd %.2g)\n", best->mean[0], best->sd[0]);
    printf("predicted constraint %.1e (sd %.1g), at most 0\n", best->mean[1], best->sd[1]);
    printf("probably feasible    %.3f\n", best->probability_feasible);
    ckg_recommendation_free(best);
    ckg_study_free(study);
    ckg_problem_free(problem);
    return 0;
}
