/* Trials set aside, taken in again, or to be evaluated again; and a change taken back. */
#ifndef CKG_APP_ACTION_RETRY_H
#define CKG_APP_ACTION_RETRY_H

#include "study/record.h"

/* Changes the copy of a trial in its own way, or refuses to. */
typedef int app_correction_make(const struct app_study *record, struct app_trial *trial);

app_correction_make app_correction_discard, app_correction_restore, app_correction_retry;

/*
 * All of these trials, none of which runs, changed in that way by one change, or none; `kind` as in struct
 * app_change. note NULL: none; command as it was typed.
 */
int app_study_correct(struct app_study *record, int count, const int *numbers, const char *kind,
                      app_correction_make *correction, const char *note, const char *command);

/*
 * numbers (count) ← the trials that have failed, from that one on and since that moment, seconds since 1970
 * (−∞: any); how many. There is room for all trials.
 */
int app_study_failed(const struct app_study *record, int from, double since, int *numbers);

/* The last change that holds, and how many do; freed by app_last_free. */
struct app_last_change {
    int left;
    int number; /* 0: there is none */
    struct app_text command, who;
    struct app_text definition; /* of before, empty where the problem stays */
    double made;
};

/*
 * Takes the last change back. CKG_ERR_STATE: there is none, or a run has given one of its trials a result
 * since, and give_up is 0.
 */
int app_study_undo(struct app_study *record, int give_up, struct app_last_change *undone);
void app_last_free(struct app_last_change *last);

#endif
