/*
 * What changes a study, a row each: the input is read as the command of the same name reads its line, the
 * record does the rest, and the answer has the shape of that command's --json.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "api/api.h"
#include "api/shapes.h"
#include "actions/action_change.h"
#include "actions/action_pause.h"
#include "actions/action_queue.h"
#include "actions/action_edit.h"
#include "actions/action_retry.h"
#include "actions/action_tell.h"
#include "actions/limits.h"

/* --- the input --- */

static const char *text_of(const json_t *in, const char *name)
{
    return json_string_value(json_object_get(in, name));
}

static int boolean_of(const json_t *in, const char *name)
{
    return json_is_true(json_object_get(in, name));
}

/* --- answers --- */

/* The trial in the shape of --json, with what else should be known. */
static void add_trial(const struct app_study *n, int number, const char *note, struct app_text *out)
{
    app_json_open(out, NULL, '{');
    app_trial_add(&n->definition, &n->trials[number - 1], out);
    if (note)
        app_json_add_string(out, "note", note);
    app_json_close(out, '}');
    app_text_print(out, "\n");
}

/* There is such a trial, and it does not run. */
static int check_trial(struct app_study *n, const json_t *number)
{
    const struct app_trial *t = app_api_trial(n, json_integer_value(number));

    return t ? app_study_release_patiently(n, t->number, NULL) : CKG_ERR_NOT_FOUND;
}

/* --- tell --- */

/* Checks what is said against the trial and makes the change. */
static int record(struct app_api_study *study, json_t *in, int number)
{
    struct app_study *n = &study->record;
    struct app_text command = {0};
    struct app_telling telling;
    int status = app_telling_new(&telling, n, number);

    if (status)
        return status;
    telling.why = text_of(in, "failed");
    telling.note = text_of(in, "note");
    telling.replace = boolean_of(in, "replace");
    status = app_telling_read(n, json_object_get(in, "values"), json_object_get(in, "at"), &telling);
    if (!status)
        status = app_telling_check(n, &telling);

    app_telling_words(n, number, &telling, study->from, &command);
    if (!status)
        status = command.failed ? app_no_memory(n->message)
                                : app_telling_record(n, number, &telling, command.data);
    app_text_free(&command);
    app_telling_free(&telling);
    return status;
}

static int tell(struct app_api_study *study, json_t *in, struct app_text *out)
{
    struct app_study *n = &study->record;
    const int trial = (int)json_integer_value(json_object_get(in, "trial"));
    int status = check_trial(n, json_object_get(in, "trial"));

    if (!status)
        status = record(study, in, trial);

    /* The first trial without a value of some outcome may be a slip. */
    if (!status) {
        struct app_text note = {0};
        const int lacking = app_study_lacking(n, trial, &note);
        add_trial(n, trial, lacking ? note.data : NULL, out);
        app_text_free(&note);
    }
    return status;
}

/* --- designs --- */

static int enqueue(struct app_api_study *study, json_t *in, struct app_text *out)
{
    struct app_study *n = &study->record;
    double x[CKG_MAX_PARAMETERS];
    struct app_queued queued;
    struct app_text command = {0};
    struct app_text note = {0};
    int status = app_design_read(&n->definition, json_object_get(in, "parameters"), x, n->message);

    if (status)
        return status;
    app_text_print(&command, "ask --at ");
    app_design_write(&n->definition, x, &command);
    app_text_print(&command, " (from %s)", study->from);
    status = command.failed ? app_no_memory(n->message) : app_study_queue(n, x, command.data, &queued);
    if (!status && queued.why)
        app_text_print(&note, "trial %d has the same design and %s", queued.known, queued.why);
    if (!status)
        add_trial(n, queued.number, note.data, out);
    app_text_free(&command);
    app_text_free(&note);
    return status;
}

