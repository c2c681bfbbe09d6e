/*
 * The keys of a problem file: each is one row of its mapping's table, by which it is read, checked, written
 * as JSON, compared and documented (the page docs/howto/problem-file.md by scripts/key-docs.sh, and the
 * manual page ckg-problem(5)). A table stands beside what only functions can say of its mapping; all of them
 * are listed in file_schema.c.
 */
#ifndef CKG_APP_FILE_SCHEMA_H
#define CKG_APP_FILE_SCHEMA_H

#include "definition/reader.h"

/* How the value of a key stands in the file, and in the struct that is filled. */
enum app_key_kind {
    APP_KEY_OTHER,   /* read and written by functions alone */
    APP_KEY_WHOLE,   /* int: low … high */
    APP_KEY_REAL,    /* double: low … high, any where both are 0; NAN or infinite: not given */
    APP_KEY_BOOLEAN, /* int: true is 1 */
    APP_KEY_WORD,    /* int: the number of one of the words, the first being `low` */
    APP_KEY_LINE,    /* char *: of at most `high` bytes, or one of the words */
    APP_KEY_LINES,   /* struct app_words: at most `low` of them (0: 1000), each of at most `high` bytes */
    APP_KEY_VALUE,   /* struct app_value */
    APP_KEY_MAPPING, /* a struct by a table of its own, and an int that says whether it is there */
    APP_KEY_PAIRS,   /* struct app_pairs: a mapping, each value as `each` has it */
    APP_KEY_NAMED    /* a mapping of at most `high` names, each read by `each` */
};

struct app_schema;

struct app_key {
    const char *name;
    const char *values;   /* what it may be, as typed where that is short */
    const char *standard; /* what holds without it; "needed" where it must be there */
    const char *meaning;  /* a sentence or two, without a full stop at the end */

    enum app_key_kind kind;
    size_t at; /* of the value in the struct */
    double low, high;
    int always;           /* 1: written although it is 0, or there is none of it */
    const char *what;     /* as complaints call it, or one of a list */
    const char *expected; /* of a list, a mapping or a word; NULL: the words are listed */
    const char *const *words;
    const struct app_schema *schema;
    size_t used; /* of the int */

    const char *missing; /* the complaint where it must be given, and is not */
    const char *instead; /* a key that may be given in its place */
    int of_files;        /* 1: what a store keeps may lack it */
    const char *changed; /* as a difference calls it ("scale"); NULL: it may change at any time */

    /* Where the kind does not say it all. What is read goes to r->into, the struct that is filled. */
    int (*read)(struct app_reader *r, const yaml_node_t *node);
    int (*check)(struct app_reader *r, const yaml_node_t *node); /* once it is read */
    int (*each)(struct app_reader *r, const yaml_node_t *key, const yaml_node_t *value, char **out);
    void (*write)(const struct app_definition *definition, const char *name, struct app_text *out);
    void (*add)(const void *from, const char *name, struct app_text *out); /* the same, from the struct */
    void (*show)(const void *from, struct app_text *out);                  /* for people, in a difference */
};

/* Rows that several tables have. */
#define APP_UNIT_KEY .kind = APP_KEY_LINE, .high = 40, .what = "a unit"
#define APP_DESCRIPTION_KEY .kind = APP_KEY_LINE, .high = 1000, .what = "a description"

/* A mapping of the file. */
struct app_schema {
    const char *what;  /* as complaints call it, such as "a parameter" */
    const char *title; /* of its section */
    const char *where; /* how it stands in the file */
    int count;         /* 0: the library's list of options (ckg_option_at) */
    const struct app_key *keys;
};

/* Every mapping; ends with NULL. */
extern const struct app_schema *const app_schemas[];

extern const struct app_schema app_schema_file, app_schema_parameter, app_schema_objective,
    app_schema_constraint, app_schema_evaluate, app_schema_work, app_schema_results, app_schema_stop,
    app_schema_model;

/* The `add` of a key that is only read. */
void app_key_unwritten(const void *from, const char *name, struct app_text *out);

/* Adds a list of texts. */
void app_words_write(const char *name, int count, char *const *words, struct app_text *out);

/*
 * Reads the mapping into the struct, key by key in the order of the table; what is not given stays as it is.
 * A key that is not in the table or is given twice is refused.
 */
int app_schema_read(struct app_reader *r, const yaml_node_t *node, const struct app_schema *schema,
                    void *out);

/* Reads a mapping of names, each as the row has it; into pairs, unless they are NULL (APP_KEY_NAMED). */
int app_schema_each(struct app_reader *r, const struct app_key *row, const yaml_node_t *node,
                    struct app_pairs *pairs);

/* Adds the member of that name with what the struct has, in the order of the table. */
void app_schema_write(const struct app_definition *definition, const struct app_schema *schema,
                      const void *from, const char *name, struct app_text *out);

/* What a difference is told to: "scale", "linear", "log". */
typedef void app_differs(void *context, const char *what, const char *old, const char *now);

/* Calls it where the texts are not the same; they are freed. */
void app_text_differ(struct app_text *old, struct app_text *now, const char *what, app_differs *differs,
                     void *context);

/* The same for each key with a name for its changes (`changed`). */
void app_schema_compare(const struct app_schema *schema, const void *old, const void *now,
                        app_differs *differs, void *context);

#endif
