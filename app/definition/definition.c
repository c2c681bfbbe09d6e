/* A definition as a whole: read from a problem file, written as JSON, freed. What is not in a table is
 * refused. */
#include "definition/definition.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "definition/file_schema.h"

const char *const app_kind_names[] = {
    [CKG_REAL] = "real", [CKG_INTEGER] = "integer", [CKG_CATEGORICAL] = "categorical", NULL};

static const struct app_label unlabelled;

static const struct app_label *label_of(const struct app_label *labels, int i)
{
    return labels && i >= 0 ? &labels[i] : &unlabelled;
}

int app_parameter_names(const struct app_definition *d, const char *names[CKG_MAX_PARAMETERS])
{
    for (int i = 0; i < app_dimension(d); i++)
        names[i] = app_parameter_name(d, i);
    return app_dimension(d);
}

const struct app_fixed *app_fixed_find(const struct app_definition *d, const char *name)
{
    for (int i = 0; i < d->fixed_count; i++)
        if (!strcmp(d->fixed[i].name, name))
            return &d->fixed[i];
    return NULL;
}

int app_listed(const struct app_definition *d, const double *x)
{
    const int count = ckg_problem_designs(d->problem);

    for (int n = 0; n < count; n++) {
        const double *design = ckg_problem_design(d->problem, n);
        int k = 0;
        while (k < app_dimension(d) && design[k] == x[k])
            k++;
        if (k == app_dimension(d))
            return n;
    }
    return -1;
}

int app_carried_find(const struct app_definition *d, const char *name)
{
    for (int i = 0; i < d->carried_count; i++)
        if (!strcmp(d->carried[i].name, name))
            return i;
    return -1;
}

const char *app_carried_text(const struct app_definition *d, int column, const double *x)
{
    const int row = app_listed(d, x);

    return row < 0 ? NULL : d->carried[column].value[row].text;
}

struct app_parameter app_parameter_at(const struct app_definition *d, int i)
{
    struct app_parameter p = {
        .problem = d->problem,
        .index = i,
        .name = ckg_problem_parameter_name(d->problem, i),
        .kind = ckg_problem_parameter_kind(d->problem, i),
        .scale = ckg_problem_parameter_scale(d->problem, i),
        .step = ckg_problem_parameter_step(d->problem, i),
        .count = ckg_problem_categories(d->problem, i),
        .label = *label_of(d->parameter, i),
    };

    p.title = p.label.title ? p.label.title : p.name;
    ckg_problem_parameter_range(d->problem, i, &p.low, &p.high);
    return p;
}

struct app_outcome app_outcome_at(const struct app_definition *d, int j)
{
    struct app_outcome o = {.name = app_outcome_name(d, j),
                            .positive = ckg_problem_positive(d->problem, j),
                            .yesno = ckg_problem_yesno(d->problem, j) == 1,
                            .cost = ckg_problem_separate(d->problem) == 1 ? ckg_problem_cost(d->problem, j)
                                                                          : NAN,
                            .group = ckg_problem_group(d->problem, j),
                            .label = *label_of(d->outcome, j)};

    o.title = o.label.title ? o.label.title : o.name;
    o.noise = ckg_problem_noise(d->problem, j, &o.sd);
    ckg_problem_limits(d->problem, j, &o.min, &o.max);
    ckg_problem_equality(d->problem, j, &o.equal, &o.tolerance);
    return o;
}

const char *app_noise_word(int noise)
{
    return noise == CKG_NOISE_NONE ? "none" : noise == CKG_NOISE_VARYING ? "varying" : "auto";
}

void app_definition_write(const struct app_definition *d, uint64_t seed, struct app_text *out)
{
    struct app_definition seeded = *d;

    seeded.seed = seed;
    app_schema_write(&seeded, &app_schema_file, &seeded, NULL, out);
}

/* --- the file --- */

