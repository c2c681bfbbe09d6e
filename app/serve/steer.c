/*
 * What changes a study, a row each: the body of a request is read as the command of the same name reads its
 * line, the notebook does the rest, and the answer has the shape of that command's --json.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "api/shapes.h"
#include "actions/action_retry.h"
#include "actions/action_tell.h"
#include "serve/desk.h"

/* What stands in the history beside who it was. */
static const char from[] = "ckg serve";

/* --- the body of a request --- */

/* What may stand in it. */
struct member {
    const char *name;
    int (*is)(const json_t *value);
    const char *kind; /* what it must be */
};

static int is_number(const json_t *value)
{
    return json_is_integer(value) && json_integer_value(value) >= 1 &&
           json_integer_value(value) <= 1000000000;
}

static int is_list(const json_t *value)
{
    const json_t *each;
    size_t i;

    json_array_foreach((json_t *)value, i, each)
    {
        if (!is_number(each))
            return 0;
    }
    return json_array_size(value) > 0;
}

static int is_text(const json_t *value)
{
    return json_is_string(value) && json_string_length(value) > 0 &&
           strlen(json_string_value(value)) == json_string_length(value);
}

static int is_truth(const json_t *value)
{
    return json_is_boolean(value);
}

static int is_any(const json_t *value)
{
    return value != NULL;
}

static int is_object(const json_t *value)
{
    return json_is_object(value);
}

#define NUMBER is_number, "a number from 1"
#define LIST is_list, "a list of numbers from 1"
#define TEXT is_text, "a text"
#define TRUTH is_truth, "true or false"
#define OBJECT is_object, "an object"

static const struct member *find_member(const struct member *members, const char *name)
{
    for (; members->name; members++)
        if (!strcmp(members->name, name))
            return members;
    return NULL;
}

/* The body as an object of these members, the caller's to free. What is null is as if it were not there. */
static int read_body(const struct app_notebook *n, const char *text, const struct member *members,
                     json_t **out)
{
    json_error_t error;
    const char *name;
    json_t *value;
    void *next;

    *out = json_loads(text, JSON_REJECT_DUPLICATES, &error);
    if (!*out)
        return app_fail(n->message, CKG_ERR_INVALID, "the body is not JSON: line %d: %.160s", error.line,
                        error.text);
    if (!json_is_object(*out))
        return app_fail(n->message, CKG_ERR_INVALID, "the body must be a JSON object");
    json_object_foreach_safe(*out, next, name, value)
    {
        const struct member *member = find_member(members, name);
        if (!member)
            return app_fail(n->message, CKG_ERR_INVALID, "'%.200s' is nothing that can be said here", name);
        if (json_is_null(value))
            json_object_del(*out, name);
        else if (!member->is(value))
            return app_fail(n->message, CKG_ERR_INVALID, "`%s` must be %s", name, member->kind);
    }
    return CKG_OK;
}

static const char *text_of(const json_t *body, const char *name)
{
    return json_string_value(json_object_get(body, name));
}

static int truth_of(const json_t *body, const char *name)
{
    return json_is_true(json_object_get(body, name));
}

/* --- answers --- */

/* The trial in the shape of --json, with what else should be known. */
static void add_trial(const struct app_notebook *n, int number, const char *note, struct app_text *out)
{
    app_json_open(out, NULL, '{');
    app_trial_add(&n->definition, &n->trials[number - 1], out);
    if (note)
        app_json_add_string(out, "note", note);
    app_json_close(out, '}');
    app_text_print(out, "\n");
}

/* There is such a trial, and it does not run. */
static int check_trial(struct app_notebook *n, json_int_t number)
{
    if (number > n->count)
        return app_fail(n->message, CKG_ERR_NOT_FOUND, "there is no trial %d; the last is %d", (int)number,
                        n->count);
    return app_notebook_release_patiently(n, (int)number, NULL);
}

/* --- tell --- */

