/* YAML nodes, with complaints that say where, what, and what was expected. */
#include "definition/node.h"

#include <ctype.h>
#include <math.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/meant.h"
#include "definition/reader.h"

static const double largest_whole = 9007199254740992.0; /* 2^53 */

enum { LARGEST_FILE = 16 << 20, DEEPEST = 100 };

/* --- complaints --- */

/* Only the first is heard. */
static int complain_at(struct app_reader *r, size_t line, size_t column, const char *what)
{
    if (!r->status)
        r->status = app_fail(r->message, CKG_ERR_INVALID, "%s:%zu:%zu: %s", r->path, line + 1, column + 1,
                             what);
    return r->status;
}

/* Characters of the first so many bytes of a text. */
static size_t characters(const char *text, size_t bytes)
{
    size_t count = 0;

    for (size_t i = 0; i < bytes; i++)
        count += ((unsigned char)text[i] & 0xC0) != 0x80;
    return count;
}

/* How many columns behind its beginning byte `at` of the text stands in the file, 0 where one cannot tell. */
static size_t columns_to(const yaml_node_t *node, int at)
{
    const yaml_mark_t *start = &node->start_mark;
    const yaml_mark_t *end = &node->end_mark;
    const size_t quotes = node->data.scalar.style == YAML_SINGLE_QUOTED_SCALAR_STYLE ||
                          node->data.scalar.style == YAML_DOUBLE_QUOTED_SCALAR_STYLE;
    const int plain = start->line == end->line &&
                      end->column - start->column ==
                          2 * quotes + characters(app_node_text(node), node->data.scalar.length);

    return plain ? quotes + characters(app_node_text(node), (size_t)at) : 0;
}

int app_node_complain_inside(struct app_reader *r, const yaml_node_t *node, int at, const char *what)
{
    return complain_at(r, node->start_mark.line, node->start_mark.column + columns_to(node, at), what);
}

int app_node_complain(struct app_reader *r, const yaml_node_t *node, const char *format, ...)
{
    struct app_message what;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(what.text, sizeof what.text, format, arguments);
    va_end(arguments);
    return complain_at(r, node->start_mark.line, node->start_mark.column, what.text);
}

int app_node_no_memory(struct app_reader *r)
{
    if (!r->status)
        r->status = app_no_memory(r->message);
    return r->status;
}

/* The node in a few words, a long text cut between two characters. */
static const char *describe(const yaml_node_t *node, char buffer[128])
{
    const char *kind = node->type == YAML_SEQUENCE_NODE  ? "a list"
                       : node->type == YAML_MAPPING_NODE ? "a mapping"
                       : !app_node_is_text(node)         ? "text with a zero byte"
                       : app_node_is_nothing(node)       ? (*app_node_text(node) ? "null" : "nothing")
                                                         : NULL;

    if (kind)
        return strcpy(buffer, kind);
    const char *text = app_node_text(node);
    size_t length = strlen(text);
    size_t shown = length;
    if (length > 60)
        for (shown = 57; shown && ((unsigned char)text[shown] & 0xC0) == 0x80;)
            shown--;
    snprintf(buffer, 128, "'%.*s%s'", (int)shown, text, shown < length ? "…" : "");
    return buffer;
}

int app_node_expect(struct app_reader *r, const yaml_node_t *node, const char *expected)
{
    char buffer[128];
    const int quoted = node->type == YAML_SCALAR_NODE && node->data.scalar.style != YAML_PLAIN_SCALAR_STYLE &&
                       app_node_is_text(node);
    return app_node_complain(r, node, "expected %s, not %s%s", expected, describe(node, buffer),
                             quoted ? " in quotes" : "");
}

