/*
 * What an evaluation answers: the last line of its standard output that is a JSON object. Output is fed as it
 * comes, however much of it; only one line and one answer are kept.
 */
#ifndef CKG_APP_ANSWER_H
#define CKG_APP_ANSWER_H

#include "define/values.h"

struct app_answer {
    struct app_text line;
    int overlong;               /* the line is longer than any answer; it is left aside */
    json_t *object;             /* the last that was one, or NULL */
    struct app_message problem; /* with the last line that looked like an answer; "" for none */
};

void app_answer_feed(struct app_answer *answer, const char *bytes, size_t length);

/* The output is over. */
void app_answer_end(struct app_answer *answer);

void app_answer_free(struct app_answer *answer);

/*
 * measured (1 + K) and *count >= 1 by the answer to this trial, or CKG_ERR_INVALID and the reason in one
 * line.
 */
int app_answer_read(const struct app_answer *answer, const struct app_definition *definition, int trial,
                    ckg_measurement *measured, int *count, struct app_message *why);

#endif
