/*
 * bits POLICY SEED COUNT: a study through the C interface. Prints what each suggestion and the recommendation
 * hold, one line each, as hexadecimal numbers: what a study in Python must repeat to the last bit.
 */
#include <stdio.h>
#include <stdlib.h>

#include <ckg/ckg.h>

static void print_numbers(int count, const double *numbers)
{
    for (int i = 0; i < count; i++)
        printf(" %a", numbers[i]);
}

static int define(ckg_problem **problem)
{
    static const char *const alloys[] = {"steel", "brass"};
    int status = ckg_problem_new(problem);

    if (!status)
        status = ckg_problem_add_real(*problem, "wire", 0.05, 2, CKG_LOG);
    if (!status)
        status = ckg_problem_add_integer(*problem, "coils", 2, 15);
    if (!status)
        status = ckg_problem_add_categorical(*problem, "alloy", 2, alloys);
    if (!status)
        status = ckg_problem_set_objective(*problem, "weight", CKG_MINIMIZE);
    if (!status)
        status = ckg_problem_add_constraint(*problem, "stress", -INFINITY, 0);
    return status ? status : ckg_problem_add_rule(*problem, "coils + wire <= 14", NULL);
}

static int step(ckg_study *study)
{
    ckg_suggestion *s = NULL;
    int status = ckg_study_ask(study, &s);

    if (status)
        return status;
    printf("%d %s", s->trial + 1, s->path);
    print_numbers(s->dimension, s->x);
    print_numbers(1 + s->constraints, s->mean);
    print_numbers(1 + s->constraints, s->sd);
    printf(" %a\n", s->value);

    const double wire = s->x[0];
    const double values[] = {wire * wire * (s->x[1] + 2) * (1 + s->x[2]), 1 - wire * s->x[1] / 2};
    status = ckg_study_tell(study, s->trial, values);
    ckg_suggestion_free(s);
    return status;
}

static int finish(ckg_study *study)
{
    ckg_recommendation *r = NULL;
    const int status = ckg_study_recommend(study, NULL, &r);

    if (!status) {
        printf("recommended");
        print_numbers(r->dimension, r->x);
        print_numbers(1 + r->constraints, r->mean);
        print_numbers(1 + r->constraints, r->sd);
        printf(" %a\n", r->utility);
    }
    ckg_recommendation_free(r);
    return status;
}

int main(int count, char **words)
{
    ckg_problem *problem = NULL;
    ckg_study *study = NULL;
    ckg_options options = CKG_OPTIONS_INIT;

    if (count != 4)
        return 2;
    options.policy = words[1];
    options.seed = strtoull(words[2], NULL, 10);
    int status = define(&problem);
    if (!status)
        status = ckg_study_new(&study, problem, &options);
    for (int i = 0; !status && i < atoi(words[3]); i++)
        status = step(study);
    if (!status)
        status = finish(study);
    if (status)
        fprintf(stderr, "%s\n", ckg_error_message());
    ckg_study_free(study);
    ckg_problem_free(problem);
    return status != CKG_OK;
}
