/* ckg trials: every trial with its state, parameters, values and feasibility. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
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
    printf("%5d  %-8s %-6s %-8s", t->number, app_state_name(t->state), t->origin,
           t->feasible < 0 ? "-"
           : t->feasible   ? "yes"
                           : "no");
    for (int i = 0; i < d->d; i++)
        printf(" %12s", d->parameters[i].kind == CKG_CATEGORICAL ? d->parameters[i].values[(int)t->x[i]]
                                                                 : app_number_short(t->x[i], number));
    for (int j = 0; j <= d->K; j++)
        printf(" %12s", app_number_short(app_trial_value(t, j), number));
    printf("  %s\n", t->why ? t->why : "");
}

/* One trial with all that is known of it. */
static int print_one(const struct app_notebook *n, const struct app_trial *t, int json)
{
    struct app_text line = {0};
    app_trial_write(&n->definition, t, &line);
    if (json && line.length) { /* as in the list, and the log */
        line.length--;
        app_text_print(&line, ", \"starts\": %d, \"log\": ", t->starts);
        if (t->log)
            app_json_string(&line, t->log);
        else
            app_text_print(&line, "null");
        app_text_print(&line, "}");
        return app_print(&line);
    }
    app_text_free(&line);
    print_head(&n->definition);
    print_row(&n->definition, t);
    if (!isnan(t->seconds))
        printf("%.3g s\n", t->seconds);
    if (t->starts > 1)
        printf("begun %d times\n", t->starts);
    if (t->log)
        printf("the end of its standard error:\n%s%s", t->log,
               t->log[strlen(t->log) - 1] == '\n' ? "" : "\n");
    return APP_DONE;
}

static int print_all(const struct app_notebook *n, int json)
{
    int status = APP_DONE;
    if (!json && n->count)
        print_head(&n->definition);
    for (int i = 0; !status && i < n->count; i++) {
        struct app_text line = {0};
        if (!json) {
            print_row(&n->definition, &n->trials[i]);
            continue;
        }
        app_trial_write(&n->definition, &n->trials[i], &line);
        status = app_print(&line);
    }
    return status;
}

static int run(const struct app_arguments *arguments)
{
    struct app_message message;
    struct app_notebook n;
    char *stop = NULL;
    const long number = arguments->count ? strtol(arguments->rest[0], &stop, 10) : 0;
    if (arguments->count > 1 || (arguments->count && (*stop || number < 1)))
        return app_wrong(arguments,
                         arguments->count > 1 ? "one trial at a time" : "'%s' is not a trial's number",
                         arguments->rest[0]);
    int status = app_open(&n, arguments, APP_READ, &message);
    if (status)
        return status;
    if (number > n.count)
        status = app_wrong(arguments, "there is no trial %ld; the last is %d", number, n.count);
    else
        status = number ? print_one(&n, &n.trials[number - 1], arguments->json)
                        : print_all(&n, arguments->json);
    app_notebook_close(&n);
    return status;
}

const struct app_command app_command_trials = {
    .name = "trials",
    .usage = "STUDY [TRIAL]",
    .title = "every trial with state, parameters, values and feasibility",
    .about = "With a number that trial alone, and the end of what its evaluation wrote on standard error.",
    .traits = APP_TAKES_STUDY | APP_HAS_JSON,
    .run = run,
};
