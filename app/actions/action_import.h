/*
 * Designs and trials in files: CSV with a header, or one JSON object per line. Which of the two is seen from
 * the first character. Trials are written with every digit, and read back as the same bits.
 */
#ifndef CKG_APP_ACTION_IMPORT_H
#define CKG_APP_ACTION_IMPORT_H

#include "study/record.h"

/*
 * X (count × d) from the file's rows; what else stands in them is left aside. "-" is standard input. The
 * caller frees *X.
 */
int app_points_read(const struct app_definition *definition, const char *path, double **X, int *count,
                    struct app_message *message);

/* Trials read from a file; free the pool. */
struct app_imported {
    struct app_pool pool; /* of the trials */
    int count;
    struct app_trial *trials; /* (count) numbered by the line they stand on */
    int queued;               /* of them: without a result, so to be evaluated */
    int discarded;            /* rows of discarded trials, left out */
    int known;                /* rows that the study has already, left out when they were added */
    int unknown;              /* rows outside the parameters' ranges, left out when lenient */
};

/*
 * Reads trials. A column that the definition does not know, or a design outside its ranges, is refused; with
 * `lenient` such columns and rows are left out. A row without a result is a pending trial, queued for a run;
 * its design must be one that can be made.
 */
int app_trials_read(const struct app_definition *definition, const char *path, int lenient,
                    struct app_imported *out, struct app_message *message);

/* The same from text. */
int app_trials_parse(const struct app_definition *definition, const char *text, size_t length,
                     const char *path, int lenient, struct app_imported *out, struct app_message *message);

/*
 * Takes the lock, leaves out what the study has already unless `again`, and looks whether all others could be
 * added. `path` stands in the complaints. CKG_ERR_STATE: the budget has no room for what is queued.
 */
int app_imported_check(struct app_study *record, struct app_imported *imported, int again, const char *path);

/* Adds them as one change, numbered behind the study's own; command as it was typed. */
int app_imported_add(struct app_study *record, const struct app_imported *imported, const char *command);

/* All trials as CSV. */
void app_trials_write_csv(const struct app_study *record, struct app_text *out);

#endif
