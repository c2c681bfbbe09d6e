/*
 * The keys of a problem file: each is one row of its mapping's table, by which it is read, written as JSON
 * and documented (the page docs/howto/problem-file.md by scripts/key-docs.sh, and the manual page
 * ckg-problem(5)). A table stands beside what reads its mapping; all of them are listed in file_schema.c.
 */
#ifndef CKG_APP_FILE_SCHEMA_H
#define CKG_APP_FILE_SCHEMA_H

#include "definition/reader.h"

/* How the value of a key stands in the file, and in the struct that is filled. */
enum app_key_kind {
    APP_KEY_OTHER,   /* read and written by functions, or by hand */
    APP_KEY_NODE,    /* const yaml_node_t *: whatever it is */
    APP_KEY_WHOLE,   /* int: low … high */
    APP_KEY_REAL,    /* double: above 0 */
    APP_KEY_LINE,    /* char *: of at most `high` bytes, or one of the words */
    APP_KEY_WORD,    /* int: the number of one of the words */
    APP_KEY_LINES,   /* struct app_words: at most `low` of them (0: 1000), each of at most `high` bytes */
    APP_KEY_MAPPING, /* a struct by a table of its own, and an int that says whether it is there */
    APP_KEY_PAIRS    /* struct app_pairs: a mapping, each value as read_value has it */
};

struct app_schema;

struct app_key {
    const char *name;
    const char *values;   /* what it may be, as typed where that is short */
    const char *standard; /* what holds without it; "needed" where it must be there */
    const char *meaning;  /* a sentence or two, without a full stop at the end */

    enum app_key_kind kind;
    size_t at; /* of the value in the struct */
    int low, high;
    int always;           /* 1: written although it is 0, or there is none of it */
    const char *what;     /* as complaints call it, or one of a list */
    const char *expected; /* of a list, a mapping or a word */
    const char *const *words;
    const struct app_schema *schema;
    size_t used; /* of the int */

    /* Where the kind does not say it all. */
    int (*read)(struct app_reader *r, const yaml_node_t *node);
    int (*read_value)(struct app_reader *r, const yaml_node_t *key, const yaml_node_t *value, char **out);
    void (*write)(const struct app_definition *definition, const char *name, struct app_text *out);
};

/* The row of a key whose node goes to the member of its name. */
#define APP_NODE_KEY(type, key, ...)                                                                         \
    {                                                                                                        \
        .name = #key, __VA_ARGS__, .kind = APP_KEY_NODE, .at = offsetof(type, key)                           \
    }

/* A mapping of the file. */
struct app_schema {
    const char *what;  /* as complaints call it, such as "a parameter" */
    const char *title; /* of its section */
    const char *where; /* how it stands in the file */
    int count;         /* 0: the library's list of options (ckg_option_at) */
    const struct app_key *keys;
    int (*check)(struct app_reader *r, const yaml_node_t *mapping); /* once its keys are known; may be NULL */
};

/* Every mapping; ends with NULL. */
extern const struct app_schema *const app_schemas[];

extern const struct app_schema app_schema_file, app_schema_parameter, app_schema_objective,
    app_schema_constraint, app_schema_evaluate, app_schema_slurm, app_schema_work, app_schema_results,
    app_schema_stop, app_schema_model;

/* Adds a list of texts. */
void app_words_write(const char *name, int count, char *const *words, struct app_text *out);

/*
 * Reads the mapping into the struct, key by key in the order of the table; what is not given stays as it is.
 * A key that is not in the table or is given twice is refused.
 */
int app_schema_read(struct app_reader *r, const yaml_node_t *node, const struct app_schema *schema,
                    void *out);

/* Adds the members that the struct has, in the order of the table; it is part of the definition. */
void app_schema_write(const struct app_definition *definition, const struct app_schema *schema,
                      const void *from, struct app_text *out);

#endif