static int read_values(const struct app_notebook *n, const json_t *values, struct app_told *told)
{
    const struct app_definition *d = &n->definition;
    ckg_measurement all[CKG_MAX_CONSTRAINTS + 1];
    int count;
    int status = values ? app_outcomes_read(d, values, all, &count, n->message) : CKG_OK;

    /* One by one: what is null is said not to have been measured. */
    for (int j = 0; values && !status && j <= app_constraints(d); j++) {
        const json_t *value = json_object_get(values, app_outcome_name(d, j));
        ckg_measurement measured;
        int given = 0;

        if (value)
            status = app_outcome_read(d, j, value, &measured, &given, n->message);
        if (value && !status)
            status = app_told_add(n, told, j, given, &measured);
    }
    return status;
}

/* The design that was really made: the trial's, but for the parameters that are given. */
static int read_made(const struct app_notebook *n, json_t *at, struct app_told *told)
{
    struct app_text text = {0};

    if (!at)
        return CKG_OK;
    app_design_write(&n->definition, told->x, &text);
    json_t *design = text.data ? json_loads(text.data, 0, NULL) : NULL;
    app_text_free(&text);
    if (!design || json_object_update(design, at)) {
        json_decref(design);
        return app_fail(n->message, CKG_ERR_NOMEM, "out of memory");
    }
    const int status = app_design_read_any(&n->definition, design, told->x, n->message);
    told->moved = 1;
    json_decref(design);
    return status;
}

/* Checks what is said against the trial and makes the change. */
static int record(struct app_notebook *n, json_t *body, int number)
{
    struct app_text command = {0};
    struct app_told told;
    int status = app_told_new(&told, n, number);

    if (status)
        return status;
    told.why = text_of(body, "failed");
    told.note = text_of(body, "note");
    told.replace = truth_of(body, "replace");
    status = read_values(n, json_object_get(body, "values"), &told);
    if (!status)
        status = read_made(n, json_object_get(body, "at"), &told);
    if (!status)
        status = app_told_check(n, &told);

    app_told_words(n, number, &told, from, &command);
    if (!status)
        status = command.failed ? app_fail(n->message, CKG_ERR_NOMEM, "out of memory")
                                : app_told_record(n, number, &told, command.data);
    app_text_free(&command);
    app_told_free(&told);
    return status;
}

static int make_tell(struct app_desk *desk, const struct app_errand *e, struct app_text *out)
{
    static const struct member members[] = {{"trial", NUMBER},
                                            {"values", OBJECT},
                                            {"failed", TEXT},
                                            {"at", OBJECT},
                                            {"note", TEXT},
                                            {"replace", TRUTH},
                                            {0}};
    struct app_notebook *n = &desk->notebook;
    json_t *body;
    int status = read_body(n, e->text, members, &body);
    const json_t *trial = status ? NULL : json_object_get(body, "trial");

    /* Of which trial, and what. */
    if (!status && !trial)
        status = app_fail(n->message, CKG_ERR_INVALID, "which trial? Give its number as `trial`");
    if (!status)
        status = check_trial(n, json_integer_value(trial));
    if (!status)
        status = record(n, body, (int)json_integer_value(trial));

    /* The first trial without a value of some outcome may be a slip. */
    if (!status) {
        struct app_text note = {0};
        const int number = (int)json_integer_value(trial);
        const int lacking = app_notebook_lacking(n, number, &note);
        add_trial(n, number, lacking ? note.data : NULL, out);
        app_text_free(&note);
    }
    json_decref(body);
    return status;
}

/* --- designs --- */

static int make_enqueue(struct app_desk *desk, const struct app_errand *e, struct app_text *out)
{
    static const struct member members[] = {{"parameters", OBJECT}, {0}};
    struct app_notebook *n = &desk->notebook;
    double x[CKG_MAX_PARAMETERS];
    struct app_queued queued;
    struct app_text command = {0};
    struct app_text note = {0};
    json_t *body;
    int status = read_body(n, e->text, members, &body);

    if (!status && !json_object_get(body, "parameters"))
        status = app_fail(n->message, CKG_ERR_INVALID, "which design? Give its `parameters`");
    if (!status)
        status = app_design_read(&n->definition, json_object_get(body, "parameters"), x, n->message);
    if (!status) {
        app_text_print(&command, "ask --at ");
        app_design_write(&n->definition, x, &command);
        app_text_print(&command, " (from %s)", from);
        status = command.failed ? app_fail(n->message, CKG_ERR_NOMEM, "out of memory")
                                : app_notebook_queue(n, x, command.data, &queued);
    }
    if (!status && queued.why)
        app_text_print(&note, "trial %d has the same design and %s", queued.known, queued.why);
    if (!status)
        add_trial(n, queued.number, note.data, out);
    app_text_free(&command);
    app_text_free(&note);
    json_decref(body);
    return status;
}

