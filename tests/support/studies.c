#include "support/studies.h"

#include <math.h>
#include <stdio.h>

#include "support/test.h"

ckg_problem *box_problem(int d, double low, double high, int K, double limit)
{
    ckg_problem *problem;
    char name[16];

    must(ckg_problem_new(&problem));
    for (int i = 0; i < d; i++) {
        snprintf(name, sizeof name, "x%d", i);
        must(ckg_problem_add_real(problem, name, low, high, CKG_LINEAR));
    }
    for (int k = 0; k < K; k++) {
        snprintf(name, sizeof name, "c%d", k);
        must(ckg_problem_add_constraint(problem, name, -INFINITY, limit));
    }
    return problem;
}

void set_all_noise(ckg_problem *problem, enum ckg_noise noise, double sd)
{
    for (int j = 0; j <= ckg_problem_constraints(problem); j++)
        must(ckg_problem_set_noise(problem, ckg_problem_outcome_name(problem, j), noise, sd));
}

ckg_study *study_of(ckg_problem *problem, const ckg_options *options)
{
    ckg_study *study;

    must(ckg_study_new(&study, problem, options));
    ckg_problem_free(problem);
    return study;
}

void tell_at(ckg_study *study, const double *x, const double *values)
{
    int trial;

    must(ckg_study_add(study, x, &trial));
    must(ckg_study_tell(study, trial, values));
}

void tell_waves(ckg_study *study, int designs, int noisy)
{
    for (int t = 0; t < designs; t++) {
        const double x[] = {fmod(0.3 + 0.618034 * t, 1), fmod(0.7 + 0.414214 * t, 1)};
        const double values[] = {sin(5 * x[0]) + x[1] + 0.2 * noisy * sin(50 * t), x[0] - x[1],
                                 cos(3 * x[0] * x[1])};
        tell_at(study, x, values);
    }
}

void ask_and_tell(ckg_study *study, int count, void (*evaluate)(const double *x, double *values))
{
    for (int t = 0; t < count; t++) {
        double values[CKG_MAX_CONSTRAINTS + 1];
        ckg_suggestion *suggestion;
        must(ckg_study_ask(study, &suggestion));
        evaluate(suggestion->x, values);
        must(ckg_study_tell(study, suggestion->trial, values));
        ckg_suggestion_free(suggestion);
    }
}

void copy_trials(const ckg_study *from, ckg_study *to)
{
    for (int t = 0; t < ckg_study_trials(from); t++) {
        ckg_trial trial;
        int number;
        must(ckg_study_trial(from, t, &trial));
        must(ckg_study_add(to, trial.x, &number));
        must(trial.state == CKG_COMPLETE ? ckg_study_tell_measured(to, number, trial.count, trial.measured)
             : trial.state == CKG_FAILED ? ckg_study_tell_failed(to, number)
                                         : CKG_OK);
    }
}
