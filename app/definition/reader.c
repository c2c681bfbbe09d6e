/*
 * What the readers of a problem file's parts share.
 */
#include "definition/reader.h"

#include <stdarg.h>
#include <stdio.h>

void *app_reader_new(struct app_reader *r, int count, size_t size)
{
    void *room = app_pool_new(&r->out->pool, (size_t)count, size);

    if (!room)
        app_node_no_memory(r);
    return room;
}

int app_reader_keep(struct app_reader *r, const char *text, char **out)
{
    *out = app_pool_copy(&r->out->pool, text);
    return *out ? r->status : app_node_no_memory(r);
}

int app_reader_line(struct app_reader *r, const yaml_node_t *node, const char *what, int most, char **out)
{
    const char *text;

    return app_node_line(r, node, what, most, &text) ? r->status : app_reader_keep(r, text, out);
}

int app_reader_typed(struct app_reader *r, const yaml_node_t *node, struct app_value *out)
{
    char number[32];

    if (app_node_typed(r, node, number, out))
        return r->status;
    out->text = app_pool_copy(&r->out->pool, out->text);
    return out->text ? CKG_OK : app_node_no_memory(r);
}

int app_reader_check(struct app_reader *r, const yaml_node_t *node, int status)
{
    return !status                   ? r->status
           : status == CKG_ERR_NOMEM ? app_node_no_memory(r)
                                     : app_node_complain(r, node, "%s", ckg_error_message());
}

void app_reader_warn(struct app_reader *r, const yaml_node_t *node, const char *format, ...)
{
    struct app_reader there = *r;
    struct app_message what;
    struct app_message line;
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(what.text, sizeof what.text, format, arguments);
    va_end(arguments);
    there.message = &line;
    there.status = CKG_OK;
    app_node_complain(&there, node, "%s", what.text);
    app_text_print(&r->warnings, "%s%s", r->warnings.length ? "\n" : "", line.text);
}

int app_reader_has_item(const struct app_reader *r, const yaml_node_t *list, int index)
{
    return !r->status && index < app_node_items(list);
}

int app_reader_has_pair(struct app_reader *r, const yaml_node_t *mapping, int index)
{
    return !r->status && index < app_node_pairs(mapping) && !app_node_check_key(r, mapping, index);
}

const yaml_node_t *app_reader_item(struct app_reader *r, const yaml_node_t *list, int index)
{
    return yaml_document_get_node(&r->yaml, list->data.sequence.items.start[index]);
}

const yaml_node_t *app_reader_key(struct app_reader *r, const yaml_node_t *mapping, int index)
{
    return yaml_document_get_node(&r->yaml, mapping->data.mapping.pairs.start[index].key);
}

const yaml_node_t *app_reader_value(struct app_reader *r, const yaml_node_t *mapping, int index)
{
    return yaml_document_get_node(&r->yaml, mapping->data.mapping.pairs.start[index].value);
}

const yaml_node_t *app_reader_find(struct app_reader *r, const yaml_node_t *mapping, const char *key)
{
    for (int i = 0; i < app_node_pairs(mapping); i++)
        if (app_node_is_word(app_reader_key(r, mapping, i), key))
            return app_reader_value(r, mapping, i);
    return NULL;
}

int app_reader_variables(struct app_reader *r, int count)
{
    struct app_definition *out = r->out;

    out->parameter = app_reader_new(r, CKG_MAX_PARAMETERS, sizeof *out->parameter);
    out->fixed = app_reader_new(r, count, sizeof *out->fixed);
    return r->status;
}

int app_read_title(struct app_reader *r, const char *name, struct app_label *out)
{
    if (!out->unit)
        return CKG_OK;
    out->title = app_pool_print(&r->out->pool, "%s (%s)", name, out->unit);
    return out->title ? CKG_OK : app_node_no_memory(r);
}