/* Designs for the bench, which wait until they are told. */
static int make_ask(struct app_desk *desk, const struct app_errand *e, struct app_text *out)
{
    enum { MOST = 100 };
    static const struct member members[] = {{"number", NUMBER}, {0}};
    struct app_notebook *n = &desk->notebook;
    struct app_asked asked = {0};
    json_t *body;
    int status = read_body(n, e->text, members, &body);
    const json_int_t wanted = status || !json_object_get(body, "number")
                                  ? 1
                                  : json_integer_value(json_object_get(body, "number"));

    if (!status && wanted > MOST)
        status = app_fail(n->message, CKG_ERR_INVALID, "`number` must be %d at most", MOST);
    if (!status)
        status = app_notebook_ask(n, (int)wanted, &asked);
    for (int i = 0; i < asked.count; i++)
        add_trial(n, asked.first + i, NULL, out);
    app_asked_free(&asked);
    json_decref(body);
    return status;
}

/* --- mending --- */

/* Which trials the body names, each once, or all that have failed; numbers has room for all trials. */
static int select_trials(struct app_notebook *n, const json_t *body, int *numbers, int *count)
{
    const json_t *list = json_object_get(body, "trials");
    const json_t *each;
    size_t i;
    int status = CKG_OK;

    *count = 0;
    if (!list == !truth_of(body, "failed"))
        return app_fail(n->message, CKG_ERR_INVALID,
                        "which trials? Give their numbers as `trials`, or `failed`");
    if (!list) {
        *count = app_notebook_failed(n, 1, -INFINITY, numbers);
        return *count ? CKG_OK : app_fail(n->message, CKG_ERR_STATE, "no trial has failed");
    }
    json_array_foreach((json_t *)list, i, each)
    {
        const int number = (int)json_integer_value(each);
        int known = 0;

        if (!status)
            status = check_trial(n, number);
        for (int k = 0; !status && k < *count; k++)
            known |= numbers[k] == number;
        if (!status && !known)
            numbers[(*count)++] = number;
    }
    return status;
}

/* All of them in that way, as one change. */
static int mend(struct app_notebook *n, const json_t *body, const char *kind, app_mend_one *one,
                struct app_text *out)
{
    struct app_text command = {0};
    int *numbers = calloc((size_t)n->count + 1, sizeof *numbers);
    int count = 0;
    int status = numbers ? select_trials(n, body, numbers, &count)
                         : app_fail(n->message, CKG_ERR_NOMEM, "out of memory");

    app_text_print(&command, "%s", kind);
    for (int i = 0; i < count; i++)
        app_text_print(&command, " %d", numbers[i]);
    app_text_print(&command, " (from %s)", from);
    if (!status)
        status = command.failed
                     ? app_fail(n->message, CKG_ERR_NOMEM, "out of memory")
                     : app_notebook_mend(n, count, numbers, kind, one, text_of(body, "note"), command.data);
    for (int i = 0; !status && i < count; i++)
        add_trial(n, numbers[i], NULL, out);
    app_text_free(&command);
    free(numbers);
    return status;
}

static int make_discard(struct app_desk *desk, const struct app_errand *e, struct app_text *out)
{
    static const struct member members[] = {
        {"trials", LIST}, {"failed", TRUTH}, {"restore", TRUTH}, {"note", TEXT}, {0}};
    json_t *body;
    int status = read_body(&desk->notebook, e->text, members, &body);

    if (!status && truth_of(body, "restore"))
        status = mend(&desk->notebook, body, "restore", app_mend_restore, out);
    else if (!status)
        status = mend(&desk->notebook, body, "discard", app_mend_discard, out);
    json_decref(body);
    return status;
}

