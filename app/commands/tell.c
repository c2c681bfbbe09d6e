/* ckg tell: the result of a trial that was asked for. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "evaluate/machine.h"

static const struct app_option options[] = {
    {"failed", 0, "WHY", "the evaluation failed, and why"},
    {0},
};

/*
 * NAME=VALUE, where a name may hold an equals sign itself: the outcome whose name and an equals sign begin
 * the word.
 */
static int read_word(const struct app_definition *d, const char *word, ckg_measurement *out, int *given,
                     struct app_message *message)
{
    int outcome = -1;
    size_t length = 0;
    for (int j = 0; j <= d->K; j++) {
        const size_t size = strlen(d->outcomes[j].name);
        if (!strncmp(word, d->outcomes[j].name, size) && word[size] == '=' && size >= length) {
            outcome = j;
            length = size;
        }
    }
    if (outcome < 0)
        return app_fail(message, CKG_ERR_INVALID,
                        "'%s' is not NAME=VALUE with the name of the objective or of a constraint", word);
    json_t *value = json_loads(word + length + 1, JSON_DECODE_ANY | JSON_DECODE_INT_AS_REAL, NULL);
    if (!value)
        return app_fail(message, CKG_ERR_INVALID,
                        "the value of '%s' is not a number, [number, sd] or null: '%s'",
                        d->outcomes[outcome].name, word + length + 1);
    const int status = app_outcome_read(d, outcome, value, out, given, message);
    json_decref(value);
    return status;
}

static int read_values(const struct app_arguments *a, const struct app_notebook *n, ckg_measurement *measured,
                       int *count)
{
    int status = CKG_OK;
    *count = 0;
    for (int i = 1; !status && i < a->count; i++) {
        int given;
        ckg_measurement one;
        status = read_word(&n->definition, a->rest[i], &one, &given, n->message);
        for (int k = 0; !status && k < *count; k++)
            if (measured[k].outcome == one.outcome)
                status = app_fail(n->message, CKG_ERR_INVALID, "'%s' stands twice",
                                  n->definition.outcomes[one.outcome].name);
        if (!status && given)
            measured[(*count)++] = one;
    }
    if (!status && !*count)
        status = app_fail(n->message, CKG_ERR_INVALID, "no value is given; NAME=VALUE…, or --failed \"why\"");
    return status;
}

/* Takes the trial from a run that was killed, and ends what that left of it. */
static int take_from_lost(struct app_notebook *n, int number)
{
    struct app_claim claim;
    char machine[256], worker[48];
    app_machine_name(machine);
    const int status = n->store->table->release(n->store, n->study, number, machine, app_process_gone, &claim,
                                                n->message);
    if (status)
        return status;
    if (!claim.number)
        return app_fail(n->message, CKG_ERR_STATE, "trial %d is being evaluated by `ckg run`", number);
    app_worker_word(worker, claim.worker_process, claim.worker_born);
    if (claim.lost)
        app_kill_left(worker, claim.process, claim.born);
    return CKG_OK;
}

/* A trial without a result. */
static int check_trial(const struct app_notebook *n, const char *word, int *number)
{
    char *stop;
    const long value = strtol(word, &stop, 10);
    if (stop == word || *stop || value < 1 || value > n->count)
        return app_fail(n->message, CKG_ERR_INVALID, "there is no trial '%s'; `ckg trials` lists them", word);
    const struct app_trial *t = &n->trials[value - 1];
    *number = (int)value;
    if (t->state != APP_PENDING && t->state != APP_RUNNING)
        return app_fail(n->message, CKG_ERR_STATE, "trial %ld is %s already", value,
                        app_state_name(t->state));
    return CKG_OK;
}

static int tell(const struct app_arguments *a, struct app_notebook *n)
{
    ckg_measurement *measured = calloc((size_t)n->definition.K + 1, sizeof *measured);
    const char *why = app_option(a, "failed");
    struct app_text outcomes = {0};
    int number = 0, count = 0, kept = 0;
    int status = measured ? check_trial(n, a->rest[0], &number)
                          : app_fail(n->message, CKG_ERR_NOMEM, "out of memory");
    if (!status && !why)
        status = read_values(a, n, measured, &count);
    if (!status && n->trials[number - 1].state == APP_RUNNING)
        status = take_from_lost(n, number);
    if (!status && !why)
        app_outcomes_write(&n->definition, count, measured, &outcomes);
    if (outcomes.failed)
        status = app_fail(n->message, CKG_ERR_NOMEM, "out of memory");
    const struct app_record result = {.number = number,
                                      .state = why ? "failed" : "complete",
                                      .outcomes = outcomes.data,
                                      .why = why,
                                      .seconds = NAN,
                                      .failures = why != NULL};
    if (!status)
        status = n->store->table->finish(n->store, n->study, &result, 0, &kept, n->message);
    if (!status && !kept)
        status = app_fail(n->message, CKG_ERR_STATE, "trial %d has been told by another program meanwhile",
                          number);
    app_text_free(&outcomes);
    free(measured);
    return status;
}

static int run(const struct app_arguments *arguments)
{
    struct app_message message;
    struct app_notebook n;
    if (!arguments->count)
        return app_wrong(arguments, "which trial?");
    if (app_option(arguments, "failed") && arguments->count > 1)
        return app_wrong(arguments, "a failed trial has no values");
    int status = app_open(&n, arguments, APP_READ, &message);
    if (status)
        return status;
    const int failed = tell(arguments, &n);
    if (failed)
        status = app_report_failure(&message, failed);
    else if (!app_notebook_sync(&n) && !arguments->quiet) {
        const struct app_trial *t = &n.trials[strtol(arguments->rest[0], NULL, 10) - 1];
        struct app_text line = {0};
        if (arguments->json) {
            app_trial_write(&n.definition, t, &line);
            app_print(&line);
        } else
            printf("trial %d is %s%s\n", t->number, app_state_name(t->state),
                   t->feasible < 0 ? ""
                   : t->feasible   ? " and feasible"
                                   : " and infeasible");
    }
    app_notebook_close(&n);
    return status;
}

const struct app_command app_command_tell = {
    .name = "tell",
    .usage = "STUDY TRIAL NAME=VALUE… | STUDY TRIAL --failed WHY",
    .title = "the result of a trial that was asked for",
    .about = "A value may be [value, sd] where the noise of that one measurement is known. What is not named "
             "has not been measured.",
    .traits = APP_TAKES_STUDY | APP_HAS_JSON,
    .options = options,
    .run = run,
};
