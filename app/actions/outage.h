/*
 * Whether failures in a row look like an outage rather than like designs that fail: a licence server that is
 * down, a full disk, a script with a mistake. It follows from the trials that a run has evaluated, so every
 * program that looks at a store says the same.
 */
#ifndef CKG_APP_OUTAGE_H
#define CKG_APP_OUTAGE_H

#include "study/record.h"

/* The failures at the end of a study that make it pause. */
struct app_outage {
    int count;       /* how many; 0: it is not paused */
    int first, last; /* their trials; others that are set aside or under way may lie between */
    int alike;       /* 1: all for the same reason */
    int nothing_yet; /* 1: no evaluation has succeeded so far */
    const char *why; /* the reason of the last, borrowed from its trial */
};

/*
 * Fills it; 1 when the study is paused. By default that is: the first three evaluations; later on three alike
 * that do not lie together, or five. But only where as many would be a chance below 1 in 1,000 by the share
 * that failed so before, or 1 in a million where some did. With `pause_after: n`: n in a row; 0: never.
 */
int app_outage_find(const struct app_study *record, struct app_outage *out);

/* The failures at the end as they are, whether the study is paused or not. */
struct app_outage app_outage_streak(const struct app_study *record);

/* 1 when the trial is one of them. */
int app_outage_has(const struct app_outage *outage, const struct app_trial *trial);

/* 1 when the two reasons are the same but for numbers in what the evaluation said. */
int app_same_reason(const char *a, const char *b);

#endif