/* Designs for the bench, which wait until they are told. */
static int ask(struct app_api_study *study, json_t *in, struct app_text *out)
{
    enum { MOST = 100 };
    struct app_study *n = &study->record;
    const json_t *number = json_object_get(in, "number");
    const json_int_t wanted = number ? json_integer_value(number) : 1;

    if (wanted > MOST)
        return app_fail(n->message, CKG_ERR_INVALID, "`number` must be %d at most", MOST);
    struct app_asked asked = {0};
    const int status = app_study_ask(n, (int)wanted, &asked);
    for (int i = 0; i < asked.count; i++)
        add_trial(n, asked.first + i, NULL, out);
    app_asked_free(&asked);
    return status;
}

/* --- mending --- */

/* Which trials the input names, each once, or all that have failed; numbers has room for all trials. */
static int select_trials(struct app_study *n, const json_t *in, int *numbers, int *count)
{
    const json_t *list = json_object_get(in, "trials");
    const json_t *each;
    size_t i;
    int status = CKG_OK;

    *count = 0;
    if (!list == !boolean_of(in, "failed"))
        return app_fail(n->message, CKG_ERR_INVALID,
                        "which trials? Give their numbers as `trials`, or `failed`");
    if (!list) {
        *count = app_study_failed(n, 1, -INFINITY, numbers);
        return *count ? CKG_OK : app_fail(n->message, CKG_ERR_STATE, "no trial has failed");
    }
    json_array_foreach((json_t *)list, i, each)
    {
        const int number = (int)json_integer_value(each);
        int known = 0;

        if (!status)
            status = check_trial(n, each);
        for (int k = 0; !status && k < *count; k++)
            known |= numbers[k] == number;
        if (!status && !known)
            numbers[(*count)++] = number;
    }
    return status;
}

/* All of them in that way, as one change. */
static int correction(struct app_api_study *study, const json_t *in, const char *kind,
                      app_correction_make *one, struct app_text *out)
{
    struct app_study *n = &study->record;
    struct app_text command = {0};
    int *numbers = calloc((size_t)n->count + 1, sizeof *numbers);
    int count = 0;
    int status = numbers ? select_trials(n, in, numbers, &count) : app_no_memory(n->message);

    app_text_print(&command, "%s", kind);
    for (int i = 0; i < count; i++)
        app_text_print(&command, " %d", numbers[i]);
    app_text_print(&command, " (from %s)", study->from);
    if (!status)
        status = command.failed
                     ? app_no_memory(n->message)
                     : app_study_correct(n, count, numbers, kind, one, text_of(in, "note"), command.data);
    for (int i = 0; !status && i < count; i++)
        add_trial(n, numbers[i], NULL, out);
    app_text_free(&command);
    free(numbers);
    return status;
}

static int discard(struct app_api_study *study, json_t *in, struct app_text *out)
{
    return boolean_of(in, "restore") ? correction(study, in, "restore", app_correction_restore, out)
                                     : correction(study, in, "discard", app_correction_discard, out);
}

static int retry(struct app_api_study *study, json_t *in, struct app_text *out)
{
    return correction(study, in, "retry", app_correction_retry, out);
}

static int undo(struct app_api_study *study, json_t *in, struct app_text *out)
{
    struct app_last_change last = {0};
    const int status = app_study_undo(&study->record, boolean_of(in, "yes"), &last);

    if (!status)
        app_undone_write(&last, out);
    app_last_free(&last);
    return status;
}

/* --- pausing and resuming --- */

/* Pauses, stops or resumes, and writes the new state. */
static int pause(struct app_api_study *study, enum app_pause_state paused, struct app_text *out)
{
    const int status = app_study_pause(&study->record, paused);

    if (!status)
        app_pause_write_study(&study->record, out);
    return status;
}

static int pause_study(struct app_api_study *study, json_t *in, struct app_text *out)
{
    (void)in;
    return pause(study, APP_PAUSED_BY_USER, out);
}

static int stop(struct app_api_study *study, json_t *in, struct app_text *out)
{
    (void)in;
    return pause(study, APP_STOPPED, out);
}