int app_node_unknown(struct app_reader *r, const yaml_node_t *node, const char *kind, const char *of,
                     int count, const char *const *names)
{
    char buffer[128];
    struct app_text all = {0};
    const int is_text = app_node_is_text(node) && !app_node_is_nothing(node);
    const char *meant = is_text ? app_meant(app_node_text(node), count, names) : NULL;

    for (int i = 0; i < count && !meant; i++)
        app_text_print(&all, "%s%s", i ? ", " : "", names[i]);
    const char *hint = meant ? "did you mean " : count ? "choose from " : "it has none";
    const char *names_shown = meant ? meant : all.data ? all.data : "";
    describe(node, buffer);
    const int status = is_text ? app_node_complain(r, node, "unknown %s %s%s; %s%s%s", kind, buffer, of, hint,
                                                   names_shown, meant ? "?" : "")
                               : app_node_complain(r, node, "expected a %s, not %s; %s%s", kind, buffer, hint,
                                                   names_shown);
    app_text_free(&all);
    return status;
}

/* --- kinds of nodes --- */

const char *app_node_text(const yaml_node_t *node)
{
    return (const char *)node->data.scalar.value;
}

int app_node_is_text(const yaml_node_t *node)
{
    return node->type == YAML_SCALAR_NODE && strlen(app_node_text(node)) == node->data.scalar.length;
}

static int is_bare(const yaml_node_t *node)
{
    return app_node_is_text(node) && node->data.scalar.style == YAML_PLAIN_SCALAR_STYLE;
}

