/*
 * What an evaluation answers: the last JSON object of its standard output that begins at the start of a line
 * and ends at the end of one, on one line or over several. Output is fed as it comes, however much of it;
 * only what may still be the answer and the end of the output are kept.
 */
#ifndef CKG_APP_ANSWER_H
#define CKG_APP_ANSWER_H

#include "definition/values.h"

/* A line of this alone stands between the answers of several commands. */
#define APP_ANSWER_NEXT '\036'

/* As much of the output's end is kept for people; objects that may be under way at the same time. */
enum { APP_ANSWER_BYTES = 65536, APP_ANSWER_OPEN = 32 };

/* An object that begins at that byte of the output and has not ended yet. */
struct app_answer_open {
    size_t at;
    int depth; /* brackets to be closed */
};

struct app_answer {
    struct app_text line;
    int overlong; /* the line is longer than any answer; it is left aside */
    size_t fed;   /* where the line begins, counted from the output's first byte */
    size_t seen;  /* bytes of output so far */

    struct app_text lines; /* from the first object under way on */
    size_t from;           /* where that begins */
    int open_count;
    struct app_answer_open open[APP_ANSWER_OPEN]; /* (open_count) the oldest first */

    int parts;      /* set by the caller: several commands answer, and their objects count together */
    json_t *before; /* what those have answered that are over, NULL: none is */
    int lacking;    /* one of them has not */

    json_t *object; /* the last that was one, or NULL */
    size_t object_at;
    struct app_message problem; /* with what looked like an answer since; "" for none */

    struct app_text tail; /* the end of the output */
    int cut;              /* there was more before it */
};

/* What an answer says beyond the outcomes. */
struct app_answer_rest {
    struct app_text extra; /* an object with all members that are no outcome; empty: there are none */
    struct app_text notes; /* lines for people; empty: there is nothing odd */
};

void app_answer_feed(struct app_answer *answer, const char *bytes, size_t length);

/* The output is over. */
void app_answer_end(struct app_answer *answer);

void app_answer_free(struct app_answer *answer);

/*
 * measured (1 + K) and *count >= 1 by the answer to this trial, or CKG_ERR_INVALID and the reason in one
 * line. The rest is the caller's to free.
 */
int app_answer_read(const struct app_answer *answer, const struct app_definition *definition, int trial,
                    ckg_measurement *measured, int *count, struct app_answer_rest *rest,
                    struct app_message *why);

void app_answer_rest_free(struct app_answer_rest *rest);

/* The output, or its end, as valid text; NULL for nothing. The caller frees it. */
char *app_answer_text(const struct app_answer *answer);

#endif
