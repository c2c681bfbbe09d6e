/*
 * How designs are chosen and outcomes modelled: `policy` and `model` of a problem file.
 */
#include "definition/file_schema.h"

#include <assert.h>
#include <math.h>
#include <string.h>

enum { MOST_POLICIES = 64 };

/* --- the policy --- */

static int read_policy_name(struct app_reader *r, const yaml_node_t *node, ckg_policy_info *policy)
{
    const char *names[MOST_POLICIES];
    int count = 0;

    for (; count < MOST_POLICIES && !ckg_policy_at(count, policy); count++) {
        names[count] = policy->name;
        if (app_node_is_word(node, policy->name))
            return app_reader_keep(r, policy->name, &r->out->policy);
    }
    return app_node_unknown(r, node, "policy", "", count, names);
}

/* `was: ckg` of a study that was begun when today's `auto` was called so. */
static int is_former_name(struct app_reader *r, const yaml_node_t *key, const yaml_node_t *value)
{
    static const char *const names[] = {[APP_WAS_CKG] = "ckg", [APP_WAS_CKG_SAID] = "ckg, said"};

    for (int i = APP_WAS_CKG; i <= APP_WAS_CKG_SAID; i++)
        if (app_node_is_word(key, "was") && app_node_is_word(value, names[i])) {
            r->out->was_ckg = (enum app_was_ckg)i;
            return 1;
        }
    return 0;
}

/* Settings that policies had once: a study that was begun with one goes on without it. */
static int is_removed(struct app_reader *r, const yaml_node_t *key)
{
    static const char *const removed[] = {"awaited", "lookahead"};

    for (size_t i = 0; i < sizeof removed / sizeof *removed; i++)
        if (app_node_is_word(key, removed[i])) {
            app_reader_warn(r, key, "the setting '%s' was removed and is ignored", removed[i]);
            return 1;
        }
    return 0;
}

static int read_setting(struct app_reader *r, const ckg_policy_info *policy, const yaml_node_t *key,
                        const yaml_node_t *value, ckg_setting *out)
{
    struct app_message of;
    const char *names[MOST_POLICIES];
    const ckg_policy_parameter *p = NULL;

    for (int k = 0; k < policy->count && k < MOST_POLICIES; k++) {
        names[k] = policy->parameters[k].name;
        if (app_node_is_word(key, names[k]))
            p = &policy->parameters[k];
    }
    if (!p) {
        app_fail(&of, 0, " of policy %s", policy->name);
        return app_node_unknown(r, key, "parameter", of.text, policy->count, names);
    }
    out->name = p->name;
    return app_node_number(r, value, p->low, p->high, &out->value) || !p->integer ||
                   out->value == floor(out->value)
               ? r->status
               : app_node_expect(r, value, "an integer");
}

/* 1 when a file says `ckg` and has a setting that only `auto` has, which was called `ckg` once. */
static int means_auto(struct app_reader *r, const yaml_node_t *node, const ckg_policy_info *policy)
{
    static const char *const settings[] = {"improve", "global_every", "region"};

    for (int i = 0; !strcmp(policy->name, "ckg") && i < app_node_pairs(node); i++)
        for (size_t k = 0; k < sizeof settings / sizeof *settings; k++)
            if (app_node_is_word(app_reader_key(r, node, i), settings[k])) {
                app_reader_warn(
                    r, app_reader_key(r, node, i),
                    "`%s` is a setting of the policy `auto`, which was called `ckg` once: it is read as "
                    "`name: auto`",
                    settings[k]);
                return 1;
            }
    return 0;
}

/* The policy `auto` in place of `ckg`. */
static int take_auto(struct app_reader *r, ckg_policy_info *policy)
{
    return app_reader_keep(r, "auto", &r->out->policy) ? r->status : ckg_policy_named("auto", policy);
}

/* A policy's name, or {name: …, parameter: value, …}. */
int app_read_policy(struct app_reader *r, const yaml_node_t *node)
{
    struct app_definition *out = r->out;
    ckg_policy_info policy;
    const int count = node->type == YAML_MAPPING_NODE ? app_node_pairs(node) : 0;

    const yaml_node_t *name = node->type == YAML_MAPPING_NODE ? app_reader_find(r, node, "name") : node;

    if (!name)
        return app_node_complain(r, node, "the policy needs a `name`");
    if (read_policy_name(r, name, &policy))
        return r->status;
    if (count && means_auto(r, node, &policy) && take_auto(r, &policy))
        return r->status;
    out->settings = app_reader_new(r, count, sizeof *out->settings);
    for (int i = 0; count && app_reader_has_pair(r, node, i); i++) {
        const yaml_node_t *key = app_reader_key(r, node, i);
        const yaml_node_t *value = app_reader_value(r, node, i);

        if (!app_node_is_word(key, "name") && !is_removed(r, key) && !is_former_name(r, key, value))
            read_setting(r, &policy, key, value, &out->settings[out->settings_count++]);
    }
    return r->status;
}

