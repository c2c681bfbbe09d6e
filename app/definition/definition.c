/* A definition as a whole: written as JSON, compared, freed. */
#include "definition/definition.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "definition/values.h"

static const struct app_label unlabelled;

static const struct app_label *label_of(const struct app_label *labels, int i)
{
    return labels && i >= 0 ? &labels[i] : &unlabelled;
}

const char *app_parameter_title(const struct app_definition *d, int i)
{
    const struct app_label *label = label_of(d->parameter, i);

    return label->title ? label->title : app_parameter_name(d, i);
}

const char *app_outcome_title(const struct app_definition *d, int j)
{
    const struct app_label *label = label_of(d->outcome, j);

    return label->title ? label->title : app_outcome_name(d, j);
}

enum app_type app_category_type(const struct app_definition *d, int parameter, int value)
{
    const struct app_label *label = label_of(d->parameter, parameter);

    return label->types ? (enum app_type)label->types[value] : APP_TEXT;
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

    return row < 0 ? NULL : d->carried[column].text[row];
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
        .title = app_parameter_title(d, i),
        .label = label_of(d->parameter, i),
    };

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
                            .title = app_outcome_title(d, j),
                            .label = label_of(d->outcome, j)};

    o.noise = ckg_problem_noise(d->problem, j, &o.sd);
    ckg_problem_limits(d->problem, j, &o.min, &o.max);
    ckg_problem_equality(d->problem, j, &o.equal, &o.tolerance);
    return o;
}

/* --- as JSON --- */

static const char *goal_name(const struct app_definition *d)
{
    return ckg_problem_goal(d->problem) == CKG_MAXIMIZE ? "maximize" : "minimize";
}

static void add_categories(struct app_text *out, const struct app_parameter *p)
{
    app_json_open(out, "values", '[');
    for (int i = 0; i < p->count; i++)
        app_typed_add(out, NULL, ckg_problem_category(p->problem, p->index, i),
                      p->label->types ? (enum app_type)p->label->types[i] : APP_TEXT);
    app_json_close(out, ']');
}

static void add_parameter(struct app_text *out, const char *key, const struct app_parameter *p)
{
    static const char *const kinds[] = {
        [CKG_REAL] = "real", [CKG_INTEGER] = "integer", [CKG_CATEGORICAL] = "categorical"};

    app_json_open(out, key, '{');
    app_json_add_string(out, "type", kinds[p->kind]);
    if (p->kind == CKG_CATEGORICAL)
        add_categories(out, p);
    else {
        app_json_add_number(out, "low", p->low);
        app_json_add_number(out, "high", p->high);
    }
    if (p->scale == CKG_LOG)
        app_json_add_string(out, "scale", "log");
    if (p->step > 0 && (p->kind == CKG_REAL || p->step != 1))
        app_json_add_number(out, "step", p->step);
    app_label_write(p->label, out);
    app_json_close(out, '}');
}

static void add_fixed(struct app_text *out, const char *key, const struct app_fixed *f)
{
    app_json_open(out, key, '{');
    app_typed_add(out, "value", f->text, f->type);
    app_label_write(&f->label, out);
    app_json_close(out, '}');
}

const char *app_noise_word(int noise)
{
    return noise == CKG_NOISE_NONE ? "none" : noise == CKG_NOISE_VARYING ? "varying" : "auto";
}

static void add_noise(struct app_text *out, const struct app_outcome *o)
{
    if (o->noise == CKG_NOISE_KNOWN)
        app_json_add_number(out, "noise", o->sd);
    else if (!o->yesno)
        app_json_add_string(out, "noise", app_noise_word(o->noise));
    if (o->positive)
        app_json_add_truth(out, "positive", 1);
    if (!isnan(o->cost))
        app_json_add_number(out, "cost", o->cost);
    app_label_write(o->label, out);
}

static void add_limits(struct app_text *out, const struct app_outcome *o)
{
    if (o->yesno) {
        app_json_add_string(out, "type", "yesno");
        return;
    }
    if (o->tolerance > 0) {
        app_json_add_number(out, "equal", o->equal);
        app_json_add_number(out, "tolerance", o->tolerance);
        return;
    }
    if (!isinf(o->min))
        app_json_add_number(out, "min", o->min);
    if (!isinf(o->max))
        app_json_add_number(out, "max", o->max);
}