/* The keys, and what only all of them together say. */
static void read_file(struct app_reader *r, const yaml_node_t *root)
{
    app_reader_keep(r, "auto", &r->out->policy);
    app_reader_keep(r, "model", &r->out->failures);
    if (app_schema_read(r, root, &app_schema_file, r->out))
        return;
    app_check_costs(r, root);
    if (ckg_problem_rules(r->out->problem))
        app_check_rules(r, app_reader_find(r, root, "rules"));
}

static int parse(struct app_definition *out, const char *text, size_t length, const char *path, int is_file,
                 struct app_message *message)
{
    struct app_reader r = {.path = path, .message = message, .out = out, .is_file = is_file};

    const yaml_node_t *root;
    *out = (struct app_definition){
        .initial = -1, .stop.patience = APP_PATIENCE, .evaluate = {.parallel = 1, .pause_after = -1}};
    if (app_node_open(&r, text, length, &root))
        return r.status;
    if (ckg_problem_new(&out->problem))
        app_node_no_memory(&r);
    else
        read_file(&r, root);
    yaml_document_delete(&r.yaml);
    if (r.warnings.length)
        app_reader_keep(&r, r.warnings.data, &out->warnings);
    app_text_free(&r.warnings);
    if (r.status)
        app_definition_free(out);
    return r.status;
}

int app_definition_parse(struct app_definition *out, const char *text, size_t length, const char *path,
                         struct app_message *message)
{
    return parse(out, text, length, path, 0, message);
}

int app_definition_read(struct app_definition *out, const char *path, struct app_message *message)
{
    char *text;
    size_t length;
    *out = (struct app_definition){0};
    int status = app_read_file(path, &text, &length, message);
    if (!status)
        status = parse(out, text, length, path, 1, message);
    free(text);
    return status;
}

/* --- one of one's own that goes on as the store's --- */

static int has_need(const struct app_evaluate *e, const struct app_need *need)
{
    for (int i = 0; i < e->needs.count; i++)
        if (!strcmp(e->needs.pair[i].name, need->name) && !strcmp(e->needs.pair[i].value, need->value))
            return 1;
    return 0;
}

/* What the other needs is needed here too. */
static int join_needs(struct app_definition *d, const struct app_evaluate *from)
{
    struct app_evaluate *to = &d->evaluate;
    const size_t most = (size_t)to->needs.count + (size_t)from->needs.count;
    struct app_need *needs = app_pool_new(&d->pool, most, sizeof *needs);

    if (!needs)
        return 0;
    for (int i = 0; i < to->needs.count; i++)
        needs[i] = to->needs.pair[i];
    to->needs.pair = needs;
    for (int i = from->needs.count - 1; i >= 0; i--)
        if (!has_need(to, &from->needs.pair[i]))
            needs[to->needs.count++] = from->needs.pair[i];
    return 1;
}

int app_definition_follow(struct app_definition *d, struct app_definition *kept, struct app_message *message)
{
    const int joined = join_needs(d, &kept->evaluate);

    /* How far, from which designs, and whether to stop before. */
    d->budget = kept->budget;
    d->initial = kept->initial;
    d->own_count = kept->own_count;
    d->own = kept->own;
    d->stop = kept->stop;
    d->evaluate.ahead = kept->evaluate.ahead;

    /* How designs are chosen. */
    d->policy = kept->policy;
    d->was_ckg = kept->was_ckg;
    d->settings_count = kept->settings_count;
    d->settings = kept->settings;
    d->has_seed = kept->has_seed;
    d->seed = kept->seed;
    d->failures = kept->failures;
    memcpy(d->model, kept->model, sizeof d->model);

    app_pool_join(&d->pool, &kept->pool);
    app_definition_free(kept);
    return joined ? CKG_OK : app_no_memory(message);
}

/* --- freed --- */

void app_definition_free(struct app_definition *d)
{
    ckg_problem_free(d->problem);
    app_pool_free(&d->pool);
    *d = (struct app_definition){0};
}
