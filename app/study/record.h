/*
 * A study as the commands see it: its definition, its trials as they stand in the store, and the engine that
 * has been told of them. Other processes may write into the same store; app_study_sync brings everything
 * up to date.
 */
#ifndef CKG_APP_RECORD_H
#define CKG_APP_RECORD_H

#include "definition/values.h"
#include "store/store.h"

/* What is opened for: whose problem counts where a file, or a definition, and the store have each their own.
 */
enum app_open {
    APP_LOOK,    /* the store's, whatever a file says; a definition must be of the same problem */
    APP_COMPARE, /* the file's, which must be the same problem: the record follows it when the study begins */
    APP_EVALUATE /* how it goes on is the store's; how designs are evaluated, with all that an evaluation is
                    told, the file's alone */
};

struct app_study {
    struct app_definition definition;
    char *folder; /* where evaluations run */
    char *url;    /* of the store */
    char *file;   /* the problem file, or NULL */
    char *stored; /* the definition as the store has it; NULL: the study is not there yet */
    enum app_open mode;
    int begun;     /* 1: by app_study_begin */
    int unsettled; /* 1: the file says `ckg`, which was `auto` when the study began, and nobody was asked */
    struct app_message note; /* of app_study_begin, a line for people: how the study goes on; else empty */
    uint64_t seed;
    int threads;
    struct app_store *store;
    int borrowed; /* the store is another's to close */
    int64_t id;   /* in the store, 0: not there yet */
    int64_t revision;
    int64_t redefined; /* when a person last changed the problem that was read, a revision; 0: never */
    struct app_pause pause;
    int count, capacity;
    struct app_trial *trials;        /* (count) trial number i + 1 at i */
    ckg_study *engine;               /* NULL until app_study_engine */
    int stale;                       /* 1: the engine was told what is no longer true */
    struct app_message *message;     /* where complaints go */
    int (*interrupt)(void *context); /* 1: what is being waited for is no longer wanted; NULL: it always is */
    void *context;
};

/*
 * Which study is meant: by a problem file, by a store and a name in it, which may be left out where the store
 * has one study alone, or by a definition that is at hand, as JSON or YAML; a store may also be given beside
 * those two. Without one a definition is kept nowhere, and app_study_take brings its trials.
 */
struct app_study_address {
    const char *file, *store, *name;
    const char *definition;
    struct app_store *shared; /* opened already, and the caller's to close; NULL: the store is opened */
};

/* Where `word` is: a problem file, or a store. CKG_ERR_INVALID: it does not go with the store and the name.
 */
int app_study_address_take(struct app_study_address *place, const char *word, struct app_message *message);

/*
 * The URL of the store: as the command line says, else as the problem file does, else the file's own. The
 * caller frees it; NULL: no memory.
 */
char *app_study_address_url(const struct app_study_address *place, const struct app_definition *definition);

/*
 * Opens the study and reads its trials, and writes nothing: one that has not begun yet is empty.
 * CKG_ERR_INVALID: the file or the command line is wrong, or the store has another problem.
 */
int app_study_open(struct app_study *out, const struct app_study_address *place, enum app_open mode,
                   struct app_message *message);

/*
 * What is open is to be written to: the study is begun where there is none, and its record follows the file.
 * Where that still says `ckg` (`unsettled`) and nobody was asked, it goes on by `auto`: the store remembers
 * that it was said, and `note` says it.
 */
int app_study_begin(struct app_study *record);
void app_study_close(struct app_study *record);

/*
 * The study goes on by this definition of the same problem: with another budget, policy, seed, …, in the
 * store too.
 */
int app_study_redefine(struct app_study *record, const char *definition);

/* Before it begins, where it is unsettled: whether it changes to today's `ckg`, or goes on by `auto`. */
int app_study_settle_policy(struct app_study *record, int changes);

/* --- trials (trial.c) --- */

/*
 * A trial of the study, from one as a store keeps it; freed by app_trial_free. CKG_ERR_SYSTEM: it is none of
 * this problem, and the message says why.
 */
int app_trial_decode(const struct app_definition *definition, const struct app_trial *stored,
                     struct app_trial *out, struct app_message *why);

/* Design and values as texts in the pool, as a store keeps them; 0 without memory. */
int app_trial_encode(const struct app_definition *definition, struct app_trial *trial, struct app_pool *pool);

void app_trial_free(struct app_trial *trial);

/* 1 when two designs (d) are the same. */
int app_same_design(int d, const double *a, const double *b);

/* How many values it has, seen or set aside. */
static inline int app_trial_values(const struct app_trial *trial)
{
    return trial->state == APP_DISCARDED ? trial->stored : trial->count;
}

/* --- in step with the store (record.c) --- */

/*
 * Reads what changed in the store since the last time. CKG_ERR_STATE: the problem itself was changed, so the
 * study must be opened anew.
 */
int app_study_sync(struct app_study *record);

/* A trial as a store keeps it: a new one with the next number, or one that is known already. */
int app_study_take(struct app_study *record, const struct app_trial *trial);

