/* Mappings read and written by their tables. */
#include "definition/file_schema.h"

#include <math.h>
#include <string.h>

#include "base/json.h"

enum { MOST_KEYS = 64, MOST_LINES = 1000 };

const struct app_schema *const app_schemas[] = {&app_schema_file,
                                                &app_schema_parameter,
                                                &app_schema_objective,
                                                &app_schema_constraint,
                                                &app_schema_evaluate,
                                                &app_schema_slurm,
                                                &app_schema_work,
                                                &app_schema_results,
                                                &app_schema_stop,
                                                &app_schema_model,
                                                NULL};

/* --- read --- */

static int read_lines(struct app_reader *r, const struct app_key *key, const yaml_node_t *node,
                      struct app_words *out)
{
    int status = CKG_OK;

    if (node->type != YAML_SEQUENCE_NODE || app_node_items(node) > (key->low ? key->low : MOST_LINES))
        return app_node_expect(r, node, key->expected);
    out->word = app_pool_new(&r->out->pool, (size_t)app_node_items(node), sizeof *out->word);
    if (!out->word)
        return app_node_no_memory(r);
    for (int i = 0; !status && i < app_node_items(node); i++) {
        const yaml_node_t *item = app_reader_item(r, node, i);

        status = app_reader_line(r, item, key->what, key->high, &out->word[i]);
        if (!status && key->read_value)
            status = key->read_value(r, NULL, item, &out->word[i]);
        out->count += !status;
    }
    return status;
}

static int read_pairs(struct app_reader *r, const struct app_key *row, const yaml_node_t *node,
                      struct app_pairs *out)
{
    int status = CKG_OK;

    if (node->type != YAML_MAPPING_NODE)
        return app_node_expect(r, node, row->expected);
    out->pair = app_pool_new(&r->out->pool, (size_t)app_node_pairs(node), sizeof *out->pair);
    if (!out->pair)
        return app_node_no_memory(r);
    for (int i = 0; !status && i < app_node_pairs(node); i++) {
        const yaml_node_t *key = app_reader_key(r, node, i);
        struct app_need *pair = &out->pair[i];

        status = app_node_check_key(r, node, i);
        if (!status)
            status = row->read_value(r, key, app_reader_value(r, node, i), &pair->value);
        if (!status)
            status = app_reader_keep(r, app_node_text(key), &pair->name);
        out->count += !status;
    }
    return status;
}

/* The number of the word that stands there. */
static int read_word(struct app_reader *r, const struct app_key *key, const yaml_node_t *node, int *out)
{
    for (*out = 0; key->words[*out]; ++*out)
        if (app_node_is_word(node, key->words[*out]))
            return CKG_OK;
    return app_node_expect(r, node, key->expected);
}

static int read_line(struct app_reader *r, const struct app_key *key, const yaml_node_t *node, char **out)
{
    int word;

    if (!key->words)
        return app_reader_line(r, node, key->what, key->high, out);
    const int status = read_word(r, key, node, &word);
    return status ? status : app_reader_keep(r, key->words[word], out);
}

static int read_key(struct app_reader *r, const struct app_key *key, const yaml_node_t *node, void *out)
{
    void *value = (char *)out + key->at;

    if (key->kind == APP_KEY_MAPPING)
        *(int *)((char *)out + key->used) = 1;
    if (key->read)
        return key->read(r, node);
    switch (key->kind) {
    case APP_KEY_NODE:
        *(const yaml_node_t **)value = node;
        return CKG_OK;
    case APP_KEY_WHOLE:
        return app_node_whole(r, node, key->low, key->high, value);
    case APP_KEY_LINE:
        return read_line(r, key, node, value);
    case APP_KEY_WORD:
        return read_word(r, key, node, value);
    case APP_KEY_LINES:
        return read_lines(r, key, node, value);
    case APP_KEY_PAIRS:
        return read_pairs(r, key, node, value);
    case APP_KEY_MAPPING:
        return app_schema_read(r, node, key->schema, value);
    case APP_KEY_OTHER:
    case APP_KEY_REAL:
        break;
    }
    return CKG_OK;
}

int app_schema_read(struct app_reader *r, const yaml_node_t *node, const struct app_schema *schema, void *out)
{
    const char *names[MOST_KEYS];
    const yaml_node_t *given[MOST_KEYS] = {0};
    const yaml_node_t *outer = r->mapping;

    for (int k = 0; k < schema->count; k++)
        names[k] = schema->keys[k].name;
    int status = app_node_mapping(r, node, schema->what, schema->count, names, given);
    if (!status && schema->check)
        status = schema->check(r, node);
    r->mapping = node;
    for (int k = 0; !status && k < schema->count; k++)
        if (given[k])
            status = read_key(r, &schema->keys[k], given[k], out);
    r->mapping = outer;
    return status;
}

/* --- written --- */

void app_words_write(const char *name, int count, char *const *words, struct app_text *out)
{
    app_json_open(out, name, '[');
    for (int i = 0; i < count; i++)
        app_json_add_string(out, NULL, words[i]);
    app_json_close(out, ']');
}

static void write_lines(const struct app_key *key, const struct app_words *lines, struct app_text *out)
{
    if (lines->count || key->always)
        app_words_write(key->name, lines->count, lines->word, out);
}

static void write_pairs(const struct app_key *key, const struct app_pairs *pairs, struct app_text *out)
{
    if (!pairs->count)
        return;
    app_json_open(out, key->name, '{');
    for (int i = 0; i < pairs->count; i++)
        app_json_add_string(out, pairs->pair[i].name, pairs->pair[i].value);
    app_json_close(out, '}');
}

/* A whole number below its range says that nothing was given. */
static void write_whole(const struct app_key *key, int value, struct app_text *out)
{
    if (value >= key->low && (value || key->always))
        app_json_add_integer(out, key->name, value);
}

static void write_mapping(const struct app_definition *d, const struct app_key *key, const void *from,
                          struct app_text *out)
{
    if (!*(const int *)((const char *)from + key->used))
        return;
    app_json_open(out, key->name, '{');
    app_schema_write(d, key->schema, (const char *)from + key->at, out);
    app_json_close(out, '}');
}

static void write_key(const struct app_definition *d, const struct app_key *key, const void *from,
                      struct app_text *out)
{
    const void *value = (const char *)from + key->at;

    if (key->write)
        key->write(d, key->name, out);
    else if (key->kind == APP_KEY_WHOLE)
        write_whole(key, *(const int *)value, out);
    else if (key->kind == APP_KEY_REAL && *(const double *)value > 0)
        app_json_add_number(out, key->name, *(const double *)value);
    else if (key->kind == APP_KEY_LINE && *(char *const *)value)
        app_json_add_string(out, key->name, *(char *const *)value);
    else if (key->kind == APP_KEY_WORD)
        app_json_add_string(out, key->name, key->words[*(const int *)value]);
    else if (key->kind == APP_KEY_LINES)
        write_lines(key, value, out);
    else if (key->kind == APP_KEY_PAIRS)
        write_pairs(key, value, out);
    else if (key->kind == APP_KEY_MAPPING)
        write_mapping(d, key, from, out);
}

void app_schema_write(const struct app_definition *d, const struct app_schema *schema, const void *from,
                      struct app_text *out)
{
    for (int k = 0; k < schema->count; k++)
        write_key(d, &schema->keys[k], from, out);
}
