/*
 * What only a program asks that has the study in its own hands, as Python does: no server gives any of it,
 * for a definition says what is run.
 */
#include <math.h>
#include <string.h>

#include "api/api.h"
#include "api/shapes.h"
#include "base/reserve.h"
#include "figure/figure.h"
#include "report/report.h"

static const char *text_of(const json_t *in, const char *name)
{
    return json_string_value(json_object_get(in, name));
}

/* A member of the input as text, in the pool; NULL: there is none, or no memory. */
static const char *dump(const json_t *in, const char *name, struct app_pool *pool)
{
    char *text = json_dumps(json_object_get(in, name), JSON_COMPACT);
    const char *kept = text ? app_pool_copy(pool, text) : NULL;

    app_json_free(text);
    return kept;
}

/* --- the study itself --- */

static int describe(struct app_api_study *study, json_t *in, struct app_text *out)
{
    const struct app_study *n = &study->record;

    (void)in;
    app_json_print(out, "{store:%s definition:", n->url);
    app_definition_write(&n->definition, n->seed, out);
    app_json_close(out, '}');
    return CKG_OK;
}

/* A definition is a text in the input, as it may have what no reader of JSON takes: a seed of 64 bits. */
static int redefine(struct app_api_study *study, json_t *in, struct app_text *out)
{
    const int status = app_study_redefine(&study->record, text_of(in, "definition"));

    return status ? status : describe(study, NULL, out);
}

/* Where there is a file, that says what the problem is. */
static int change(struct app_api_study *study, json_t *in, struct app_text *out)
{
    const char *definition = text_of(in, "definition");
    struct app_study *n = &study->record;
    struct app_definition now = {0};

    if (n->file)
        return app_fail(n->message, CKG_ERR_STATE,
                        "the study has a problem file; change that, and `ckg change` takes it over");
    int status = app_definition_parse(&now, definition, strlen(definition), "the definition", n->message);
    if (!status)
        status = app_api_change(study, &now, 0, out);
    app_definition_free(&now);
    return status;
}

/* --- trials --- */

/* A design of the caller's own, to be evaluated by the caller or, queued, by a run. */
static int add(struct app_api_study *study, json_t *in, struct app_text *out)
{
    const int queued = json_is_true(json_object_get(in, "queued"));
    struct app_study *n = &study->record;
    double x[CKG_MAX_PARAMETERS];
    int number = 0;
    int status = app_design_read(&n->definition, json_object_get(in, "parameters"), x, n->message);

    if (!status)
        status = app_design_check(&n->definition, x, n->message);
    if (!status)
        status = app_study_lock(n);
    if (status)
        return status;
    status = app_study_room(n, 1);
    if (!status)
        status = app_study_add(n, x, 0, queued, &number);
    app_study_unlock(n);
    if (!status)
        app_trial_write(&n->definition, &n->trials[number - 1], out);
    return status;
}

/* The next trial of a study that is kept nowhere. */
static int put(struct app_api_study *study, json_t *in, struct app_text *out)
{
    struct app_study *n = &study->record;
    const json_t *seconds = json_object_get(in, "seconds");
    struct app_pool pool = {0};
    const struct app_trial trial = {.number = n->count + 1,
                                    .state = app_state_named(text_of(in, "state")),
                                    .origin = text_of(in, "origin"),
                                    .parameters = dump(in, "parameters", &pool),
                                    .outcomes = dump(in, "values", &pool),
                                    .why = text_of(in, "why"),
                                    .seconds = seconds ? json_number_value(seconds) : NAN,
                                    .chosen_by = text_of(in, "chosen_by"),
                                    .reason = text_of(in, "reason")};
    const int status = n->id ? app_fail(n->message, CKG_ERR_STATE,
                                        "the study is kept in a store, which has its trials")
                       : !trial.parameters || (json_object_get(in, "values") && !trial.outcomes)
                           ? app_no_memory(study->record.message)
                           : app_study_take(n, &trial);

    (void)out;
    app_pool_free(&pool);
    return status;
}

