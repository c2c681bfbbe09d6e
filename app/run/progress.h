/*
 * What a run shows while it works: a block on a terminal; in a pipe a line where something is learnt, or one
 * for each evaluation; JSON lines; or nothing.
 */
#ifndef CKG_APP_PROGRESS_H
#define CKG_APP_PROGRESS_H

#include "study/record.h"

enum app_progress_kind {
    APP_PROGRESS_NONE,
    APP_PROGRESS_NEWS,  /* a line where something is learnt, and some to show that the run is alive */
    APP_PROGRESS_LINES, /* a line for each evaluation */
    APP_PROGRESS_JSON,
    APP_PROGRESS_BLOCK
};

/* Lines of the block, and of what is said below it. */
enum { APP_BLOCK = 9 };

struct app_progress {
    enum app_progress_kind kind;
    const char *name; /* of the study, in every line, where there are several; or NULL */
    /* Where lines of trouble go; NULL: to standard error. */
    void (*say)(void *context, const char *line);
    void *context;

    /* The rest is set by app_progress_begin. */
    double started;
    int at_start;                  /* evaluations that had ended when the run began */
    int drawn;                     /* lines of the block on the screen */
    int wide[APP_BLOCK];           /* (drawn) how many columns each takes */
    char note[128];                /* what the run is doing, "" for nothing special */
    int is_searching;              /* the initial design has been evaluated */
    int shown_at;                  /* how much of the budget was spent at the last line */
    double printed;                /* when that was, by app_clock */
    int known;                     /* a recommendation has been made */
    int trial;                     /* that measured what is recommended, without noise; 0: none */
    double value, sd, probability; /* of the recommendation */
    int block_at;                  /* how much of the budget was spent when the block had both of these */
    ckg_gain gain;                 /* expected; NAN where it is not known */
    double spent;                  /* seconds spent on recommendations that are only shown */
};

void app_progress_begin(struct app_progress *progress, const struct app_study *record);

/* A trial has ended, or is to be tried again. */
void app_progress_ended(struct app_progress *progress, struct app_study *record, int number);

/* What more evaluations are expected to gain, for the block. */
void app_progress_gain(struct app_progress *progress, const ckg_gain *gain);

/* A line of trouble, above the block where there is one. */
void app_progress_say(struct app_progress *progress, const struct app_study *record, const char *line);

/* Draws the block again where there is one. */
void app_progress_draw(struct app_progress *progress, const struct app_study *record);

/* Leaves the block, up to date where the budget is spent, so that other lines can follow. */
void app_progress_end(struct app_progress *progress, struct app_study *record);

#endif
