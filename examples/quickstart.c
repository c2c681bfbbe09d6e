/*
 * The lightest can that fits a hand: the sheet metal of a closed cylinder that must hold 500 cm³ and be at
 * most 7 cm wide. Its optimum is known, radius 3.5 cm and height 12.992 cm with 362.7 cm², but the program
 * sees area and volume only where it evaluates them.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include <ckg/ckg.h>

/* x: radius and height in cm; values: area in cm², volume in cm³. */
static void evaluate(const double *x, double *values)
{
    const double pi = 3.14159265358979323846;
    values[0] = 2 * pi * x[0] * (x[0] + x[1]);
    values[1] = pi * x[0] * x[0] * x[1];
}

static void check(int status)
{
    if (status) {
        fprintf(stderr, "quickstart: %s\n", ckg_error_message());
        exit(1);
    }
}

int main(void)
{
    ckg_problem *problem;
    ckg_study *study;
    ckg_recommendation *best;

    /* shown in README.md from here */
    check(ckg_problem_new(&problem));
    check(ckg_problem_add_real(problem, "radius", 1, 3.5, CKG_LINEAR));
    check(ckg_problem_add_real(problem, "height", 1, 20, CKG_LINEAR));
    check(ckg_problem_set_objective(problem, "area", CKG_MINIMIZE));
    check(ckg_problem_add_constraint(problem, "volume", 500, INFINITY));
    check(ckg_problem_set_noise(problem, "area", CKG_NOISE_NONE, 0));
    check(ckg_problem_set_noise(problem, "volume", CKG_NOISE_NONE, 0));
    check(ckg_study_new(&study, problem, NULL));
    for (int i = 0; i < 25; i++) {
        ckg_suggestion *next;
        double values[2];
        check(ckg_study_ask(study, &next));
        evaluate(next->x, values); /* yours: a simulation, a measurement */
        check(ckg_study_tell(study, next->trial, values));
        ckg_suggestion_free(next);
    }
    check(ckg_study_recommend(study, NULL, &best));
    printf("radius %.1f cm, height %.1f cm\n", best->x[0], best->x[1]);
    printf("area %.0f cm2, volume %.0f cm3\n", best->mean[0], best->mean[1]);
    printf("holds 500 cm3 with probability %.2f\n", best->probability_feasible);
    /* to here */

    ckg_recommendation_free(best);
    ckg_study_free(study);
    ckg_problem_free(problem);
    return 0;
}
