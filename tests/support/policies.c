#include "support/policies.h"
#include "support/studies.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

/* --- contracts × rows --- */

enum { MOST_TESTS = 512, NAME = 96 };

struct pairing {
    const struct policy_contract *contract;
    const struct ckg__policy *row;
    char name[NAME];
};

static void run_pairing(void **state)
{
    const struct pairing *pairing = *state;
    pairing->contract->holds(pairing->row);
}

int policies_run(int count, const struct policy_contract *contracts)
{
    static struct pairing pairings[MOST_TESTS];
    static struct CMUnitTest tests[MOST_TESTS]; /* those without a name are left out */
    const char *only = getenv("CKG_TEST_POLICY");
    int n = 0;
    for (int i = 0; i < ckg_policy_count(); i++)
        for (int c = 0; c < count; c++) {
            ckg_policy_info info;
            if (ckg_policy_at(i, &info) || n == MOST_TESTS)
                return 1;
            if (only && strcmp(only, info.name) != 0)
                continue;
            struct pairing *p = &pairings[n];
            p->contract = &contracts[c];
            p->row = ckg__policy_find(info.name);
            snprintf(p->name, sizeof p->name, "%s: %s", info.name, contracts[c].name);
            tests[n++] = (struct CMUnitTest){.name = p->name, .test_func = run_pairing, .initial_state = p};
        }
    return cmocka_run_group_tests(tests, NULL, NULL);
}

int policy_has_values(const struct ckg__policy *row)
{
    return row->score || row->acquire || row->acting;
}

/* --- the toy --- */

static ckg_problem *toy_problem(const struct toy *toy)
{
    static const char *const names[] = {"c1", "c2"}, *const values[] = {"p", "q", "r"};
    ckg_problem *problem;
    must(ckg_problem_new(&problem));
    if (toy->lattice) {
        must(ckg_problem_add_integer(problem, "x", 0, 3));
        must(ckg_problem_add_categorical(problem, "y", 3, values));
    } else {
        must(ckg_problem_add_real(problem, "x", 0, 5, CKG_LINEAR));
        must(ckg_problem_add_real(problem, "y", 0, 5, CKG_LINEAR));
    }
    must(ckg_problem_set_objective(problem, "f", CKG_MINIMIZE));
    must(ckg_problem_set_noise(problem, "f", toy->noise, 1));
    for (int k = 0; k < toy->K; k++) {
        must(ckg_problem_add_constraint(problem, names[k], -INFINITY, 0.1));
        must(ckg_problem_set_noise(problem, names[k], toy->noise, 0.1));
    }
    return problem;
}

ckg_study *toy_study(const struct toy *toy, const char *policy, int settings, const ckg_setting *setting)
{
    ckg_options options = CKG_OPTIONS_INIT;
    ckg_problem *problem = toy_problem(toy);
    ckg_study *study;
    options.policy = policy;
    options.settings_count = settings;
    options.settings = setting;
    options.seed = 3;
    options.threads = toy->threads ? toy->threads : 1;
    options.initial = TOY_INITIAL;
    options.fit = toy->fit ? toy->fit : "auto";
    options.samples = 3;
    must(ckg_study_new(&study, problem, &options));
    ckg_problem_free(problem);
    return study;
}

void toy_evaluate(const struct toy *toy, int trial, const double *x, double *values)
{
    const double a = x[0], b = toy->lattice ? 1.5 * x[1] : x[1], noisy = toy->noise == CKG_NOISE_NONE ? 0 : 1;
    values[0] = 2 + 0.01 * pow(b - a * a, 2) + pow(1 - a, 2) + 2 * pow(2 - b, 2) +
                7 * sin(0.5 * a) * sin(0.7 * a * b);
    values[0] += noisy * sin(1000.0 * trial + 1);
    if (toy->K > 0)
        values[1] = -sin(a - b - 0.39269908169872414) + 0.1 * noisy * sin(2000.0 * trial + 2);
    if (toy->K > 1)
        values[2] = a + b - 6.5 + 0.1 * noisy * sin(3000.0 * trial + 3);
}

ckg_suggestion *toy_step(ckg_study *study, const struct toy *toy)
{
    ckg_suggestion *s;
    double values[TOY_OUTCOMES];
    must(ckg_study_ask(study, &s));
    toy_evaluate(toy, s->trial, s->x, values);
    must(ckg_study_tell(study, s->trial, values));
    return s;
}

ckg_study *toy_study_told(const struct toy *toy, const char *policy, int told)
{
    ckg_study *study = toy_study(toy, policy, 0, NULL);
    for (int t = 0; t < told; t++) {
        double x[2] = {5 * fmod((t + 0.5) * sqrt(2), 1), 5 * fmod((t + 0.5) * sqrt(5), 1)},
               values[TOY_OUTCOMES];
        if (toy->lattice) {
            x[0] = t % 4;
            x[1] = t / 4 % 3;
        }
        toy_evaluate(toy, t, x, values);
        tell_at(study, x, values);
    }
    return study;
}
