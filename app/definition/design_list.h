/*
 * A finite list of designs to choose from (`choose_from`), as a table of texts: from a CSV, or written out in
 * the problem file, which is how a store keeps it. Columns are parameters, or are passed on with the design
 * they belong to.
 */
#ifndef CKG_APP_DESIGN_LIST_H
#define CKG_APP_DESIGN_LIST_H

#include "definition/reader.h"

struct app_choice {
    struct app_pool pool; /* of what it points to */
    const char *file;     /* of the CSV, for complaints; NULL: it stands in the problem file */
    int rows, columns;
    const char **name;      /* (columns) */
    struct app_value *cell; /* (rows × columns) */
    int *line;              /* (rows) in the CSV */
    const yaml_node_t **at; /* (rows) in the problem file */
};

/* The table at the node: the name of a CSV beside the problem file, or a list of designs. */
int app_choice_read(struct app_reader *r, const yaml_node_t *node, struct app_choice *out);

/* The column of that name, -1: there is none. */
int app_choice_find(const struct app_choice *choice, const char *name);

/* 1 when every cell of the column is a number; the smallest and the largest. */
int app_choice_range(const struct app_choice *choice, int column, double *low, double *high);

/* Parameters from its columns, for a file that declares none. */
int app_choice_parameters(struct app_reader *r, const yaml_node_t *node, const struct app_choice *choice);

/* A categorical whose values are those of the column, which are kept. */
int app_choice_categorical(struct app_reader *r, const struct app_choice *choice, int column,
                           const struct app_value **values);

/* The list of the problem, once its parameters are known, and what is passed on with it. */
int app_choice_apply(struct app_reader *r, const yaml_node_t *node, struct app_choice *choice);

#endif