static int resume(struct app_api_study *study, json_t *in, struct app_text *out)
{
    (void)in;
    return pause(study, APP_NOT_PAUSED, out);
}

/* --- another budget, other limits --- */

int app_api_change(struct app_api_study *study, struct app_definition *now, int dry, struct app_text *out)
{
    struct app_text command = {0};
    struct app_changed changed;

    app_text_print(&command, "change (from %s)", study->from);
    if (command.failed)
        return app_no_memory(study->record.message);
    const int status = app_change(&study->record, now,
                                  &(struct app_changing){.command = dry ? NULL : command.data}, &changed);
    if (!status)
        app_change_write(&changed, out);
    app_changed_free(&changed);
    app_text_free(&command);
    return status;
}

static int set_limits(struct app_api_study *study, json_t *in, struct app_text *out)
{
    struct app_definition now = {0};
    int status = app_limits_apply(&study->record, json_object_get(in, "limits"), &now, study->record.message);

    if (!status)
        status = app_api_change(study, &now, boolean_of(in, "dry_run"), out);
    app_definition_free(&now);
    return status;
}

static int set_budget(struct app_api_study *study, json_t *in, struct app_text *out)
{
    const int budget = (int)json_integer_value(json_object_get(in, "budget"));
    const int status = app_study_set_budget(&study->record, budget);

    if (!status)
        app_pause_write_study(&study->record, out);
    return status;
}

/* --- the rows --- */

#define WRITES .lane = APP_LANE_WRITES
#define MAY(name, check)                                                                                     \
    {                                                                                                        \
        name, APP_IS_##check, NULL                                                                           \
    }
#define MUST(name, check, needed)                                                                            \
    {                                                                                                        \
        name, APP_IS_##check, needed                                                                         \
    }
#define WHICH MAY("trials", COUNTS), MAY("failed", BOOLEAN), MAY("note", TEXT)

const struct app_action app_changes[] = {
    {.name = "tell",
     .type = APP_TYPE_LINES,
     WRITES,
     .takes = {MUST("trial", COUNT, "which trial? Give its number as `trial`"), MAY("values", OBJECT),
               MAY("failed", TEXT), MAY("at", OBJECT), MAY("note", TEXT), MAY("replace", BOOLEAN)},
     .run = tell},
    {.name = "enqueue",
     .type = APP_TYPE_LINES,
     WRITES,
     .traits = APP_BEGINS,
     .takes = {MUST("parameters", OBJECT, "which design? Give its `parameters`")},
     .run = enqueue},
    {.name = "ask",
     .type = APP_TYPE_LINES,
     WRITES,
     .traits = APP_BEGINS,
     .takes = {MAY("number", COUNT)},
     .run = ask},
    {.name = "discard",
     .type = APP_TYPE_LINES,
     WRITES,
     .takes = {WHICH, MAY("restore", BOOLEAN)},
     .run = discard},
    {.name = "retry", .type = APP_TYPE_LINES, WRITES, .takes = {WHICH}, .run = retry},
    {.name = "pause", .type = APP_TYPE_JSON, WRITES, .run = pause_study},
    {.name = "stop", .type = APP_TYPE_JSON, WRITES, .run = stop},
    {.name = "resume", .type = APP_TYPE_JSON, WRITES, .run = resume},
    {.name = "budget",
     .type = APP_TYPE_JSON,
     WRITES,
     .takes = {MUST("budget", COUNT, "which `budget`?")},
     .run = set_budget},
    {.name = "limits",
     .type = APP_TYPE_JSON,
     WRITES,
     .takes = {MUST("limits", OBJECT, "which `limits`?"), MAY("dry_run", BOOLEAN)},
     .run = set_limits},
    {.name = "undo", .type = APP_TYPE_JSON, WRITES, .takes = {MAY("yes", BOOLEAN)}, .run = undo},
    {0},
};
