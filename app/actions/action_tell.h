/* What somebody says of a trial: values, the design that was really made, or why there are none. */
#ifndef CKG_APP_ACTION_TELL_H
#define CKG_APP_ACTION_TELL_H

#include "study/record.h"

struct app_telling {
    int count;
    ckg_measurement *measured; /* (count) room for all outcomes */
    unsigned char *named;      /* (1 + K) 1: named, perhaps as not measured */
    int names;                 /* how many are */
    int moved;                 /* 1: a design is given */
    double *x;                 /* (d) */
    const char *why;           /* NULL: it did not fail */
    const char *note;          /* a remark, NULL: none */
    int replace;               /* 1: what was told before may be corrected */
};

/* Room for what may be said of a trial of this study, with the trial's design in x. */
int app_telling_new(struct app_telling *out, const struct app_study *record, int number);
void app_telling_free(struct app_telling *telling);

/* One more outcome is told; given 0: as not measured. CKG_ERR_INVALID: it was told already. */
int app_telling_add(const struct app_study *record, struct app_telling *telling, int outcome, int given,
                    const ckg_measurement *measured);

/*
 * What is said of it: an object of outcomes, null for one that was not measured, and one of the parameters of
 * the design that was really made where they are not the trial's; NULL: none. CKG_ERR_INVALID: it makes no
 * sense, or was said already.
 */
int app_telling_read(const struct app_study *record, const json_t *values, const json_t *at,
                     struct app_telling *telling);

/* Something is told, and not both values and why there are none; the design can be made. */
int app_telling_check(const struct app_study *record, const struct app_telling *telling);

/* What stands in the history of who has typed no command: "tell 7 {…} (from WHERE)". */
void app_telling_words(const struct app_study *record, int number, const struct app_telling *telling,
                       const char *where, struct app_text *out);

/*
 * Makes the trial what is said of it, as a change that can be undone; `command` as it was typed. The trial
 * must not be running. CKG_ERR_STATE: it was told before, and nothing is to be replaced.
 */
int app_telling_record(struct app_study *record, int number, const struct app_telling *telling,
                       const char *command);

#endif