void app_write_policy(const struct app_definition *d, const char *name, struct app_text *out)
{
    app_json_print(out, "%s:{name:%s", name, d->policy);
    if (d->was_ckg)
        app_json_print(out, "was:%s", d->was_ckg == APP_WAS_CKG ? "ckg" : "ckg, said");
    for (int i = 0; i < d->settings_count; i++)
        app_json_add_number(out, d->settings[i].name, d->settings[i].value);
    app_json_close(out, '}');
}

/* --- the models --- */

/* A word of the option, or a number in its range. */
static int check_option(struct app_reader *r, const yaml_node_t *node, const ckg_option_info *info)
{
    const int empty = info->count && !*info->words[0]; /* is not worth listing */
    char wanted[256];
    double number;

    /* One of its words. */
    for (int k = 0; !app_node_is_nothing(node) && k < info->count; k++)
        if (app_node_is_word(node, info->words[k]))
            return CKG_OK;
    if (!info->number)
        return app_node_unknown(r, node, info->name, "", info->count - empty, info->words + empty);

    /* Or a number, bare and in range. */
    if (!app_node_is_number(node, info->low, info->high, &number) ||
        (info->integer && number != floor(number)))
        return app_node_expect(r, node, ckg_option_values_text(info, wanted, sizeof wanted));
    return CKG_OK;
}

const struct app_schema app_schema_model = {"`model`", "How outcomes are modelled", "model: {…}", 0, NULL};

/* The settings of the models, by the library's list of options. */
int app_read_model(struct app_reader *r, const yaml_node_t *node)
{
    const yaml_node_t *given[APP_MODEL_OPTIONS] = {0};
    const char *names[APP_MODEL_OPTIONS];
    ckg_option_info info;
    const int count = ckg_option_count();

    /* The keys it may have. */
    assert(count <= APP_MODEL_OPTIONS);
    for (int i = 0; !ckg_option_at(i, &info); i++)
        names[i] = info.name;
    app_node_mapping(r, node, app_schema_model.what, count, names, given);

    /* The value of each. */
    for (int i = 0; !r->status && !ckg_option_at(i, &info); i++)
        if (given[i] && !check_option(r, given[i], &info))
            app_reader_check(r, given[i], app_model_set(r->out, info.name, app_node_text(given[i])));
    return r->status;
}

void app_write_model(const struct app_definition *d, const char *name, struct app_text *out)
{
    ckg_option_info info;
    double number;
    int given = 0;

    /* What the file does not give is left to the library, now and later. */
    for (int i = 0; i < APP_MODEL_OPTIONS; i++)
        given |= d->model[i] != NULL;
    if (!given)
        return;

    app_json_open(out, name, '{');
    for (int i = 0; !ckg_option_at(i, &info); i++) {
        if (d->model[i] && app_is_decimal(d->model[i], &number))
            app_json_add_number(out, info.name, number);
        else if (d->model[i])
            app_json_add_string(out, info.name, d->model[i]);
    }
    app_json_close(out, '}');
}

/* --- what is given of them --- */

/* The number of the option of that name, -1: none. */
static int find_option(const char *name, ckg_option_info *info)
{
    for (int i = 0; !ckg_option_at(i, info); i++)
        if (!strcmp(info->name, name))
            return i;
    return -1;
}

int app_model_set(struct app_definition *d, const char *name, const char *value)
{
    ckg_options options = CKG_OPTIONS_INIT;
    ckg_option_info info;
    const int status = ckg_options_set(&options, name, value);

    if (status)
        return status;
    const int index = find_option(name, &info);
    char *copy = app_pool_copy(&d->pool, value);

    assert(index >= 0 && index < APP_MODEL_OPTIONS);
    if (!copy)
        return CKG_ERR_NOMEM;
    d->model[index] = copy;
    return CKG_OK;
}

void app_model_apply(const struct app_definition *d, ckg_options *options)
{
    ckg_option_info info;

    for (int i = 0; !ckg_option_at(i, &info); i++)
        if (d->model[i]) {
            const int status = ckg_options_set(options, info.name, d->model[i]);

            assert(!status); /* it was checked when it was set */
            (void)status;
        }
}
