/*
 * A changed problem: another definition becomes the study's, with every trial as it is by that, or the change
 * is refused. It is a change like others, which can be undone.
 */
#ifndef CKG_APP_ACTION_CHANGE_H
#define CKG_APP_ACTION_CHANGE_H

#include "definition/difference.h"
#include "study/record.h"

/* What changes, and what that does to the trials; freed by app_changed_free. */
struct app_changed {
    struct app_difference difference;
    struct app_pool pool;     /* of what follows */
    int count;                /* of the record's trials */
    struct app_trial *trials; /* (count) as they are by the new definition */
    int aside, back;          /* how many are set aside, and taken in again */
    int *aside_number, *back_number;
    int feasible_before, feasible_after;
};
void app_changed_free(struct app_changed *changed);

struct app_changing {
    const char *command; /* as it was typed; NULL: it is only found out what the change would do */
    /* CKG_OK: it is wanted; with another status nothing is changed. NULL: it is. */
    int (*agrees)(void *context, const struct app_study *record, const struct app_changed *changed);
    void *context;
};

/*
 * The study goes on by `now`, which the record takes for its own: what it had is in `now` then. It is to be
 * opened anew afterwards. CKG_ERR_INVALID: some trial, or all, would lose their meaning, and the message says
 * why. Without a difference nothing is changed, and nobody is asked.
 */
int app_change(struct app_study *record, struct app_definition *now, const struct app_changing *how,
               struct app_changed *out);

/*
 * Whether the study could go back to the definition of before its last change: CKG_ERR_STATE where a trial
 * that was added or told since would not be one of it.
 */
int app_study_check_back(struct app_study *record, const char *definition);

#endif
