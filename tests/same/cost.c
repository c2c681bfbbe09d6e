/*
 * One suggestion whose instructions scripts/same-cost.sh counts: d parameters, K constraints, n trials told.
 *
 *     cost D K N [POLICY]
 *
 * The problem is that of bench/speed.c. Only the public interface is used.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include <ckg/ckg.h>

enum { MOST = 21 };

static void must(int status)
{
    if (!status)
        return;
    fprintf(stderr, "cost: %s\n", ckg_error_message());
    exit(1);
}

/* A smooth problem of any dimension: a rippled bowl under waves that must stay below a level. */
static void evaluate(int d, int K, const double *x, double *values)
{
    values[0] = 0;
    for (int i = 0; i < d; i++)
        values[0] += (x[i] - 0.4) * (x[i] - 0.4) * 4 + 0.5 * sin(6 * x[i] + i);
    for (int k = 1; k <= K; k++) {
        values[k] = -0.3;
        for (int i = 0; i < d; i++)
            values[k] += sin(3 * x[i] + 1.3 * k + i) / sqrt(d);
    }
}

static ckg_study *make_study(int d, int K, const char *policy)
{
    ckg_options options = CKG_OPTIONS_INIT;
    ckg_problem *problem;
    ckg_study *study;
    char name[16];

    must(ckg_problem_new(&problem));
    must(ckg_problem_set_noise(problem, "objective", CKG_NOISE_NONE, 0));
    for (int i = 0; i < d; i++) {
        snprintf(name, sizeof name, "x%d", i);
        must(ckg_problem_add_real(problem, name, 0, 1, CKG_LINEAR));
    }
    for (int k = 0; k < K; k++) {
        snprintf(name, sizeof name, "c%d", k);
        must(ckg_problem_add_constraint(problem, name, -INFINITY, 0));
        must(ckg_problem_set_noise(problem, name, CKG_NOISE_NONE, 0));
    }
    options.policy = policy;
    options.initial = 0;
    must(ckg_study_new(&study, problem, &options));
    ckg_problem_free(problem);
    return study;
}

int main(int argc, char **argv)
{
    if (argc < 4)
        return 2;
    const int d = atoi(argv[1]), K = atoi(argv[2]), n = atoi(argv[3]);
    ckg_study *study = make_study(d, K, argc > 4 ? argv[4] : "auto");
    ckg_suggestion *suggestion;
    unsigned long long state = 7;

    for (int t = 0; t < n; t++) {
        double x[MOST], values[MOST];
        int trial;

        for (int i = 0; i < d; i++) {
            state = state * 6364136223846793005u + 1442695040888963407u;
            x[i] = (double)(state >> 11) * 0x1p-53;
        }
        evaluate(d, K, x, values);
        must(ckg_study_add(study, x, &trial));
        must(ckg_study_tell(study, trial, values));
    }
    must(ckg_study_ask(study, &suggestion));
    ckg_suggestion_free(suggestion);
    ckg_study_free(study);
    return 0;
}