/* --- what is shown --- */

/* The view without what belongs to pages. */
static int look(struct app_api_study *study, struct app_show *out)
{
    const int status = app_api_view(study);

    *out = study->view;
    out->trials_at = NULL;
    out->latest = 0;
    return status;
}

int app_api_report(struct app_api_study *study, json_t *in, struct app_text *out)
{
    struct app_show show;
    const int status = look(study, &show);

    (void)in;
    return status ? status : app_report_make(&show, out);
}

/* The kind of that name; CKG_ERR_NOT_FOUND with all of them. */
static int find_plot(struct app_api_study *study, const char *name, const struct app_figure_kind **out)
{
    struct app_text names = {0};

    for (int i = 0; (*out = app_figure_kinds[i]) && strcmp((*out)->name, name) != 0; i++)
        app_text_print(&names, "%s%s", i ? ", " : "", (*out)->name);
    const int status = *out ? CKG_OK
                            : app_fail(study->record.message, CKG_ERR_NOT_FOUND,
                                       "there is no plot '%s'; there are %s", name,
                                       names.data ? names.data : "");
    app_text_free(&names);
    return status;
}

/* As `ckg plot`, an SVG. */
static int plot(struct app_api_study *study, json_t *in, struct app_text *out)
{
    struct app_figure_options how = {.outcome = -1, .policy = text_of(in, "policy")};
    const struct app_figure_kind *kind = NULL;
    struct app_figure figure;
    struct app_show show;
    int status = find_plot(study, text_of(in, "kind"), &kind);

    if (!status)
        status = app_api_parameter(&study->record, in, "x", &how.x);
    if (!status)
        status = app_api_parameter(&study->record, in, "y", &how.y);
    if (!status && how.x >= 0 && how.x == how.y)
        status = app_fail(study->record.message, CKG_ERR_INVALID, "a plot needs two different parameters");
    if (!status)
        status = look(study, &show);
    if (status)
        return status;
    status = app_figure_make(&figure, kind, &show, &how);
    if (!status && !app_figure_draw(&figure, &app_canvas_svg, 0, 0, out))
        status = app_no_memory(show.record->message);
    app_figure_free(&figure);
    return status;
}

/* --- the rows --- */

#define JSON(what) .name = what, .type = APP_TYPE_JSON
#define MODELS .lane = APP_LANE_MODELS
#define WRITES .lane = APP_LANE_WRITES
#define DEFINITION                                                                                           \
    {                                                                                                        \
        {                                                                                                    \
            "definition", APP_IS_TEXT, "which `definition`?"                                                 \
        }                                                                                                    \
    }
#define TEXT(what)                                                                                           \
    {                                                                                                        \
        what, APP_IS_TEXT, NULL                                                                              \
    }

const struct app_action app_local[] = {
    {JSON("study"), .run = describe},
    {JSON("redefine"), WRITES, .traits = APP_BEGINS, .takes = DEFINITION, .run = redefine},
    {JSON("change"), WRITES, .takes = DEFINITION, .run = change},
    {JSON("add"), WRITES, .traits = APP_BEGINS,
     .takes = {{"parameters", APP_IS_OBJECT, "which design? Give its `parameters`"},
               {"queued", APP_IS_BOOLEAN, NULL}},
     .run = add},
    {JSON("put"),
     .takes = {TEXT("state"),
               TEXT("origin"),
               {"parameters", APP_IS_OBJECT, "which `parameters`?"},
               {"values", APP_IS_OBJECT, NULL},
               TEXT("why"),
               {"seconds", APP_IS_NUMBER, NULL},
               TEXT("chosen_by"),
               TEXT("reason")},
     .run = put},
    {JSON("plot"), MODELS,
     .takes = {{"kind", APP_IS_TEXT, "which `kind` of plot?"}, TEXT("x"), TEXT("y"), TEXT("policy")},
     .run = plot},
    {JSON("report"), MODELS, .run = app_api_report},
    {0},
};