static int make_retry(struct app_desk *desk, const struct app_errand *e, struct app_text *out)
{
    static const struct member members[] = {{"trials", LIST}, {"failed", TRUTH}, {"note", TEXT}, {0}};
    json_t *body;
    int status = read_body(&desk->notebook, e->text, members, &body);

    if (!status)
        status = mend(&desk->notebook, body, "retry", app_mend_retry, out);
    json_decref(body);
    return status;
}

static int make_undo(struct app_desk *desk, const struct app_errand *e, struct app_text *out)
{
    static const struct member members[] = {{"yes", TRUTH}, {0}};
    struct app_last_change last = {0};
    json_t *body;
    int status = read_body(&desk->notebook, e->text, members, &body);

    if (!status)
        status = app_notebook_undo(&desk->notebook, truth_of(body, "yes"), &last);
    if (!status)
        app_undone_write(&last, out);
    app_last_free(&last);
    json_decref(body);
    return status;
}

/* --- going on --- */

/* How it stands with that, once it is so. */
static int hold(struct app_desk *desk, const struct app_errand *e, enum app_holding held,
                struct app_text *out)
{
    static const struct member members[] = {{0}};
    json_t *body;
    int status = read_body(&desk->notebook, e->text, members, &body);

    if (!status)
        status = app_notebook_hold(&desk->notebook, held);
    if (!status)
        app_hold_write_study(&desk->notebook, out);
    json_decref(body);
    return status;
}

static int make_pause(struct app_desk *desk, const struct app_errand *e, struct app_text *out)
{
    return hold(desk, e, APP_HELD, out);
}

static int make_stop(struct app_desk *desk, const struct app_errand *e, struct app_text *out)
{
    return hold(desk, e, APP_STOPPED, out);
}

static int make_resume(struct app_desk *desk, const struct app_errand *e, struct app_text *out)
{
    return hold(desk, e, APP_NOT_HELD, out);
}

/* --- another budget, other limits --- */

/* The limits of the definition as the body has them; null takes one away. */
static int merge_limits(const struct app_notebook *n, json_t *definition, const json_t *limits)
{
    static const struct member members[] = {
        {"min", is_any, ""}, {"max", is_any, ""}, {"equal", is_any, ""}, {"tolerance", is_any, ""}, {0}};
    json_t *constraints = json_object_get(definition, "constraints");
    const char *name;
    const char *key;
    json_t *each;
    json_t *value;

    json_object_foreach((json_t *)limits, name, each)
    {
        json_t *constraint = json_object_get(constraints, name);
        if (!constraint || !json_is_object(each))
            return app_fail(n->message, CKG_ERR_INVALID,
                            "`limits` must have the names of constraints, each with "
                            "an object of min, max, equal or tolerance");
        json_object_foreach(each, key, value)
        {
            if (!find_member(members, key))
                return app_fail(n->message, CKG_ERR_INVALID,
                                "'%.200s' is no limit of '%s'; these are min, max, equal and tolerance", key,
                                name);
            if (json_is_null(value) ? json_object_del(constraint, key) && 0
                                    : json_object_set(constraint, key, value))
                return app_fail(n->message, CKG_ERR_NOMEM, "out of memory");
        }
    }
    return CKG_OK;
}

/* The definition that the study would have with these limits. */
static int redefine(const struct app_notebook *n, const json_t *limits, struct app_definition *now)
{
    struct app_text text = {0};

    app_definition_write(&n->definition, n->seed, &text);
    json_t *definition = text.data ? json_loads(text.data, 0, NULL) : NULL;
    int status = definition ? merge_limits(n, definition, limits)
                            : app_fail(n->message, CKG_ERR_NOMEM, "out of memory");
    char *changed = status ? NULL : json_dumps(definition, JSON_COMPACT);
    if (!status)
        status = changed ? app_definition_parse(now, changed, strlen(changed), "limits", n->message)
                         : app_fail(n->message, CKG_ERR_NOMEM, "out of memory");
    free(changed);
    json_decref(definition);
    app_text_free(&text);
    return status;
}

/* A run keeps to the problem that it began with, and would end by another. */
static int check_idle(const struct app_notebook *n)
{
    int tally[APP_STATES];

    app_notebook_tally(n, tally);
    return tally[APP_RUNNING]
               ? app_fail(n->message, CKG_ERR_STATE,
                          "trials are being evaluated by the limits of before; stop the runs first")
               : CKG_OK;
}

