/*
 * What the readers of a problem file's parts share. The reader remembers its first complaint: whoever follows
 * it returns its status and says nothing more, so that steps need not ask after each other. Each function
 * returns that status, CKG_OK while there is none.
 */
#ifndef CKG_APP_READER_H
#define CKG_APP_READER_H

#include "definition/definition.h"
#include "definition/node.h"

struct app_choice;

struct app_reader {
    yaml_document_t yaml;
    const char *path; /* stands in the complaints */
    struct app_message *message;
    int status; /* of the first complaint, which the message has */
    struct app_definition *out;
    const yaml_node_t *mapping;      /* that the key which is being read stands in */
    void *into;                      /* the struct that the mapping fills */
    int is_file;                     /* 1: a problem file, which must have a budget */
    const struct app_choice *choice; /* the designs to choose from, NULL: there is no list */
    struct app_text warnings;        /* a line each */
};

#define APP_KEYS(table) (int)(sizeof table / sizeof *table), table

/* Room that lives as long as the definition, all zeroes; NULL: no memory. */
void *app_reader_new(struct app_reader *r, int count, size_t size);

/* A copy that lives as long. */
int app_reader_keep(struct app_reader *r, const char *text, char **out);

/* The text of one line at the node (app_node_line), kept likewise; the value (app_node_typed). */
int app_reader_line(struct app_reader *r, const yaml_node_t *node, const char *what, int most, char **out);
int app_reader_typed(struct app_reader *r, const yaml_node_t *node, struct app_value *out);

/* What the library said of it, at the node that gave it the words. */
int app_reader_check(struct app_reader *r, const yaml_node_t *node, int status);

/* What works but is probably not meant, at the node. */
void app_reader_warn(struct app_reader *r, const yaml_node_t *node, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* 1 while there is no complaint, and the list has this item; the mapping this pair, whose key is a new text.
 */
int app_reader_has_item(const struct app_reader *r, const yaml_node_t *list, int index);
int app_reader_has_pair(struct app_reader *r, const yaml_node_t *mapping, int index);

/* An item of a list; the key and the value of a mapping's pair. */
const yaml_node_t *app_reader_item(struct app_reader *r, const yaml_node_t *list, int index);
const yaml_node_t *app_reader_key(struct app_reader *r, const yaml_node_t *mapping, int index);
const yaml_node_t *app_reader_value(struct app_reader *r, const yaml_node_t *mapping, int index);

/* The value of a mapping's key, NULL: it is not given. */
const yaml_node_t *app_reader_find(struct app_reader *r, const yaml_node_t *mapping, const char *key);

/* Room for the labels of all parameters, and for so many that may be fixed. */
int app_reader_variables(struct app_reader *r, int count);

/* The title of something of that name, where it has a unit. */
int app_read_title(struct app_reader *r, const char *name, struct app_label *out);

/* What the tables of the file cannot say; `name` is the member that is written. */
int app_read_parameters(struct app_reader *r, const yaml_node_t *node);
void app_write_parameters(const struct app_definition *definition, const char *name, struct app_text *out);
int app_read_objective(struct app_reader *r, const yaml_node_t *node);
void app_write_objective(const struct app_definition *definition, const char *name, struct app_text *out);
int app_read_constraint(struct app_reader *r, const yaml_node_t *key, const yaml_node_t *node, char **name);
void app_write_constraints(const struct app_definition *definition, const char *name, struct app_text *out);
int app_read_groups(struct app_reader *r, const yaml_node_t *node);
void app_write_groups(const struct app_definition *definition, const char *name, struct app_text *out);
int app_read_designs(struct app_reader *r, const yaml_node_t *node);
void app_write_designs(const struct app_definition *definition, const char *name, struct app_text *out);
int app_read_policy(struct app_reader *r, const yaml_node_t *node);
void app_write_policy(const struct app_definition *definition, const char *name, struct app_text *out);
int app_read_model(struct app_reader *r, const yaml_node_t *node);
void app_write_model(const struct app_definition *definition, const char *name, struct app_text *out);

/* Once all of the problem is read: costs go together, and the rules leave something. */
int app_check_costs(struct app_reader *r, const yaml_node_t *node);
int app_check_rules(struct app_reader *r, const yaml_node_t *node);

#endif
