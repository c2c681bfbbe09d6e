/* ckg score: a policy's value of given designs. */
#include <stdio.h>
#include <stdlib.h>

#include "command.h"
#include "table/table.h"

static const struct app_option options[] = {
    {"at", 0, "FILE", "the designs: CSV with a header, or one JSON object per line; - is standard input"},
    {"policy", 0, "P", "another policy than the study's own"},
    {0},
};

static void print_point(const struct app_definition *d, const char *policy, const double *x, double value,
                        int json)
{
    struct app_text line = {0};
    if (json)
        app_text_print(&line, "{\"parameters\": ");
    app_design_write(d, x, &line);
    if (json)
        app_text_print(&line, ", \"policy\": \"%s\", \"value\": ", policy);
    else
        app_text_print(&line, "  ");
    app_json_number(&line, value);
    if (json)
        app_text_print(&line, "}");
    app_print(&line);
}

static int score(struct app_notebook *n, const char *path, const char *policy, int json)
{
    double *X = NULL, *value = NULL;
    ckg_study *engine;
    int count = 0;
    int status = app_points_read(&n->definition, path, &X, &count, n->message);
    if (!status)
        status = app_notebook_engine(n, &engine);
    if (!status && !(value = calloc((size_t)count + 1, sizeof *value)))
        status = app_fail(n->message, CKG_ERR_NOMEM, "out of memory");
    if (!status && count && ckg_study_score(engine, policy, count, X, value))
        status = app_notebook_fail(n, CKG_ERR_STATE);
    for (int i = 0; !status && i < count; i++)
        print_point(&n->definition, policy, X + (size_t)i * (size_t)n->definition.d, value[i], json);
    free(X);
    free(value);
    return status;
}

static int run(const struct app_arguments *arguments)
{
    struct app_message message;
    struct app_notebook n;
    ckg_policy_info info;
    const char *path = app_option(arguments, "at"), *policy = app_option(arguments, "policy");
    if (!path || arguments->count)
        return app_wrong(arguments, path ? "one word too many" : "at which designs? --at FILE");
    if (policy && ckg_policy_named(policy, &info))
        return app_wrong(arguments, "%s; `ckg policies` lists them", ckg_error_message());
    if (policy && !*info.value)
        return app_wrong(arguments, "the policy %s has no values", policy);
    int status = app_open(&n, arguments, APP_READ, &message);
    if (status)
        return status;
    const int failed = score(&n, path, policy ? policy : n.definition.policy, arguments->json);
    if (failed)
        status = app_report_failure(&message, failed);
    app_notebook_close(&n);
    return status;
}

const struct app_command app_command_score = {
    .name = "score",
    .usage = "STUDY --at FILE [--policy P]",
    .title = "acquisition values at given designs, larger is better",
    .traits = APP_TAKES_STUDY | APP_HAS_JSON | APP_HAS_THREADS,
    .options = options,
    .run = run,
};
