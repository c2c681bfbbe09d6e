/* ckg score: a policy's value of given designs. */
#include <stdlib.h>

#include "command.h"
#include "api/shapes.h"
#include "actions/action_import.h"

static const struct app_option options[] = {
    {"at", 0, "FILE", "the designs: CSV with a header, or one JSON object per line; - for standard input", 1},
    {"policy", 0, "P", "score by this policy instead of the study's own", 0},
    {0},
};

static int print_score(const struct app_arguments *a, const struct app_definition *d, const char *policy,
                       const double *x, double value)
{
    struct app_text line = {0};

    if (a->json)
        app_score_write(d, policy, x, value, &line);
    else {
        app_design_write(d, x, &line);
        app_text_print(&line, "  ");
        app_json_number(&line, value);
    }
    return app_print(a, &line);
}

/* The values, and whose they are. */
static int score(struct app_study *n, const char **policy, int count, const double *X, double *value)
{
    ckg_study *engine;
    int status = app_study_engine(n, &engine);

    if (status)
        return status;
    status = ckg_study_score(engine, *policy, count, X, value);
    if (!status)
        status = ckg_study_score_policy(engine, *policy, policy);
    return status ? app_study_fail(n, status) : CKG_OK;
}

static int check(const struct app_arguments *a)
{
    const char *policy = app_option(a, "policy");
    ckg_policy_info info;
    const int status = policy ? app_find_policy(a, policy, &info) : CKG_OK;

    if (!status && policy && !*info.value)
        return app_wrong(a, "the policy %s has no values", policy);
    return status;
}

static int run(const struct app_arguments *a, struct app_study *n)
{
    const struct app_definition *d = &n->definition;
    const char *policy = app_option(a, "policy") ? app_option(a, "policy") : d->policy;
    double *X = NULL;
    int count = 0;
    int status = app_points_read(d, app_option(a, "at"), &X, &count, n->message);
    double *value = calloc((size_t)count + 1, sizeof *value);

    if (!status && !value)
        status = app_no_memory(n->message);
    if (!status && count)
        status = score(n, &policy, count, X, value);
    for (int i = 0; !status && i < count; i++)
        status = print_score(a, d, policy, X + (size_t)i * (size_t)app_dimension(d), value[i]);

    free(X);
    free(value);
    return status;
}

const struct app_work app_command_score = {
    .usage = "STUDY --at FILE [--policy P]",
    .traits = APP_TAKES_STUDY | APP_HAS_JSON | APP_HAS_THREADS | APP_HAS_MODEL,
    .options = options,
    .check = check,
    .run_study = run,
};
