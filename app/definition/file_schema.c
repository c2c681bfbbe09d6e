/* Mappings read, written and compared by their tables. */
#include "definition/scheduler.h"

#include <math.h>
#include <string.h>

#include "base/json.h"

enum { MOST_KEYS = 64, MOST_LINES = 1000 };

#define SCHEDULER(name, meaning) &app_schema_##name,

/* clang-format off */
const struct app_schema *const app_schemas[] = {
    &app_schema_file, &app_schema_parameter, &app_schema_objective, &app_schema_constraint,
    &app_schema_evaluate,
    APP_SCHEDULERS(SCHEDULER)
    &app_schema_work, &app_schema_results, &app_schema_stop, &app_schema_model, NULL};
/* clang-format on */

/* --- read --- */

static int read_lines(struct app_reader *r, const struct app_key *key, const yaml_node_t *node,
                      struct app_words *out)
{
    const int most = key->low > 0 ? (int)key->low : MOST_LINES;

    if (node->type != YAML_SEQUENCE_NODE || app_node_items(node) > most)
        return app_node_expect(r, node, key->expected);
    out->word = app_reader_new(r, app_node_items(node), sizeof *out->word);
    for (int i = 0; app_reader_has_item(r, node, i); i++) {
        const yaml_node_t *item = app_reader_item(r, node, i);

        app_reader_line(r, item, key->what, (int)key->high, &out->word[i]);
        if (!r->status && key->each)
            key->each(r, NULL, item, &out->word[i]);
        out->count++;
    }
    return r->status;
}

int app_schema_each(struct app_reader *r, const struct app_key *row, const yaml_node_t *node,
                    struct app_pairs *pairs)
{
    const int most = (int)row->high;

    /* Not too many. */
    if (node->type != YAML_MAPPING_NODE)
        return app_node_expect(r, node, row->expected);
    if (most && app_node_pairs(node) > most)
        return app_node_complain(r, app_reader_key(r, node, most), "there may be at most %d %s, not %d", most,
                                 row->name, app_node_pairs(node));

    /* What stands under each name. */
    if (pairs)
        pairs->pair = app_reader_new(r, app_node_pairs(node), sizeof *pairs->pair);
    for (int i = 0; app_reader_has_pair(r, node, i); i++) {
        const yaml_node_t *key = app_reader_key(r, node, i);
        struct app_need pair = {0};

        row->each(r, key, app_reader_value(r, node, i), &pair.value);
        if (pairs && !app_reader_keep(r, app_node_text(key), &pair.name))
            pairs->pair[pairs->count++] = pair;
    }
    return r->status;
}

/* The number of the word that stands there. */
static int read_word(struct app_reader *r, const struct app_key *key, const yaml_node_t *node, int *out)
{
    int count = 0;

    for (; key->words[count]; count++)
        if (app_node_is_word(node, key->words[count])) {
            *out = (int)key->low + count;
            return CKG_OK;
        }
    return key->expected ? app_node_expect(r, node, key->expected)
                         : app_node_unknown(r, node, key->name, "", count, key->words);
}

static int read_line(struct app_reader *r, const struct app_key *key, const yaml_node_t *node, char **out)
{
    int word = 0;

    if (!key->words)
        return app_reader_line(r, node, key->what, (int)key->high, out);
    return read_word(r, key, node, &word) ? r->status : app_reader_keep(r, key->words[word], out);
}

static int read_value(struct app_reader *r, const struct app_key *key, const yaml_node_t *node, void *out)
{
    const int any = key->low == 0 && key->high == 0;

    switch (key->kind) {
    case APP_KEY_WHOLE:
        return app_node_whole(r, node, (int)key->low, (int)key->high, out);
    case APP_KEY_REAL:
        return app_node_number(r, node, any ? -INFINITY : key->low, any ? INFINITY : key->high, out);
    case APP_KEY_BOOLEAN:
        return app_node_boolean(r, node, out);
    case APP_KEY_WORD:
        return read_word(r, key, node, out);
    case APP_KEY_LINE:
        return read_line(r, key, node, out);
    case APP_KEY_LINES:
        return read_lines(r, key, node, out);
    case APP_KEY_VALUE:
        return app_reader_typed(r, node, out);
    case APP_KEY_MAPPING:
        return app_schema_read(r, node, key->schema, out);
    case APP_KEY_PAIRS:
        return app_schema_each(r, key, node, out);
    case APP_KEY_NAMED:
        return app_schema_each(r, key, node, NULL);
    case APP_KEY_OTHER:
        break;
    }
    return CKG_OK;
}

static void read_key(struct app_reader *r, const struct app_key *key, const yaml_node_t *node)
{
    char *out = r->into;

    if (key->kind == APP_KEY_MAPPING)
        *(int *)(out + key->used) = 1;
    if (key->read)
        key->read(r, node);
    else
        read_value(r, key, node, out + key->at);
    if (!r->status && key->check)
        key->check(r, node);
}

/* Everything is there that must be. */
static void check_given(struct app_reader *r, const yaml_node_t *node, const struct app_schema *schema,
                        const yaml_node_t *const *given)
{
    for (int k = 0; k < schema->count; k++) {
        const struct app_key *key = &schema->keys[k];
        const int needed = key->missing && (r->is_file || !key->of_files);

        if (needed && !given[k] && !(key->instead && app_reader_find(r, node, key->instead)))
            app_node_complain(r, node, "%s", key->missing);
    }
}

