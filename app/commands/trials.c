/* ckg trials: every trial with its state, parameters, values and feasibility. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "command.h"

static void print_head(const struct app_definition *d)
{
    printf("%5s  %-8s %-6s %-8s", "trial", "state", "origin", "feasible");
    for (int i = 0; i < d->d; i++)
        printf(" %12s", d->parameters[i].name);
    for (int j = 0; j <= d->K; j++)
        printf(" %12s", d->outcomes[j].name);
    printf("  why\n");
}

static void print_row(const struct app_definition *d, const struct app_trial *t)
{
    char number[32];
    printf("%5d  %-8s %-6s %-8s", t->number, app_state_name(t->state), t->origin, t->feasible < 0 ? "-" : t->feasible ? "yes" : "no");
    for (int i = 0; i < d->d; i++)
        printf(" %12s", d->parameters[i].kind == CKG_CATEGORICAL ? d->parameters[i].values[(int)t->x[i]] : app_number_short(t->x[i], number));
    for (int j = 0; j <= d->K; j++)
        printf(" %12s", app_number_short(app_trial_value(t, j), number));
    printf("  %s\n", t->why ? t->why : "");
}

static int run(const struct app_arguments *arguments)
{
    struct app_message message;
    struct app_notebook n;
    if (arguments->count)
        return app_wrong(arguments, "'%s' is one word too many", arguments->rest[0]);
    int status = app_open(&n, arguments, APP_READ, &message);
    if (status)
        return status;
    if (!arguments->json && n.count)
        print_head(&n.definition);
    for (int i = 0; !status && i < n.count; i++) {
        struct app_text line = {0};
        if (!arguments->json) {
            print_row(&n.definition, &n.trials[i]);
            continue;
        }
        app_trial_write(&n.definition, &n.trials[i], &line);
        status = app_print(&line);
    }
    app_notebook_close(&n);
    return status;
}

const struct app_command app_command_trials = {
    .name = "trials",
    .usage = "STUDY",
    .title = "every trial with state, parameters, values and feasibility",
    .traits = APP_TAKES_STUDY | APP_HAS_JSON,
    .run = run,
};
