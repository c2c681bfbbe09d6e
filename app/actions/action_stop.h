/*
 * What more evaluations of a study are expected to gain, and whether that is so little that a run ends.
 *
 * Whether it ends follows from the trials alone: the gain after m evaluations is that of a study which knows
 * the first m trials that have ended, in the order of their numbers. So an interrupted run ends where the
 * whole one would have, and the bar can be changed between runs.
 */
#ifndef CKG_APP_ACTION_STOP_H
#define CKG_APP_ACTION_STOP_H

#include "study/record.h"

/* The gain that would be too little, in the objective's units; NAN where it cannot be said. */
double app_stop_bar(const struct app_definition *definition, const ckg_gain *gain);

/* What is remembered from one look to the next; begin with zeroes, end with app_stop_forget. */
struct app_stop_watch {
    struct app_stop_mark *marks; /* (room) of the gain after so many evaluations */
    int room;
    int reached;   /* 1: the run ends here */
    ckg_gain gain; /* as of the last look */
};

/*
 * Looks whether the rest of the budget was expected to gain too little after each of the last evaluations.
 * `interrupt`, unless NULL, may cut a look short (see ckg_study_set_interrupt): nothing is reached then.
 */
int app_stop_look(struct app_study *record, struct app_stop_watch *watch, int (*interrupt)(void *),
                  void *context);

/*
 * How a study stands, for whoever looks: the gain as of now, and whether a run would end. Where the models
 * can say nothing that is not known; CKG_ERR_CANCELLED, CKG_ERR_NOMEM and CKG_ERR_SYSTEM are errors.
 */
int app_stop_standing(struct app_study *record, struct app_stop_watch *out);

void app_stop_forget(struct app_stop_watch *watch);

#endif