static void add_constraint(struct app_text *out, const char *key, const struct app_outcome *o)
{
    app_json_open(out, key, '{');
    add_limits(out, o);
    add_noise(out, o);
    app_json_close(out, '}');
}

static void add_policy(struct app_text *out, const struct app_definition *d)
{
    app_json_open(out, "policy", '{');
    app_json_add_string(out, "name", d->policy);
    if (d->was_ckg)
        app_json_add_string(out, "was", d->was_ckg == APP_WAS_CKG ? "ckg" : "ckg, said");
    for (int i = 0; i < d->settings_count; i++)
        app_json_add_number(out, d->settings[i].name, d->settings[i].value);
    app_json_close(out, '}');
}

static void add_parameters(struct app_text *out, const struct app_definition *d)
{
    app_json_open(out, "parameters", '{');
    for (int i = 0; i < app_dimension(d); i++) {
        const struct app_parameter p = app_parameter_at(d, i);

        add_parameter(out, p.name, &p);
    }
    for (int i = 0; i < d->fixed_count; i++)
        add_fixed(out, d->fixed[i].name, &d->fixed[i]);
    app_json_close(out, '}');
}

static void add_rules(struct app_text *out, const struct app_definition *d)
{
    app_json_open(out, "rules", '[');
    for (int i = 0; i < ckg_problem_rules(d->problem); i++)
        app_json_add_string(out, NULL, ckg_problem_rule(d->problem, i));
    app_json_close(out, ']');
}

static void add_outcomes(struct app_text *out, const struct app_definition *d)
{
    const struct app_outcome objective = app_outcome_at(d, 0);

    app_json_open(out, "objective", '{');
    app_json_add_string(out, "name", objective.name);
    add_noise(out, &objective);
    app_json_close(out, '}');

    app_json_open(out, "constraints", '{');
    for (int j = 1; j <= app_constraints(d); j++) {
        const struct app_outcome o = app_outcome_at(d, j);

        add_constraint(out, o.name, &o);
    }
    app_json_close(out, '}');
}

static void add_groups(struct app_text *out, const struct app_definition *d)
{
    app_json_open(out, "groups", '[');
    for (int group = 0; group < ckg_problem_groups(d->problem); group++) {
        app_json_open(out, NULL, '[');
        for (int j = 0; j <= app_constraints(d); j++)
            if (ckg_problem_group(d->problem, j) == group)
                app_json_add_string(out, NULL, app_outcome_name(d, j));
        app_json_close(out, ']');
    }
    app_json_close(out, ']');
}

static void add_designs(struct app_text *out, const char *key, const struct app_definition *d, int count,
                        const double *X)
{
    app_json_open(out, key, '[');
    for (int i = 0; i < count; i++) {
        app_json_member(out, NULL);
        app_design_write(d, X + (size_t)i * (size_t)app_dimension(d), out);
    }
    app_json_close(out, ']');
}

static void add_stop(struct app_text *out, const struct app_stop_rule *stop)
{
    char number[32];

    app_json_open(out, "stop", '{');
    if (stop->percent) {
        app_json_member(out, "gain");
        app_text_print(out, "\"%s%%\"", app_number(stop->gain, number));
    } else
        app_json_add_number(out, "gain", stop->gain);
    app_json_add_integer(out, "patience", stop->patience);
    app_json_close(out, '}');
}

void app_definition_write(const struct app_definition *d, uint64_t seed, struct app_text *out)
{
    app_json_open(out, NULL, '{');
    app_json_add_string(out, "name", d->name);

    /* What is asked, and how it is looked for. */
    app_json_add_string(out, "goal", goal_name(d));
    if (d->budget > 0)
        app_json_add_integer(out, "budget", d->budget);
    if (d->initial >= 0)
        app_json_add_integer(out, "initial", d->initial);
    if (d->stop.gain > 0)
        add_stop(out, &d->stop);
    add_policy(out, d);
    app_json_member(out, "seed");
    app_text_print(out, "%llu", (unsigned long long)seed);
    app_json_add_string(out, "failures", d->failures);
    app_model_write(d, out);

    /* What may be varied, what is measured, and by which command. */
    add_parameters(out, d);
    if (ckg_problem_rules(d->problem))
        add_rules(out, d);
    add_outcomes(out, d);
    if (ckg_problem_groups(d->problem))
        add_groups(out, d);
    if (ckg_problem_designs(d->problem))
        add_designs(out, "choose_from", d, ckg_problem_designs(d->problem),
                    ckg_problem_design(d->problem, 0));
    if (d->own_count)
        add_designs(out, "designs", d, d->own_count, d->own);
    if (d->evaluate.count)
        app_evaluate_write(d, out);
    app_json_close(out, '}');
}

