/* Whether a study's store is whole, and what is left of it where it is not. */
#ifndef CKG_APP_ACTION_VERIFY_H
#define CKG_APP_ACTION_VERIFY_H

#include "study/record.h"

/* Something that was found, as struct app_trouble. */
struct app_finding {
    char part[8];
    int number, harmless;
    char text[240];
};

/* What a store was found to be; zeroes: nothing yet. */
struct app_verification {
    int trials;  /* how many there should be */
    int damaged; /* how many findings are damage */
    int unknown; /* 1: the study's definition is lost, so that its trials cannot be read */
    int count, capacity;
    struct app_finding *findings; /* (count) */
};

/*
 * Looks at everything. The record has the trials that are whole then, whatever their numbers, in their
 * order; nothing else can be done with it than to write them out and close it. The definition is the store's,
 * or the problem file's where that is lost. A store that cannot be opened at all is a status with a message.
 */
int app_verification_make(struct app_verification *out, struct app_study *record,
                          const struct app_study_address *place, struct app_message *message);
void app_verification_free(struct app_verification *verification);

#endif
