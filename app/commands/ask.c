/* ckg ask: designs for evaluations that people or other programs make. */
#include <math.h>
#include <stdio.h>

#include "command.h"

static const struct app_option options[] = {
    {"number", 'n', "Q", "how many designs; standard: 1"},
    {0},
};

/* Trials that count towards the budget, and how many of these may still be asked for. */
static int check_budget(const struct app_notebook *n, int wanted)
{
    if (n->count + wanted <= n->definition.budget)
        return CKG_OK;
    return app_fail(n->message, CKG_ERR_STATE,
                    "the budget is %d evaluations and %d trials exist: %d more would exceed it; raise "
                    "`budget` in the file",
                    n->definition.budget, n->count, wanted);
}

static int print_trial(const struct app_arguments *a, const struct app_notebook *n, const ckg_suggestion *s,
                       int number)
{
    const struct app_definition *d = &n->definition;
    struct app_text line = {0};
    if (a->json) {
        app_trial_write(d, &n->trials[number - 1], &line);
        return app_print(&line);
    }
    app_text_print(&line, "trial %d:", number);
    for (int i = 0; i < d->d; i++) {
        app_text_print(&line, " %s=", d->parameters[i].name);
        app_design_write_text(&d->parameters[i], s->x[i], &line);
    }
    if (!a->quiet && !isnan(s->probability_feasible))
        app_text_print(&line, "  (expected %s %.4g ± %.2g, feasible with probability %.3g)",
                       d->outcomes[0].name, s->mean[0], s->sd[0], s->probability_feasible);
    return app_print(&line);
}

static int run(const struct app_arguments *arguments)
{
    struct app_message message;
    struct app_notebook n;
    int count;
    if (!app_option_whole(arguments, "number", 1, 100000, 1, &count))
        return APP_WRONG;
    if (arguments->count)
        return app_wrong(arguments, "'%s' is one word too many", arguments->rest[0]);
    int status = app_open(&n, arguments, APP_WRITE, &message);
    if (status)
        return status;
    int failed = app_notebook_turn(&n);
    if (!failed)
        failed = check_budget(&n, count);
    for (int i = 0; !failed && !status && i < count; i++) {
        ckg_suggestion *suggestion;
        int number;
        failed = app_notebook_suggest(&n, 0, &suggestion, &number);
        if (!failed)
            status = print_trial(arguments, &n, suggestion, number);
        ckg_suggestion_free(suggestion);
    }
    if (failed)
        status = app_report_failure(&message, failed);
    app_notebook_close(&n);
    return status;
}

const struct app_command app_command_ask = {
    .name = "ask",
    .usage = "STUDY [-n Q]",
    .title = "designs to evaluate, for people or other programs",
    .about = "The designs are pending until `ckg tell` has their results. Later suggestions take pending "
             "designs into account.",
    .traits = APP_TAKES_STUDY | APP_HAS_JSON | APP_HAS_THREADS,
    .options = options,
    .run = run,
};