int app_node_is_nothing(const yaml_node_t *node)
{
    static const char *const words[] = {"", "~", "null", "Null", "NULL"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (is_bare(node) && !strcmp(app_node_text(node), words[i]))
            return 1;
    return 0;
}

int app_node_is_word(const yaml_node_t *node, const char *word)
{
    return node && app_node_is_text(node) && !strcmp(app_node_text(node), word);
}

int app_node_pairs(const yaml_node_t *node)
{
    return (int)(node->data.mapping.pairs.top - node->data.mapping.pairs.start);
}

int app_node_items(const yaml_node_t *node)
{
    return (int)(node->data.sequence.items.top - node->data.sequence.items.start);
}

/* --- values --- */

/* 1 for a bare number, however large. */
static int parse_number(const yaml_node_t *node, double *out)
{
    return is_bare(node) && app_is_decimal(app_node_text(node), out);
}

int app_node_is_number(const yaml_node_t *node, double low, double high, double *out)
{
    return parse_number(node, out) && isfinite(*out) && *out >= low && *out <= high;
}

int app_node_number(struct app_reader *r, const yaml_node_t *node, double low, double high, double *out)
{
    char buffer[128], from[32], to[32];
    double value;

    if (!parse_number(node, &value))
        return app_node_expect(r, node, "a number");
    if (!isfinite(value) && isinf(high))
        return app_node_complain(r, node, "%s is too large for a number", describe(node, buffer));
    if (value < low || value > high)
        return app_node_complain(r, node, "expected a number from %s to %s, not %s", app_number(low, from),
                                 app_number(high, to), describe(node, buffer));
    *out = value;
    return CKG_OK;
}

int app_node_whole(struct app_reader *r, const yaml_node_t *node, int low, int high, int *out)
{
    struct app_message expected;
    double value;

    if (app_node_is_number(node, low, high, &value) && value == floor(value)) {
        *out = (int)value;
        return CKG_OK;
    }
    app_fail(&expected, 0, "an integer from %d to %d", low, high);
    return app_node_expect(r, node, expected.text);
}

/*
 * Control characters, of Unicode's second block too, and the characters that some readers take for the end of
 * a line.
 */
int app_node_is_one_line(const char *text)
{
    for (const unsigned char *c = (const unsigned char *)text; *c; c++) {
        if (*c < ' ' || *c == 127 || (c[0] == 0xC2 && c[1] < 0xA0))
            return 0;
        if (c[0] == 0xE2 && c[1] == 0x80 && (c[2] == 0xA8 || c[2] == 0xA9))
            return 0;
    }
    return 1;
}

int app_node_line(struct app_reader *r, const yaml_node_t *node, const char *what, int most, const char **out)
{
    if (!app_node_is_text(node) || app_node_is_nothing(node))
        return app_node_expect(r, node, what);
    const char *text = app_node_text(node);
    if (!*text)
        return app_node_complain(r, node, "%s must not be empty", what);
    if (strlen(text) > (size_t)most)
        return app_node_complain(r, node, "%s may have at most %d bytes; this one has %zu", what, most,
                                 strlen(text));
    if (!app_node_is_one_line(text))
        return app_node_complain(r, node, "%s must be one line without control characters", what);
    *out = text;
    return CKG_OK;
}

int app_node_typed(struct app_reader *r, const yaml_node_t *node, char shortest[32], struct app_value *out)
{
    char buffer[128];
    double number;
    const int status = app_node_line(r, node, "a value", APP_LONGEST_NAME, &out->text);
    const char *text = out->text;

    /* Texts and truths stay as they are written. */
    out->type = APP_TEXT;
    if (status || !is_bare(node))
        return status;
    if (!strcmp(text, "true") || !strcmp(text, "false")) {
        out->type = APP_BOOLEAN;
        return CKG_OK;
    }

    /* A number is one number, however it is written; 007 is a code. */
    const char *digits = text + strspn(text, "+-");
    if (!app_node_is_number(node, -INFINITY, INFINITY, &number) ||
        (digits[0] == '0' && isdigit((unsigned char)digits[1])))
        return CKG_OK;
    if (fabs(number) > largest_whole && number == floor(number) && !strpbrk(text, "eE."))
        return app_node_complain(r, node, "%s has more digits than a number keeps; write it in quotes",
                                 describe(node, buffer));
    *out = (struct app_value){app_number(number == 0 ? 0 : number, shortest), APP_NUMBER};
    return CKG_OK;
}

int app_node_boolean(struct app_reader *r, const yaml_node_t *node, int *out)
{
    if (!is_bare(node) || (!app_node_is_word(node, "true") && !app_node_is_word(node, "false")))
        return app_node_expect(r, node, "true or false");
    *out = app_node_is_word(node, "true");
    return CKG_OK;
}

/* --- mappings --- */

/* The merge key is refused because it would need rules of precedence. */
int app_node_check_key(struct app_reader *r, const yaml_node_t *mapping, int pair)
{
    const yaml_node_t *key = app_reader_key(r, mapping, pair);

    if (!app_node_is_text(key))
        return app_node_expect(r, key, "a key");
    if (is_bare(key) && !strcmp(app_node_text(key), "<<"))
        return app_node_complain(
            r, key,
            "the merge key << is not supported; write the keys out, or use an alias for the whole mapping");
    for (int k = 0; k < pair; k++)
        if (app_node_is_word(app_reader_key(r, mapping, k), app_node_text(key)))
            return app_node_complain(r, key, "'%.200s' is given twice", app_node_text(key));
    return CKG_OK;
}

int app_node_mapping(struct app_reader *r, const yaml_node_t *node, const char *what, int count,
                     const char *const *names, const yaml_node_t **values)
{
    char buffer[128];
    struct app_message of;

    /* Only a mapping will do. */
    if (node->type != YAML_MAPPING_NODE)
        return app_node_complain(r, node, "%s must be a mapping with keys such as %s, not %s", what, names[0],
                                 describe(node, buffer));

    /* Every key must be known and given once. */
    for (int i = 0; app_reader_has_pair(r, node, i); i++) {
        const yaml_node_t *key = app_reader_key(r, node, i);
        int k = 0;

        while (k < count && !app_node_is_word(key, names[k]))
            k++;
        if (k == count) {
            app_fail(&of, 0, " in %s", what);
            return app_node_unknown(r, key, "key", of.text, count, names);
        }
        values[k] = app_reader_value(r, node, i);
    }
    return r->status;
}

/* --- the document --- */

/* The place of a byte, in lines and characters. */
static void place_of_byte(const char *text, size_t offset, size_t *line, size_t *column)
{
    *line = *column = 0;
    for (size_t i = 0; i < offset; i++) {
        *column += ((unsigned char)text[i] & 0xC0) != 0x80;
        if (text[i] == '\n') {
            ++*line;
            *column = 0;
        }
    }
}

/* 1 when there is a tab at that place, with nothing but blanks before it on its line. */
static int is_tab(const char *text, size_t length, const yaml_mark_t *at)
{
    const char *line = text;
    const char *end = text + length;

    for (size_t i = 0; line && i < at->line; i++) {
        line = memchr(line, '\n', (size_t)(end - line));
        line = line ? line + 1 : NULL;
    }
    if (!line || (size_t)(end - line) <= at->column)
        return 0;
    for (size_t i = 0; i < at->column; i++)
        if (line[i] != ' ' && line[i] != '\t')
            return 0;
    return line[at->column] == '\t';
}

/* What libyaml says, with where the trouble began. */
static void explain(const yaml_parser_t *parser, struct app_message *what)
{
    const yaml_mark_t *at = &parser->problem_mark, *from = &parser->context_mark;
    const char *problem = parser->problem;
    const int begins_before = parser->context && (from->line != at->line || from->column != at->column);
    if (!strcmp(problem, "did not find expected <document start>"))
        app_fail(what, 0, "not YAML: the file should end here");
    else if (begins_before && parser->error == YAML_COMPOSER_ERROR)
        app_fail(what, 0, "not YAML: %s at line %zu, column %zu", parser->context, from->line + 1,
                 from->column + 1);
    else if (begins_before)
        app_fail(what, 0, "not YAML: %s %s that starts at line %zu, column %zu", problem, parser->context,
                 from->line + 1, from->column + 1);
    else
        app_fail(what, 0, "not YAML: %s", problem);
}

/* Bytes that are no text have an offset, everything else a mark. */
static int complain_of_yaml(struct app_reader *r, const yaml_parser_t *parser, const char *text,
                            size_t length)
{
    struct app_message what;
    size_t line = parser->problem_mark.line;
    size_t column = parser->problem_mark.column;

    if (parser->error == YAML_MEMORY_ERROR || !parser->problem) /* it has no word for some of them */
        return app_node_no_memory(r);
    explain(parser, &what);
    if (parser->error == YAML_READER_ERROR) {
        place_of_byte(text, parser->problem_offset < length ? parser->problem_offset : length, &line,
                      &column);
        app_fail(&what, 0, "not a text file: %s", parser->problem);
    } else if (is_tab(text, length, &parser->problem_mark))
        app_fail(&what, 0, "not YAML: a tab is used to indent; use spaces");
    else if (parser->context && !strcmp(parser->context, "while scanning a simple key")) {
        line = parser->context_mark.line;
        column = parser->context_mark.column;
        app_fail(&what, 0, "not YAML: a key must be followed by `: `");
    }
    return complain_at(r, line, column, what.text);
}

static const yaml_char_t *tag_of(const yaml_event_t *event)
{
    return event->type == YAML_SCALAR_EVENT           ? event->data.scalar.tag
           : event->type == YAML_SEQUENCE_START_EVENT ? event->data.sequence_start.tag
           : event->type == YAML_MAPPING_START_EVENT  ? event->data.mapping_start.tag
                                                      : NULL;
}

/*
 * What no part of a problem file may have. Tags would promise types that are not made; libyaml's time grows
 * with the square of the depth.
 */
static int check_event(struct app_reader *r, const yaml_event_t *event, int *documents, int *depth)
{
    const size_t line = event->start_mark.line;
    const size_t column = event->start_mark.column;
    *documents += event->type == YAML_DOCUMENT_START_EVENT;
    *depth += event->type == YAML_SEQUENCE_START_EVENT || event->type == YAML_MAPPING_START_EVENT;
    *depth -= event->type == YAML_SEQUENCE_END_EVENT || event->type == YAML_MAPPING_END_EVENT;
    if (*documents > 1)
        return complain_at(r, line, column,
                           "a second YAML document starts here; a problem file has only one");
    if (*depth > DEEPEST)
        return complain_at(r, line, column, "lists and mappings are nested too deeply");
    if (tag_of(event))
        return complain_at(r, line, column,
                           "tags such as !!int are not supported; write the value without one");
    return CKG_OK;
}

/*
 * A first pass, event by event, which ends at once where the second would have to build what is refused
 * anyway.
 */
static int check_events(struct app_reader *r, yaml_parser_t *parser, const char *text, size_t length)
{
    int status = CKG_OK;
    int documents = 0;
    int depth = 0;

    for (int over = 0; !status && !over;) {
        yaml_event_t event;
        if (!yaml_parser_parse(parser, &event))
            return complain_of_yaml(r, parser, text, length);
        over = event.type == YAML_STREAM_END_EVENT;
        status = check_event(r, &event, &documents, &depth);
        yaml_event_delete(&event);
    }
    return status;
}

static int build(struct app_reader *r, yaml_parser_t *parser, const char *text, size_t length)
{
    return yaml_parser_load(parser, &r->yaml) ? CKG_OK : complain_of_yaml(r, parser, text, length);
}

static int pass(struct app_reader *r, const char *text, size_t length,
                int (*read)(struct app_reader *, yaml_parser_t *, const char *, size_t))
{
    yaml_parser_t parser;
    if (!yaml_parser_initialize(&parser))
        return app_node_no_memory(r);
    yaml_parser_set_input_string(&parser, (const unsigned char *)text, length);
    const int status = read(r, &parser, text, length);
    yaml_parser_delete(&parser);
    return status;
}

/* The number of \uXXXX at the text, or 0 where there is none. */
static unsigned escaped_unit(const char *text, size_t left)
{
    char digits[5] = {0};
    if (left < 6 || text[0] != '\\' || text[1] != 'u')
        return 0;
    memcpy(digits, text + 2, 4);
    return strspn(digits, "0123456789abcdefABCDEF") == 4 ? (unsigned)strtoul(digits, NULL, 16) : 0;
}

/*
 * JSON writes a character beyond U+FFFF as two escapes, \ud83c\udf00, which YAML does not know; YAML has
 * \U0001f300. Two columns shorter, so a complaint about what follows on that line points as much too far
 * left.
 */
static void join_surrogates(const char *text, size_t length, struct app_text *out)
{
    for (size_t i = 0; i < length;) {
        const unsigned high = escaped_unit(text + i, length - i);
        const unsigned low = high ? escaped_unit(text + i + 6, length - i - 6) : 0;
        const size_t plain = text[i] == '\\' && i + 1 < length ? 2 : 1;
        if (high >= 0xD800 && high < 0xDC00 && low >= 0xDC00 && low < 0xE000) {
            app_text_print(out, "\\U%08x", 0x10000 + ((high - 0xD800) << 10) + (low - 0xDC00));
            i += 12;
        } else {
            app_text_add(out, text + i, plain);
            i += plain;
        }
    }
}

static int is_json(const char *text, size_t length)
{
    size_t start = length >= 3 && !memcmp(text, "\xEF\xBB\xBF", 3) ? 3 : 0;
    while (start < length && strchr(" \t\r\n", text[start]) && text[start])
        start++;
    return start < length && text[start] == '{';
}

static int open_text(struct app_reader *r, const char *text, size_t length, const yaml_node_t **root)
{
    int status = pass(r, text, length, check_events);

    if (!status)
        status = pass(r, text, length, build);
    if (status)
        return status;
    *root = yaml_document_get_root_node(&r->yaml);
    if (*root && ((*root)->type != YAML_SCALAR_NODE || (*root)->data.scalar.length))
        return CKG_OK;
    yaml_document_delete(&r->yaml);
    return complain_at(r, 0, 0, "the file is empty");
}

int app_node_open(struct app_reader *r, const char *text, size_t length, const yaml_node_t **root)
{
    struct app_text joined = {0};

    if (length > LARGEST_FILE)
        return complain_at(r, 0, 0, "larger than 16 MiB; is this a problem file?");
    if (!is_json(text, length))
        return open_text(r, text, length, root);
    join_surrogates(text, length, &joined);
    const int status = joined.failed ? app_node_no_memory(r) : open_text(r, joined.data, joined.length, root);
    app_text_free(&joined);
    return status;
}