/* The problem and its trials, all at once; or only what that would do. */
static int take_over(struct app_notebook *n, struct app_definition *now, int dry, struct app_text *out)
{
    struct app_difference difference;
    struct app_adapted adapted = {0};
    struct app_edit edit = {.notebook = n};

    app_difference_find(&difference, &n->definition, now);
    int status = difference.refused.text[0]
                     ? app_fail(n->message, CKG_ERR_INVALID, "%.900s", difference.refused.text)
                     : app_notebook_adapt(n, now, &edit, &adapted);
    if (!status && difference.count && !dry)
        status = app_edit_make_problem(&edit, "change (from ckg serve)");
    if (!status)
        app_change_write(&difference, &adapted, out);
    app_adapted_free(&adapted);
    app_edit_free(&edit);
    app_difference_free(&difference);
    return status;
}

/* Nobody chooses a design meanwhile. */
static int change_limits(struct app_notebook *n, const json_t *limits, int dry, struct app_text *out)
{
    struct app_definition now = {0};
    int status = app_notebook_turn(n);

    if (status)
        return status;
    status = check_idle(n);
    if (!status)
        status = redefine(n, limits, &now);
    if (!status)
        status = take_over(n, &now, dry, out);
    app_notebook_turn_give(n);
    app_definition_free(&now);
    return status;
}

static int make_budget(struct app_desk *desk, const struct app_errand *e, struct app_text *out)
{
    static const struct member members[] = {{"budget", NUMBER}, {0}};
    json_t *body;
    int status = read_body(&desk->notebook, e->text, members, &body);

    if (!status && !json_object_get(body, "budget"))
        status = app_fail(&desk->message, CKG_ERR_INVALID, "which `budget`?");
    if (!status)
        status = app_notebook_set_budget(&desk->notebook,
                                         (int)json_integer_value(json_object_get(body, "budget")));
    if (!status)
        app_hold_write_study(&desk->notebook, out);
    json_decref(body);
    return status;
}

static int make_limits(struct app_desk *desk, const struct app_errand *e, struct app_text *out)
{
    static const struct member members[] = {{"limits", OBJECT}, {"dry_run", TRUTH}, {0}};
    json_t *body;
    int status = read_body(&desk->notebook, e->text, members, &body);

    if (!status && !json_object_get(body, "limits"))
        status = app_fail(&desk->message, CKG_ERR_INVALID, "which `limits`?");
    if (!status)
        status = change_limits(&desk->notebook, json_object_get(body, "limits"), truth_of(body, "dry_run"),
                               out);
    json_decref(body);
    return status;
}

/* --- the rows --- */

#define JSON "application/json"
#define LINES "application/x-ndjson"

static const struct app_product actions[] = {
    {.name = "tell", .type = LINES, .whose = APP_HANDS, .steers = 1, .make = make_tell},
    {.name = "enqueue", .type = LINES, .whose = APP_HANDS, .steers = 1, .begins = 1, .make = make_enqueue},
    {.name = "ask", .type = LINES, .whose = APP_HANDS, .steers = 1, .begins = 1, .make = make_ask},
    {.name = "discard", .type = LINES, .whose = APP_HANDS, .steers = 1, .make = make_discard},
    {.name = "retry", .type = LINES, .whose = APP_HANDS, .steers = 1, .make = make_retry},
    {.name = "pause", .type = JSON, .whose = APP_HANDS, .steers = 1, .make = make_pause},
    {.name = "stop", .type = JSON, .whose = APP_HANDS, .steers = 1, .make = make_stop},
    {.name = "resume", .type = JSON, .whose = APP_HANDS, .steers = 1, .make = make_resume},
    {.name = "budget", .type = JSON, .whose = APP_HANDS, .steers = 1, .make = make_budget},
    {.name = "limits", .type = JSON, .whose = APP_HANDS, .steers = 1, .make = make_limits},
    {.name = "undo", .type = JSON, .whose = APP_HANDS, .steers = 1, .make = make_undo},
};

const struct app_product *app_action_named(const char *name)
{
    for (size_t i = 0; i < sizeof actions / sizeof *actions; i++)
        if (!strcmp(actions[i].name, name))
            return &actions[i];
    return NULL;
}
