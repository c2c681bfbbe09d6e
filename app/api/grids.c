/*
 * Predictions that pages draw: along each parameter and over two of them, on grids as fine as in the report,
 * from the same nodes; and figures as data.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/api.h"
#include "figure/figure.h"

/* --- predictions on grids --- */

/* A copy of the show whose centre is the design of the object's `at`; without one its own. */
struct view {
    struct app_show show;
    double centre[CKG_MAX_PARAMETERS];
    int x, y; /* parameters that were asked for, -1: none was */
};

/* What is asked for: {"at": design, "x": name, "y": name}, all of them optional. */
static int read_view(struct app_api_study *study, const json_t *in, struct view *v)
{
    struct app_study *n = &study->record;
    const json_t *at = json_object_get(in, "at");
    int status = app_api_view(study);

    v->show = study->view;
    if (!status && at) {
        status = app_design_read(&n->definition, at, v->centre, n->message);
        v->show.centre = v->centre;
    }
    if (!status)
        status = app_api_parameter(n, in, "x", &v->x);
    if (!status)
        status = app_api_parameter(n, in, "y", &v->y);
    return status;
}

/* The values of the nodes, as designs have them. */
static void add_nodes(const struct app_definition *d, int index, const struct app_nodes *nodes,
                      struct app_text *out)
{
    app_json_add_string(out, "parameter", app_parameter_at(d, index).name);
    app_json_add_numbers(out, "values", nodes->count, nodes->value);
}

/* One number of each outcome at each place, a list for each outcome. */
static void add_lists(struct app_text *out, const char *key, const double *numbers, int count, int outcomes)
{
    app_json_open(out, key, '[');
    for (int j = 0; j < outcomes; j++) {
        app_json_open(out, NULL, '[');
        for (int i = 0; i < count; i++)
            app_json_add_drawn(out, numbers[(size_t)i * (size_t)outcomes + (size_t)j]);
        app_json_close(out, ']');
    }
    app_json_close(out, ']');
}

static void add_grid(const struct app_show *s, const struct app_grid *g, struct app_text *out)
{
    const int outcomes = app_constraints(s->definition) + 1;

    add_lists(out, "mean", g->mean, g->count, outcomes);
    add_lists(out, "sd", g->sd, g->count, outcomes);
    app_json_open(out, "chance", '[');
    for (int i = 0; i < g->count; i++)
        app_json_add_drawn(out, g->chance[i]);
    app_json_close(out, ']');
}

static int slices(struct app_api_study *study, json_t *in, struct app_text *out)
{
    struct view v;
    int status = read_view(study, in, &v);

    if (status)
        return status;
    app_json_open(out, NULL, '{');
    app_json_member(out, "at");
    app_design_write(v.show.definition, v.show.centre, out);
    app_json_open(out, "slices", '[');
    for (int i = 0; !status && i < app_dimension(v.show.definition); i++) {
        const int want = v.show.ended <= 500 ? 41 : 21;
        struct app_nodes nodes;
        struct app_grid grid;
        struct app_pool pool = {0};

        app_nodes_make(&nodes, app_parameter_at(v.show.definition, i), want);
        status = app_grid_predict(&grid, &pool, &v.show, i, &nodes, -1, NULL);
        if (!status) {
            app_json_open(out, NULL, '{');
            add_nodes(v.show.definition, i, &nodes, out);
            add_grid(&v.show, &grid, out);
            app_json_close(out, '}');
        }
        app_pool_free(&pool);
    }
    app_json_close(out, ']');
    app_json_close(out, '}');
    return status;
}

static int map(struct app_api_study *study, json_t *in, struct app_text *out)
{
    struct view v;
    struct app_nodes nodes_x;
    struct app_nodes nodes_y;
    struct app_grid grid;
    struct app_pool pool = {0};
    int status = read_view(study, in, &v);

    /* Which two. */
    if (status)
        return status;
    if (app_dimension(v.show.definition) < 2)
        return app_fail(study->record.message, CKG_ERR_STATE, "a map needs two parameters");
    const struct app_figure_options pair = {.x = v.x, .y = v.y};
    app_figure_pair(&v.show, &pair, &v.x, &v.y);
    if (v.x == v.y)
        return app_fail(study->record.message, CKG_ERR_INVALID, "a map needs two different parameters");

    /* Every design of the grid, row by row. */
    const int want = app_show_fineness(&v.show, 2);
    app_nodes_make(&nodes_x, app_parameter_at(v.show.definition, v.x), want);
    app_nodes_make(&nodes_y, app_parameter_at(v.show.definition, v.y), want);
    status = app_grid_predict(&grid, &pool, &v.show, v.x, &nodes_x, v.y, &nodes_y);
    if (!status) {
        app_json_open(out, NULL, '{');
        app_json_member(out, "at");
        app_design_write(v.show.definition, v.show.centre, out);
        app_json_open(out, "x", '{');
        add_nodes(v.show.definition, v.x, &nodes_x, out);
        app_json_close(out, '}');
        app_json_open(out, "y", '{');
        add_nodes(v.show.definition, v.y, &nodes_y, out);
        app_json_close(out, '}');
        add_grid(&v.show, &grid, out);
        app_json_close(out, '}');
    }
    app_pool_free(&pool);
    return status;
}

/* --- figures --- */

static int figure(struct app_api_study *study, json_t *in, struct app_text *out)
{
    const char *name = json_string_value(json_object_get(in, "kind"));
    const struct app_figure_kind *kind = app_figure_kind_named(name);
    struct app_message *message = &study->message;
    struct app_figure_options options = APP_FIGURE_OPTIONS_INIT;
    struct app_figure made = {0};
    struct view v;
    int status = kind ? read_view(study, in, &v)
                      : app_fail(message, CKG_ERR_INVALID, "there is no figure '%s'", name);

    /* What is asked for. */
    if (!status)
        status = app_api_outcome(&study->record, in, "outcome", &options.outcome);
    if (!status && v.x >= 0 && v.x == v.y)
        status = app_fail(message, CKG_ERR_INVALID, "`x` and `y` name the same parameter");

    if (!status) {
        options.x = v.x;
        options.y = v.y;
        options.policy = json_string_value(json_object_get(in, "policy"));
        status = app_figure_make(&made, kind, &v.show, &options);
    }
    if (!status) {
        app_json_open(out, NULL, '{');
        app_json_member(out, "at");
        app_design_write(v.show.definition, v.show.centre, out);
        app_json_member(out, "figure");
        app_figure_write(&made, out);
        app_json_close(out, '}');
    }
    app_figure_free(&made);
    return status;
}

/* --- the rows --- */

#define MODELS .type = APP_TYPE_JSON, .lane = APP_LANE_MODELS

const struct app_action app_grids[] = {
    {.name = "slices", MODELS, .argument = "of", .takes = {{"at", APP_IS_OBJECT, NULL}}, .run = slices},
    {.name = "map",
     MODELS,
     .argument = "of",
     .takes = {{"at", APP_IS_OBJECT, NULL}, {"x", APP_IS_TEXT, NULL}, {"y", APP_IS_TEXT, NULL}},
     .run = map},
    {.name = "figure",
     MODELS,
     .argument = "of",
     .takes = {{"kind", APP_IS_TEXT, "`kind` must be the name of a figure"},
               {"x", APP_IS_TEXT, NULL},
               {"y", APP_IS_TEXT, NULL},
               {"at", APP_IS_OBJECT, NULL},
               {"outcome", APP_IS_TEXT, NULL},
               {"policy", APP_IS_TEXT, NULL}},
     .run = figure},
    {0},
};