/* --- compared --- */

static int same_parameter(const struct app_parameter *a, const struct app_parameter *b)
{
    int same = a->kind == b->kind && a->scale == b->scale && a->low == b->low && a->high == b->high &&
               a->step == b->step && a->count == b->count;

    for (int i = 0; same && i < a->count; i++)
        same = !strcmp(ckg_problem_category(a->problem, a->index, i),
                       ckg_problem_category(b->problem, b->index, i));
    return same;
}

static int same_noise(const struct app_outcome *a, const struct app_outcome *b)
{
    return a->noise == b->noise && a->sd == b->sd && a->positive == b->positive;
}

static int same_limits(const struct app_outcome *a, const struct app_outcome *b)
{
    return a->yesno == b->yesno && a->min == b->min && a->max == b->max && a->equal == b->equal &&
           a->tolerance == b->tolerance;
}

/* Both sides as they would stand in a file, for a message that shows the difference. */
static int differ(struct app_message *message, const char *what, const char *name, struct app_text *old,
                  struct app_text *now)
{
    app_fail(message, CKG_ERR_INVALID, "%s '%s' was %s and is now %s", what, name, old->data ? old->data : "",
             now->data ? now->data : "");
    app_text_free(old);
    app_text_free(now);
    return CKG_ERR_INVALID;
}

/* Adds what the parameter of that name is. */
static void add_named(const struct app_definition *d, const char *name, struct app_text *out)
{
    const int i = ckg_problem_parameter_find(d->problem, name);
    const struct app_parameter p = i < 0 ? (struct app_parameter){0} : app_parameter_at(d, i);

    if (i < 0)
        add_fixed(out, NULL, app_fixed_find(d, name));
    else
        add_parameter(out, NULL, &p);
}

/* A parameter that is fixed on one side is fixed at the same value on the other. */
static int same_fixed(const struct app_definition *old, const struct app_definition *now, const char *name,
                      struct app_message *message)
{
    const struct app_fixed *a = app_fixed_find(old, name);
    const struct app_fixed *b = app_fixed_find(now, name);
    struct app_text before = {0};
    struct app_text after = {0};

    if ((!a && !b) || (a && b && !strcmp(a->text, b->text)))
        return CKG_OK;
    add_named(old, name, &before);
    add_named(now, name, &after);
    return differ(message, "parameter", name, &before, &after);
}

static int same_parameters(const struct app_definition *old, const struct app_definition *now,
                           struct app_message *message)
{
    /* None is gone, and those that were fixed still are. */
    for (int i = 0; i < app_dimension(old) + old->fixed_count; i++) {
        const char *name = i < app_dimension(old) ? app_parameter_name(old, i)
                                                  : old->fixed[i - app_dimension(old)].name;

        if (!app_fixed_find(now, name) && ckg_problem_parameter_find(now->problem, name) < 0)
            return app_fail(message, CKG_ERR_INVALID, "parameter '%s' is gone", name);
        if (same_fixed(old, now, name, message))
            return CKG_ERR_INVALID;
    }
    for (int i = 0; i < now->fixed_count; i++)
        if (!app_fixed_find(old, now->fixed[i].name))
            return app_fail(message, CKG_ERR_INVALID, "parameter '%s' is new", now->fixed[i].name);

    /* Each was there, at the same place, and is what it was. */
    for (int i = 0; i < app_dimension(now); i++) {
        const struct app_parameter b = app_parameter_at(now, i);
        const int at = ckg_problem_parameter_find(old->problem, b.name);
        struct app_text before = {0};
        struct app_text after = {0};

        if (at < 0)
            return app_fail(message, CKG_ERR_INVALID, "parameter '%s' is new", b.name);
        if (at != i)
            return app_fail(message, CKG_ERR_INVALID,
                            "parameter '%s' has moved to another place in the order", b.name);
        const struct app_parameter a = app_parameter_at(old, i);
        if (same_parameter(&a, &b))
            continue;
        add_parameter(&before, NULL, &a);
        add_parameter(&after, NULL, &b);
        return differ(message, "parameter", b.name, &before, &after);
    }
    return CKG_OK;
}

