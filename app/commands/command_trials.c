/* ckg trials: every trial with its state, parameters, values and feasibility. */
#include <stdio.h>
#include <stdlib.h>

#include "api/shapes.h"
#include "command.h"
#include "present/trial_table.h"
#include "present/trial_text.h"

static int print_one(const struct app_arguments *a, struct app_study *n, const struct app_trial *t)
{
    struct app_text out = {0};
    char which[32];

    snprintf(which, sizeof which, "{\"trial\": %d}", t->number);
    if (a->json)
        return app_print_query(a, "trials", which);
    const int status = app_trial_text(n, t, &out);
    if (!status)
        return app_print(a, &out);
    app_text_free(&out);
    return status;
}

static int print_all(const struct app_arguments *a, const struct app_study *n)
{
    struct app_text out = {0};

    if (!n->count)
        return CKG_OK;
    if (!a->json)
        app_trial_table(n, 0, n->count, &out);
    for (int i = 0; a->json && i < n->count; i++) {
        app_trial_write(&n->definition, &n->trials[i], &out);
        app_text_print(&out, "\n");
    }
    return app_print(a, &out);
}

static int run(const struct app_arguments *a, struct app_study *n)
{
    char *stop;

    if (!a->count)
        return print_all(a, n);

    const long number = strtol(a->rest[0], &stop, 10);
    if (*stop || number < 1)
        return app_wrong(a, "'%s' is not the number of a trial", a->rest[0]);
    if (number > n->count)
        return app_wrong(a, "there is no trial %ld; the last is %d", number, n->count);
    return print_one(a, n, &n->trials[number - 1]);
}

const struct app_work app_command_trials = {
    .usage = "STUDY [TRIAL]",
    .about =
        "With a number: that trial alone, with notes, the whole answer of its evaluation, the end of its\n"
        "standard error, and all that was ever said of it: by whom, when, and what it was before.",
    .traits = APP_TAKES_STUDY | APP_HAS_JSON,
    .words = 1,
    .run_study = run,
};
