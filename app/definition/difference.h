/* What a problem file changed against the definition that a store keeps, in words. */
#ifndef CKG_APP_DIFFERENCE_H
#define CKG_APP_DIFFERENCE_H

#include "definition/definition.h"

enum { APP_MOST_DIFFERENCES = 64 };

struct app_difference {
    int count;
    struct app_text line[APP_MOST_DIFFERENCES]; /* (count) "limit of stress from 0 to 5" */
    struct app_message refused; /* what the trials would lose their meaning by; empty: nothing */
};

/*
 * Everything that differs in goal, outcomes and parameters, and a policy whose name has another meaning than
 * when the study began. What only the program knows, such as budget or units, may change at any time and is
 * not looked at.
 */
void app_difference_find(struct app_difference *out, const struct app_definition *old,
                         const struct app_definition *now);

/* The lines, with this between them. */
void app_difference_write(const struct app_difference *difference, const char *between, struct app_text *out);

void app_difference_free(struct app_difference *difference);

/*
 * Which outcome of the old definition has the values of this one of the new: the one of that name, or one
 * that was renamed; -1: it was not measured before. An objective was renamed where the old name is gone, a
 * constraint where one in its place with its limits is.
 */
int app_outcome_before(const struct app_definition *old, const struct app_definition *now, int outcome);

#endif