static int same_constraints(const struct app_definition *old, const struct app_definition *now,
                            struct app_message *message)
{
    /* None is gone. */
    for (int j = 1; j <= app_constraints(old); j++) {
        const char *name = ckg_problem_outcome_name(old->problem, j);

        if (ckg_problem_outcome_find(now->problem, name) < 1)
            return app_fail(message, CKG_ERR_INVALID, "constraint '%s' is gone", name);
    }

    /* Each was there, at the same place, and is what it was. */
    for (int j = 1; j <= app_constraints(now); j++) {
        const struct app_outcome b = app_outcome_at(now, j);
        const int at = ckg_problem_outcome_find(old->problem, b.name);
        struct app_text before = {0};
        struct app_text after = {0};

        if (at < 1)
            return app_fail(message, CKG_ERR_INVALID, "constraint '%s' is new", b.name);
        if (at != j)
            return app_fail(message, CKG_ERR_INVALID,
                            "constraint '%s' has moved to another place in the order", b.name);
        const struct app_outcome a = app_outcome_at(old, j);
        if (same_noise(&a, &b) && same_limits(&a, &b))
            continue;
        add_constraint(&before, NULL, &a);
        add_constraint(&after, NULL, &b);
        return differ(message, "constraint", b.name, &before, &after);
    }
    return CKG_OK;
}

/* 1 when one of the problem's rules has these words. */
static int has_rule(const ckg_problem *problem, const char *text)
{
    for (int i = 0; i < ckg_problem_rules(problem); i++)
        if (!strcmp(ckg_problem_rule(problem, i), text))
            return 1;
    return 0;
}

/* The rules are the same, whatever their order. */
static int same_rules(const struct app_definition *old, const struct app_definition *now,
                      struct app_message *message)
{
    for (int i = 0; i < ckg_problem_rules(old->problem); i++)
        if (!has_rule(now->problem, ckg_problem_rule(old->problem, i)))
            return app_fail(message, CKG_ERR_INVALID, "the rule '%s' is gone",
                            ckg_problem_rule(old->problem, i));
    for (int i = 0; i < ckg_problem_rules(now->problem); i++)
        if (!has_rule(old->problem, ckg_problem_rule(now->problem, i)))
            return app_fail(message, CKG_ERR_INVALID, "the rule '%s' is new",
                            ckg_problem_rule(now->problem, i));
    return CKG_OK;
}

/* The same designs to choose from, in the same order; what is passed on with them may change. */
static int same_lists(const struct app_definition *old, const struct app_definition *now,
                      struct app_message *message)
{
    const int before = ckg_problem_designs(old->problem);
    const int after = ckg_problem_designs(now->problem);

    if (before != after)
        return app_fail(message, CKG_ERR_INVALID, "there were %d designs to choose from and are now %d",
                        before, after);
    for (int n = 0; n < before; n++)
        if (memcmp(ckg_problem_design(old->problem, n), ckg_problem_design(now->problem, n),
                   (size_t)app_dimension(old) * sizeof(double)) != 0)
            return app_fail(message, CKG_ERR_INVALID, "design %d of those to choose from has changed", n + 1);
    return CKG_OK;
}

int app_definition_same(const struct app_definition *old, const struct app_definition *now,
                        struct app_message *message)
{
    const struct app_outcome a = app_outcome_at(old, 0);
    const struct app_outcome b = app_outcome_at(now, 0);

    if (ckg_problem_goal(old->problem) != ckg_problem_goal(now->problem))
        return app_fail(message, CKG_ERR_INVALID, "the goal was %s and is now %s", goal_name(old),
                        goal_name(now));
    if (strcmp(a.name, b.name) != 0)
        return app_fail(message, CKG_ERR_INVALID, "the objective was '%s' and is now '%s'", a.name, b.name);
    if (!same_noise(&a, &b))
        return app_fail(message, CKG_ERR_INVALID, "the %s of the objective '%s' has changed",
                        a.positive != b.positive ? "sign" : "noise", a.name);
    int status = same_parameters(old, now, message);
    if (!status)
        status = same_rules(old, now, message);
    if (!status)
        status = same_lists(old, now, message);
    return status ? status : same_constraints(old, now, message);
}

/* --- freed --- */

void app_definition_free(struct app_definition *d)
{
    ckg_problem_free(d->problem);
    app_pool_free(&d->pool);
    *d = (struct app_definition){0};
}
