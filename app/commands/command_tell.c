/* ckg tell: the result of a trial that was asked for. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "evaluate/machine.h"
#include "json/shapes.h"

static const struct app_option options[] = {
    {"failed", 0, "WHY", "the evaluation failed, for this reason", 0},
    {0},
};

/* --- NAME=VALUE --- */

/*
 * The outcome that the word is about, -1: none. A name may hold an equals sign itself: it is the longest one
 * that begins the word with an equals sign behind it. *value is what follows that.
 */
static int find_outcome(const struct app_definition *d, const char *word, const char **value)
{
    int outcome = -1;
    size_t longest = 0;

    for (int j = 0; j <= app_constraints(d); j++) {
        const size_t length = strlen(app_outcome_name(d, j));
        if (!strncmp(word, app_outcome_name(d, j), length) && word[length] == '=' && length >= longest) {
            outcome = j;
            longest = length;
        }
    }
    *value = word + longest + 1;
    return outcome;
}

static int read_word(const struct app_definition *d, const char *word, ckg_measurement *out, int *given,
                     struct app_message *message)
{
    const char *text;
    const int outcome = find_outcome(d, word, &text);

    if (outcome < 0)
        return app_fail(message, CKG_ERR_INVALID,
                        "'%s' is not NAME=VALUE with the name of the objective or of a constraint", word);

    json_t *value = json_loads(text, JSON_DECODE_ANY | JSON_DECODE_INT_AS_REAL, NULL);
    if (!value)
        return app_fail(message, CKG_ERR_INVALID,
                        "the value of '%s' must be a number, [number, sd] or null, not '%s'",
                        app_outcome_name(d, outcome), text);
    const int status = app_outcome_read(d, outcome, value, out, given, message);
    json_decref(value);
    return status;
}

static int is_told(const ckg_measurement *measured, int count, int outcome)
{
    for (int k = 0; k < count; k++)
        if (measured[k].outcome == outcome)
            return 1;
    return 0;
}

static int read_values(const struct app_arguments *a, const struct app_notebook *n, ckg_measurement *measured,
                       int *count)
{
    *count = 0;
    for (int i = 1; i < a->count; i++) {
        ckg_measurement one;
        int given;
        const int status = read_word(&n->definition, a->rest[i], &one, &given, n->message);

        if (status)
            return status;
        if (is_told(measured, *count, one.outcome))
            return app_fail(n->message, CKG_ERR_INVALID, "'%s' is given twice",
                            app_outcome_name(&n->definition, one.outcome));
        if (given)
            measured[(*count)++] = one;
    }

    return *count ? CKG_OK
                  : app_fail(n->message, CKG_ERR_INVALID,
                             "no value is given; write NAME=VALUE…, or --failed \"why\"");
}

/* --- the trial --- */

/* A trial without a result. */
static int find_trial(const struct app_notebook *n, const char *word, int *number)
{
    char *stop;
    const long value = strtol(word, &stop, 10);

    if (stop == word || *stop || value < 1 || value > n->count)
        return app_fail(n->message, CKG_ERR_INVALID, "there is no trial '%s'; `ckg trials` lists them", word);

    const struct app_trial *t = &n->trials[value - 1];
    *number = (int)value;
    if (t->state != APP_PENDING && t->state != APP_RUNNING)
        return app_fail(n->message, CKG_ERR_STATE, "trial %ld is already %s", value,
                        app_state_name(t->state));
    return CKG_OK;
}

/* Takes the trial from a run that was killed, and ends what that left of it. */
static int take_from_lost(struct app_notebook *n, int number)
{
    struct app_claim claim;
    char machine[256];
    char worker[48];

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

/* The result into the store, unless another program was faster. */
static int record(struct app_notebook *n, int number, const char *outcomes, const char *why)
{
    const struct app_record result = {.number = number,
                                      .state = why ? "failed" : "complete",
                                      .outcomes = outcomes,
                                      .why = why,
                                      .seconds = NAN,
                                      .failures = why != NULL};
    int kept = 0;
    const int status = n->store->table->finish(n->store, n->study, &result, 0, &kept, n->message);

    if (!status && !kept)
        return app_fail(n->message, CKG_ERR_STATE, "another program has already told the result of trial %d",
                        number);
    return status;
}

static int tell(const struct app_arguments *a, struct app_notebook *n, int number, ckg_measurement *measured)
{
    const char *why = app_option(a, "failed");
    struct app_text outcomes = {0};
    int count = 0;
    int status = why ? CKG_OK : read_values(a, n, measured, &count);

    if (!status && n->trials[number - 1].state == APP_RUNNING)
        status = take_from_lost(n, number);
    if (!status && !why)
        app_outcomes_write(&n->definition, count, measured, &outcomes);
    if (outcomes.failed)
        status = app_fail(n->message, CKG_ERR_NOMEM, "out of memory");
    if (!status)
        status = record(n, number, outcomes.data, why);
    app_text_free(&outcomes);
    return status;
}

static int print_trial(const struct app_arguments *a, const struct app_definition *d,
                       const struct app_trial *t)
{
    static const char *const feasible[] = {"", " and infeasible", " and feasible"};
    struct app_text line = {0};

    if (a->json)
        app_trial_write(d, t, &line);
    else
        app_text_print(&line, "trial %d is %s%s", t->number, app_state_name(t->state),
                       feasible[t->feasible + 1]);
    return app_print(a, &line);
}

/* The first trial without a value of some outcome may be a slip. */
static void warn(const struct app_notebook *n, int number)
{
    struct app_text line = {0};

    if (app_notebook_lacking(n, number, &line) && line.data)
        fprintf(stderr, "%s\n", line.data);
    app_text_free(&line);
}

/* --- the command --- */

static int check(const struct app_arguments *a)
{
    if (!a->count)
        return app_wrong(a, "which trial?");
    if (app_option(a, "failed") && a->count > 1)
        return app_wrong(a, "a failed trial has no values");
    return CKG_OK;
}

static int run(const struct app_arguments *a, struct app_notebook *n)
{
    ckg_measurement *measured = calloc((size_t)app_constraints(&n->definition) + 1, sizeof *measured);
    int number = 0;
    int status = measured ? find_trial(n, a->rest[0], &number)
                          : app_fail(n->message, CKG_ERR_NOMEM, "out of memory");

    if (!status)
        status = tell(a, n, number, measured);
    free(measured);

    /* It is recorded now, whether it can be read back or not. */
    if (!status && !a->quiet && !app_notebook_sync(n)) {
        warn(n, number);
        status = print_trial(a, &n->definition, &n->trials[number - 1]);
    }
    return status;
}

const struct app_work app_command_tell = {
    .usage = "STUDY TRIAL NAME=VALUE… | STUDY TRIAL --failed WHY",
    .about = "A value may be [value, sd] where the noise of that one measurement is known. An outcome\n"
             "that is not named counts as not measured.",
    .traits = APP_TAKES_STUDY | APP_HAS_JSON,
    .words = APP_ANY_WORDS,
    .options = options,
    .check = check,
    .run_study = run,
};
