/* How a study stands, in words: the same on a terminal, in the report and on pages. */
#ifndef CKG_APP_STATEMENT_H
#define CKG_APP_STATEMENT_H

#include "actions/action_stop.h"
#include "actions/action_verify.h"
#include "actions/outage.h"

/* All of it, a line each: how far it is, the best so far, what holds it back, what is gained by going on, who
 * works at it. */
int app_status_text(struct app_study *record, struct app_text *out);

/* "0.0021 by one more evaluation, 0.034 by the other 67", or that it is not known yet, and why. */
void app_gain_text(const struct app_study *record, const ckg_gain *gain, struct app_text *out);

/*
 * After a run, a line each: how soon the best was found (after that many evaluations, 0: not known), and what
 * more evaluations are expected to gain, in the objective's unit.
 */
void app_prospects_text(const struct app_study *record, int needed, const ckg_gain *gain,
                        struct app_text *out);

/* Why the study has stopped, in words: how much the rest is expected to gain, and what is too little. */
void app_stop_text(const struct app_study *record, const struct app_stop_watch *watch, struct app_text *out);

/* Adds "paused by anna@lab since 2026-01-31 14:00"; 0 where it is not held. */
int app_pause_text(const struct app_pause *pause, struct app_text *out);

/*
 * Adds "the last 5 evaluations failed alike (trials 13 to 17, exit status 1: no licence)", how to go on and
 * the commands to be typed.
 */
void app_outage_text(const struct app_study *record, struct app_text *out);

/* A study as the list of a store has it, in one line; budget 0: nobody has said. */
void app_study_seen_text(const struct app_study_seen *study, int budget, struct app_text *out);

/* A line for each finding in a store, and one for all where nothing is damaged. */
void app_verification_text(const struct app_study *record, const struct app_verification *verification,
                           struct app_text *out);

#endif