/* Another trial of a study that may have gaps, to be written out and nothing else. */
int app_study_salvage(struct app_study *record, const struct app_trial *trial);

/* Whether what takes long is still wanted, asked as ckg_study_set_interrupt says. */
void app_study_set_interrupt(struct app_study *record, int (*interrupt)(void *), void *context);

/* The engine with all trials told; made anew where somebody changed what had been told. */
int app_study_engine(struct app_study *record, ckg_study **out);

/*
 * An engine of the same study without trials, the caller's to free, and what it does not know of a trial yet;
 * trials in their order.
 */
int app_study_new_engine(struct app_study *record, ckg_study **out);
int app_study_tell(struct app_study *record, ckg_study *engine, const struct app_trial *trial);

/* Complains with the library's own words. */
int app_study_fail(struct app_study *record, int status);

/* --- new designs (study_ask.c) --- */

/* Designs that became trials. */
struct app_asked {
    int first, count;            /* trials `first` to first + count - 1 */
    ckg_suggestion **suggestion; /* (count) NULL: a design of the problem file */
    struct app_trial *trial;     /* (count) as they were added */
    struct app_pool pool;        /* of all that */
};
void app_asked_free(struct app_asked *asked);

/*
 * Adds the next designs to the store, all or none, for a run's worker (with its id), or for whoever asked
 * (0), or queued for any run: designs of the problem file that have not been taken up yet, then the engine's
 * suggestions. The caller holds the lock, has synced, and has looked for room.
 */
int app_study_suggest(struct app_study *record, int count, int64_t worker, int queued, struct app_asked *out);

/*
 * The same for whoever asks, chosen before the lock is taken, so that a run need not wait for it; only where
 * others add trials all the time are they chosen as theirs are. CKG_ERR_STATE: the budget has no room for all
 * of them, CKG_ERR_EXHAUSTED: there are not so many designs, and the message says how many there are.
 */
int app_study_ask(struct app_study *record, int count, struct app_asked *out);

/* 1 when the suggestion belongs to the initial design. */
int app_is_initial(const ckg_suggestion *suggestion);

/* Takes or waits for the lock, a minute at most. */
int app_study_lock(struct app_study *record);
void app_study_unlock(struct app_study *record);

/* 1 when a suggestion finds its models fitted, or needs none; and what fits them. */
int app_study_is_prepared(struct app_study *record);
int app_study_prepare(struct app_study *record);

/* What the trial costs, and all that were not discarded, where outcomes have costs; else NAN. */
double app_trial_cost(const struct app_definition *definition, const struct app_trial *trial);
double app_study_cost(const struct app_study *record);

/*
 * How many trials count towards the budget: all that were not discarded. Where outcomes have costs: how much
 * of it is spent, and no less than the budget when what is left pays for nothing.
 */
int app_study_spent(const struct app_study *record);

/*
 * Whether `wanted` more trials fit into the budget; every trial counts, pending ones included, unless it was
 * discarded. CKG_ERR_STATE: they do not.
 */
int app_study_room(const struct app_study *record, int wanted);

/* How many trials are in each state. */
void app_study_tally(const struct app_study *record, int tally[APP_STATES]);

/* 1 when the trial was evaluated to its end: it is complete or failed; and how many were. */
int app_trial_ended(const struct app_trial *trial);
int app_study_ended(const struct app_study *record);

/* The best trial measured feasible, or NULL. */
const struct app_trial *app_study_best(const struct app_study *record);

/* The value of that outcome in the trial, NAN where it was not measured. */
double app_trial_value(const struct app_trial *trial, int outcome);

/* The same, also where the trial was discarded since. */
double app_trial_measured(const struct app_trial *trial, int outcome);

/* 1 when the trial was measured feasible with a better objective than `best`; NAN: there is none yet. */
int app_trial_improves(const ckg_problem *problem, const struct app_trial *trial, double best);

/* --- designs of the user's own (user_designs.c) --- */

/* *due ← the first of the problem file's `designs` that no trial has taken up, -1: there is none. */
int app_study_due(struct app_study *record, int *due);

/* What a trial of the design x would be: the next, for that worker (0: none) or queued for a run. */
struct app_trial app_user_trial(const struct app_study *record, const double *x, int64_t worker, int queued);

/* Adds a trial of the design x, queued for a run or not. The caller holds the lock and has synced. */
int app_study_add(struct app_study *record, const double *x, int64_t worker, int queued, int *number);

/* --- what has been measured (measured.c) --- */

/* In the order of the outcomes, as if all had been told at once. */
void app_measurements_sort(ckg_measurement *measured, int count);

/*
 * Adds "'stress' has not been measured yet", with the names of all outcomes from `first` on that no trial
 * measured; how many there are.
 */
int app_study_unmeasured(const struct app_study *record, int first, struct app_text *out);

/* Adds a line about the outcomes that this trial is the first to have no value of; how many there are. */
int app_study_lacking(const struct app_study *record, int number, struct app_text *out);

#endif
