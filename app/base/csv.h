/*
 * Comma-separated values as RFC 4180 has them: quotes around a field that holds a comma, a quote or a
 * newline, quotes inside doubled. Semicolons or tabs may stand in place of the commas, as spreadsheets write
 * them where the comma is the decimal sign.
 */
#ifndef CKG_APP_CSV_H
#define CKG_APP_CSV_H

#include "base/pool.h"
#include "base/text.h"

/* A table read; rows may have different numbers of fields. */
struct app_csv {
    struct app_pool pool; /* of the rows */
    char separator; /* what stands between fields: a comma, or a semicolon or tab where the first line has no
                       comma */
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

/*
 * Numbers with decimal commas become such with points, in the columns (of the first row) that are `numeric`.
 * Where that could be read in two ways it is refused: a comma in a table that has points too, or one whose
 * fields are separated by commas.
 */
int app_csv_points(struct app_csv *csv, const unsigned char *numeric, const char *path,
                   struct app_message *message);

void app_csv_free(struct app_csv *csv);

/*
 * Adds a field, with a comma before it unless it is the first of its line. A text that a spreadsheet would
 * take for a formula, as it begins with =, +, - or @ and is no number, gets an apostrophe before it; so does
 * one with apostrophes before that, so that the next function gives back exactly what it was.
 */
void app_csv_field(struct app_text *out, const char *field, int *first);

/* Takes that apostrophe off again, in place. */
void app_csv_unguard(char *field);

#endif
