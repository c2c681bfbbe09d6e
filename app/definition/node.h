/*
 * A YAML document by libyaml whose every complaint has the place it is about: "path:line:column: what is
 * wrong". The document is a graph: through an alias a node may stand in several places, or inside itself, so
 * nobody walks it to its end.
 */
#ifndef CKG_APP_NODE_H
#define CKG_APP_NODE_H

#include <stddef.h>

#include <yaml.h>

#include "definition/typed.h"

struct app_reader;

/* Opens the one document of the text, and gives its root. After a failure there is nothing to delete. */
int app_node_open(struct app_reader *r, const char *text, size_t length, const yaml_node_t **root);

/* Writes the message, at the node's place, and returns CKG_ERR_INVALID; CKG_ERR_NOMEM the second. */
int app_node_complain(struct app_reader *r, const yaml_node_t *node, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/*
 * The same at byte `at` of a text, where it stands in the file as it was read: in one line, without escapes;
 * else at the text's beginning.
 */
int app_node_complain_inside(struct app_reader *r, const yaml_node_t *node, int at, const char *what);
int app_node_no_memory(struct app_reader *r);

/* "… is expected, not" what is there. */
int app_node_expect(struct app_reader *r, const yaml_node_t *node, const char *expected);

/*
 * "unknown kind 'word' of …": it is not among the names; with the one that was probably meant, or all of
 * them. `of` may be empty.
 */
int app_node_unknown(struct app_reader *r, const yaml_node_t *node, const char *kind, const char *of,
                     int count, const char *const *names);

/* 1 for a scalar without a zero byte inside; its text. */
int app_node_is_text(const yaml_node_t *node);
const char *app_node_text(const yaml_node_t *node);

/* 1 for a key without a value, and for a bare null or ~. */
int app_node_is_nothing(const yaml_node_t *node);

/* 1 for that text, in quotes or without; 0 for a NULL node. */
int app_node_is_word(const yaml_node_t *node, const char *word);

/* 1 for a text without control characters and ends of lines. */
int app_node_is_one_line(const char *text);

/* How many pairs a mapping or items a list has. */
int app_node_pairs(const yaml_node_t *node);
int app_node_items(const yaml_node_t *node);

/* A finite number in low … high, written bare; 1 where it is one. */
int app_node_is_number(const yaml_node_t *node, double low, double high, double *out);

/* The same, and a whole one, or a complaint. */
int app_node_number(struct app_reader *r, const yaml_node_t *node, double low, double high, double *out);
int app_node_whole(struct app_reader *r, const yaml_node_t *node, int low, int high, int *out);

/* The longest name of anything, in bytes. */
enum { APP_LONGEST_NAME = 200 };

/*
 * A text that goes into tables, pages, files and arguments, which complaints call `what`: one line, not
 * empty, of at most so many bytes. It is the document's.
 */
int app_node_line(struct app_reader *r, const yaml_node_t *node, const char *what, int most,
                  const char **out);

/*
 * A value in the types of JSON: a bare number, as short as it reads back the same, which stands in the
 * buffer; a bare true or false; any other name as a text, which is the document's.
 */
int app_node_typed(struct app_reader *r, const yaml_node_t *node, char number[32], struct app_value *out);

/* true or false, written bare. */
int app_node_boolean(struct app_reader *r, const yaml_node_t *node, int *out);

/* The key of that pair is a text, stands once so far and is not the merge key <<. */
int app_node_check_key(struct app_reader *r, const yaml_node_t *mapping, int pair);

/*
 * The nodes of a mapping's values, in the order of the names (count), NULL for what is not given. `what` is
 * the thing described, as in "a parameter". A key that is not among the names or is given twice is refused.
 */
int app_node_mapping(struct app_reader *r, const yaml_node_t *node, const char *what, int count,
                     const char *const *names, const yaml_node_t **values);

#endif
