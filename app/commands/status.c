/* ckg status: where a study stands, from its trials alone. */
#include <math.h>
#include <stdio.h>

#include "command.h"

static void print_text(const struct app_notebook *n, const int tally[APP_STATES])
{
    const struct app_definition *d = &n->definition;
    const struct app_trial *best = app_notebook_best(n);
    char number[32];
    printf("%s: %d of %d evaluations", d->name, tally[APP_COMPLETE] + tally[APP_FAILED_TRIAL], d->budget);
    printf(" (%d complete, %d failed), %d running, %d pending\n", tally[APP_COMPLETE],
           tally[APP_FAILED_TRIAL], tally[APP_RUNNING], tally[APP_PENDING]);
    if (n->study || d->has_seed)
        printf("policy %s, seed %llu, %s\n", d->policy, (unsigned long long)n->seed, n->url);
    else
        printf("policy %s, seed not drawn yet, %s\n", d->policy, n->url);
    if (best)
        printf("best feasible: trial %d, %s = %s\n", best->number, d->outcomes[0].name,
               app_number(app_trial_value(best, 0), number));
    else
        printf("nothing feasible has been measured yet\n");
}

static int print_json(const struct app_notebook *n, const int tally[APP_STATES])
{
    const struct app_definition *d = &n->definition;
    const struct app_trial *best = app_notebook_best(n);
    struct app_text out = {0};
    int first = 1;
    app_text_print(&out, "{");
    app_json_key(&out, "study", &first);
    app_json_string(&out, d->name);
    app_text_print(&out, ", \"store\": ");
    app_json_string(&out, n->url);
    app_text_print(&out,
                   ", \"budget\": %d, \"evaluations\": %d, \"complete\": %d, \"failed\": %d, \"running\": "
                   "%d, \"pending\": %d",
                   d->budget, tally[APP_COMPLETE] + tally[APP_FAILED_TRIAL], tally[APP_COMPLETE],
                   tally[APP_FAILED_TRIAL], tally[APP_RUNNING], tally[APP_PENDING]);
    app_text_print(&out, ", \"policy\": \"%s\", \"seed\": ", d->policy);
    if (n->study || d->has_seed)
        app_text_print(&out, "%llu", (unsigned long long)n->seed);
    else
        app_text_print(&out, "null");
    app_text_print(&out, ", \"best_feasible\": ");
    if (best) {
        app_text_print(&out, "{\"trial\": %d, \"objective\": ", best->number);
        app_json_number(&out, app_trial_value(best, 0));
        app_text_print(&out, "}");
    } else
        app_text_print(&out, "null");
    app_text_print(&out, "}");
    return app_print(&out);
}

static int run(const struct app_arguments *arguments)
{
    struct app_message message;
    struct app_notebook notebook;
    int tally[APP_STATES];
    if (arguments->count)
        return app_wrong(arguments, "'%s' is one word too many", arguments->rest[0]);
    int status = app_open(&notebook, arguments, APP_READ, &message);
    if (status)
        return status;
    app_notebook_tally(&notebook, tally);
    if (arguments->json)
        status = print_json(&notebook, tally);
    else
        print_text(&notebook, tally);
    app_notebook_close(&notebook);
    return status;
}

const struct app_command app_command_status = {
    .name = "status",
    .usage = "STUDY",
    .title = "where a study stands",
    .traits = APP_TAKES_STUDY | APP_HAS_JSON,
    .run = run,
};
