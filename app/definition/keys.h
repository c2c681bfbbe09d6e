/*
 * Every key of a problem file, in words: one table, from which the page docs/howto/problem-file.md
 * (scripts/key-docs.sh) and the manual page ckg-problem(5) are made. A new key is a row here; a test compares
 * the rows with what the readers accept.
 */
#ifndef CKG_APP_KEYS_H
#define CKG_APP_KEYS_H

struct app_file_key {
    const char *name;
    const char *values;   /* what it may be, as typed where that is short */
    const char *standard; /* what holds without it; "needed" where it must be there */
    const char *meaning;  /* a sentence or two, without a full stop at the end */
};

/* A mapping of the file. */
struct app_file_part {
    const char *what;                /* as complaints call it, such as "a parameter" */
    const char *title;               /* of its section */
    const char *where;               /* how it stands in the file */
    const struct app_file_key *keys; /* ends with an empty name; NULL: ckg_option_at has them */
};

/* Every part; the last has no name. */
extern const struct app_file_part app_file_parts[];

#endif
