/*
 * Comma-separated values as RFC 4180 has them: quotes around a field that holds a comma, a quote or a
 * newline, quotes inside doubled.
 */
#ifndef CKG_APP_CSV_H
#define CKG_APP_CSV_H

#include "base/text.h"

/* A table read; rows may have different numbers of fields. */
struct app_csv {
    int rows;
    struct app_csv_row {
        int line; /* of the file, from 1 */
        int count;
        char **field; /* (count) */
    } * row;
};

/*
 * Reads `length` bytes of text; a byte-order mark at its start and empty lines are left aside. `path` stands
 * in the complaints.
 */
int app_csv_read(struct app_csv *out, const char *text, size_t length, const char *path,
                 struct app_message *message);

void app_csv_free(struct app_csv *csv);

/* Adds a field, with a comma before it unless it is the first of its line. */
void app_csv_field(struct app_text *out, const char *field, int *first);

#endif
