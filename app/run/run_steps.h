/*
 * The steps of a run, for who makes them: `ckg run` those of one study, `ckg worker` those of several studies
 * that share their places. Whoever makes them reads requests to stop and keeps the worker's heartbeat.
 */
#ifndef CKG_APP_RUN_STEPS_H
#define CKG_APP_RUN_STEPS_H

#include "actions/action_stop.h"
#include "evaluate/jobs.h"
#include "run/places.h"
#include "run/run_outage.h"
#include "run/run.h"
#include "run/spool.h"

/* A study that is being run. The caller sets what stands first; the rest begins with zeroes. */
struct app_steps {
    struct app_notebook *n;
    struct app_places *places;
    const struct app_worker *worker;
    struct app_spool *spool; /* where answers go first, NULL: nowhere */
    int patient;             /* 1: no trouble ends anything; 0: only that of a server that is away does not */
    int no_more;             /* 1: no new designs are chosen */
    int least_ahead;         /* designs to choose ahead, whatever the study says */
    int to_the_end;          /* 1: the budget is spent whatever it is expected to gain */

    int running;           /* of the places */
    struct app_jobs *jobs; /* where evaluations are jobs of a cluster; NULL until the first one */
    char word[80];         /* what our evaluations carry in their environment */
    struct app_progress progress;
    int exhausted; /* no design is left to be evaluated */
    int unseen;    /* trials have ended since it was looked whether the run may end before its budget */
    struct app_stop_watch watch;
    int waiting;      /* the turn is another's */
    double waits;     /* since when that is so, by app_clock; 0: it is not */
    int64_t seen;     /* the last revision of the store */
    double changed;   /* when that was new, or something was begun here */
    int chosen_ahead; /* a design has just been chosen ahead */
    int puzzled;      /* it was said that another machine's clock is ahead of ours */
    struct app_outage outage;
    int64_t stopped;            /* as in struct app_hold, when it was begun: what came later is for us */
    enum app_holding told;      /* what was said of that last */
    int broken;                 /* a status; its message is the notebook's, empty when it was said already */
    int away;                   /* the trouble holds the study back until `broken` is 0 again */
    struct app_message trouble; /* what was said of it last */
};

/* The study is going to be run, shown as the host says. */
void app_steps_begin(struct app_steps *steps, const struct app_run_host *host);
/* Everything of it has ended. */
void app_steps_end(struct app_steps *steps);

/* One pass: free places get evaluations, what has ended becomes results, what others did is read. */
void app_steps_go(struct app_steps *steps);

/* Takes leave of every evaluation that has ended. */
void app_steps_reap(struct app_steps *steps);

/* What the study is at, as its flags have it. */
enum app_phase {
    APP_WORKING,
    APP_PROBING,   /* one trial is evaluated, alone, to see whether an outage is over */
    APP_PAUSED,    /* a person wants it so, or wants runs to end */
    APP_OUTAGE,    /* failures in a row: what runs may end */
    APP_OFFLINE,   /* the store is away: answers go into the spool */
    APP_FINISHING, /* asked to stop, or in trouble: what runs may end */
    APP_KILLING    /* asked twice */
};
enum app_phase app_steps_phase(const struct app_steps *steps);

/* 1 when there is nothing left to do here or elsewhere; 1 when there may be another design. */
int app_steps_over(const struct app_steps *steps);
int app_steps_want(const struct app_steps *steps);

/* 1 when a person wants the study's runs to end. */
int app_steps_stopped(const struct app_steps *steps);

/*
 * When to look again what others do, INFINITY: there is no need. The longer nothing has changed, the more
 * rarely.
 */
double app_steps_look(const struct app_steps *steps);

/*
 * Seconds between two looks when nothing has changed for so long: a tenth of that, from `least` to `most`,
 * and a little more or less for every worker, so that a thousand that began together do not look together.
 */
double app_pause(const struct app_worker *worker, double quiet, double least, double most);

/* The run ends with this, after what runs; `others`: how many evaluations that are. */
void app_steps_break(struct app_steps *steps, int status, int others);

#endif