int app_schema_read(struct app_reader *r, const yaml_node_t *node, const struct app_schema *schema, void *out)
{
    const char *names[MOST_KEYS];
    const yaml_node_t *given[MOST_KEYS] = {0};
    const yaml_node_t *outer = r->mapping;
    void *around = r->into;

    /* Which keys there are. */
    for (int k = 0; k < schema->count; k++)
        names[k] = schema->keys[k].name;
    if (!app_node_mapping(r, node, schema->what, schema->count, names, given))
        check_given(r, node, schema, given);

    /* What each of them says. */
    r->mapping = node;
    r->into = out;
    for (int k = 0; !r->status && k < schema->count; k++)
        if (given[k])
            read_key(r, &schema->keys[k], given[k]);
    r->mapping = outer;
    r->into = around;
    return r->status;
}

/* --- written --- */

void app_key_unwritten(const void *from, const char *name, struct app_text *out)
{
    (void)from;
    (void)name;
    (void)out;
}

void app_words_write(const char *name, int count, char *const *words, struct app_text *out)
{
    app_json_open(out, name, '[');
    for (int i = 0; i < count; i++)
        app_json_add_string(out, NULL, words[i]);
    app_json_close(out, ']');
}

static void write_pairs(const char *name, const struct app_pairs *pairs, struct app_text *out)
{
    if (!pairs->count)
        return;
    app_json_open(out, name, '{');
    for (int i = 0; i < pairs->count; i++)
        app_json_add_string(out, pairs->pair[i].name, pairs->pair[i].value);
    app_json_close(out, '}');
}

/* A whole number below its range, or the number of a word, says that nothing was given. */
static void write_whole(const struct app_key *key, int value, struct app_text *out)
{
    if (value < key->low || (!value && !key->always))
        return;
    if (key->words)
        app_json_add_string(out, key->name, key->words[value - (int)key->low]);
    else if (key->kind == APP_KEY_BOOLEAN)
        app_json_add_boolean(out, key->name, value);
    else
        app_json_add_integer(out, key->name, value);
}

static void write_real(const struct app_key *key, double value, struct app_text *out)
{
    if (isfinite(value) && (value > 0 || key->always))
        app_json_add_number(out, key->name, value);
}

static void write_lines(const struct app_key *key, const struct app_words *lines, struct app_text *out)
{
    if (lines->count || key->always)
        app_words_write(key->name, lines->count, lines->word, out);
}

static const void *value_of(const struct app_key *key, const void *from)
{
    return (const char *)from + key->at;
}

static void write_value(const struct app_definition *d, const struct app_key *key, const void *from,
                        struct app_text *out)
{
    const void *at = value_of(key, from);
    const struct app_value *value = at;

    switch (key->kind) {
    case APP_KEY_WHOLE:
    case APP_KEY_BOOLEAN:
    case APP_KEY_WORD:
        write_whole(key, *(const int *)at, out);
        break;
    case APP_KEY_REAL:
        write_real(key, *(const double *)at, out);
        break;
    case APP_KEY_LINE:
        if (*(char *const *)at)
            app_json_add_string(out, key->name, *(char *const *)at);
        break;
    case APP_KEY_LINES:
        write_lines(key, at, out);
        break;
    case APP_KEY_VALUE:
        if (value->text)
            app_typed_add(out, key->name, value);
        break;
    case APP_KEY_MAPPING:
        if (*(const int *)((const void *)((const char *)from + key->used)))
            app_schema_write(d, key->schema, at, key->name, out);
        break;
    case APP_KEY_PAIRS:
        write_pairs(key->name, at, out);
        break;
    case APP_KEY_NAMED:
    case APP_KEY_OTHER:
        break;
    }
}

static void write_key(const struct app_definition *d, const struct app_key *key, const void *from,
                      struct app_text *out)
{
    if (key->write)
        key->write(d, key->name, out);
    else if (key->add)
        key->add(from, key->name, out);
    else
        write_value(d, key, from, out);
}

void app_schema_write(const struct app_definition *d, const struct app_schema *schema, const void *from,
                      const char *name, struct app_text *out)
{
    app_json_open(out, name, '{');
    for (int k = 0; k < schema->count; k++)
        write_key(d, &schema->keys[k], from, out);
    app_json_close(out, '}');
}

/* --- compared --- */

/* What stands there, for people: a word or number as JSON has it, without quotes. */
static void show_key(const struct app_key *key, const void *from, struct app_text *out)
{
    struct app_text member = {0};

    app_text_add(out, "", 0);
    if (key->show) {
        key->show(from, out);
        return;
    }
    if (key->kind == APP_KEY_WORD) {
        app_text_print(out, "%s", key->words[*(const int *)value_of(key, from) - (int)key->low]);
        return;
    }
    write_key(NULL, key, from, &member);
    const char *value = member.length && !member.failed ? strchr(member.data, ':') + 2 : "none";
    const int quotes = *value == '"';
    app_text_add(out, value + quotes, strlen(value) - 2 * (size_t)quotes);
    app_text_free(&member);
}

void app_text_differ(struct app_text *old, struct app_text *now, const char *what, app_differs *differs,
                     void *context)
{
    if (!old->data || !now->data || strcmp(old->data, now->data) != 0)
        differs(context, what, old->data ? old->data : "…", now->data ? now->data : "…");
    app_text_free(old);
    app_text_free(now);
}

void app_schema_compare(const struct app_schema *schema, const void *old, const void *now,
                        app_differs *differs, void *context)
{
    for (int k = 0; k < schema->count; k++) {
        const struct app_key *key = &schema->keys[k];
        struct app_text texts[2] = {{0}};

        if (!key->changed)
            continue;
        show_key(key, old, &texts[0]);
        show_key(key, now, &texts[1]);
        app_text_differ(&texts[0], &texts[1], key->changed, differs, context);
    }
}
