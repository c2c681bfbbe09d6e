/*
 * Where studies are kept, in an SQL database by one of the drivers of store/sql.h. Every change is one
 * transaction. Trials are numbered from 1 without gaps, and every change of a trial has a revision larger
 * than all before it in the study.
 */
#ifndef CKG_APP_STORE_H
#define CKG_APP_STORE_H

#include <stdint.h>

#include "base/asking.h"
#include "base/text.h"
#include "store/drivers.h"
#include "store/trial.h"

struct app_store;

/* A study as it is kept; the strings are the caller's to free. */
struct app_study_record {
    int64_t id;
    char *name, *definition; /* JSON in the shape of a problem file */
    char *folder;            /* where its evaluations run */
    uint64_t seed;
    int64_t redefined; /* the revision at which a person last changed its problem, 0: never */
    int last;          /* the number of its last trial, of an examiner's study alone */
};

/* A study of a store at a glance; strings are borrowed. */
struct app_study_seen {
    const char *name, *definition;
    double created, ended; /* when it was begun and last got a result: seconds since 1970, or NAN */
    int complete, failed, running, pending, discarded;
};

/* What a person did to a study by one command; undone it stays in the list. Strings may be NULL. */
struct app_change {
    int number;          /* from 1, in the order in which they were made */
    const char *kind;    /* "tell", "replace", "discard", "retry", "ask", "import", "problem" */
    const char *command; /* as it was typed */
    const char *who;     /* user@machine */
    double made, undone; /* seconds since 1970; NAN: it was not undone */
    const char *undone_by;
    /* where it changes the problem; the first is read only, the second may be given to app_store_change */
    const char *definition_before, *definition_after;
    int64_t redefined; /* given: the app_study_record.redefined that it is based on */
};

/* A trial as a change found it ("before"), left it ("after"), or as undoing it put it aside ("undone"). */
struct app_image {
    int change;
    const char *side;
    struct app_trial record; /* its revision, its origin and when it was asked for are not kept */
};

/* Whether whoever evaluates a study is to hold back: until it is said to go on, or until a run is begun anew.
 */
enum app_pause_state { APP_NOT_PAUSED, APP_PAUSED_BY_USER, APP_STOPPED };

struct app_pause {
    enum app_pause_state paused;
    char by[128];    /* user@machine; "": not known */
    double since;    /* seconds since 1970, NAN: not known */
    int64_t stopped; /* the revision at which runs were last asked to end, 0: never */
};

/* What is quick to know of a study. */
struct app_study_state {
    int last;          /* the number of its last trial */
    int64_t redefined; /* as in struct app_study_record */
    int budget;        /* that a person has given it since its definition was written, 0: none */
    struct app_pause pause;
};

/* A process that evaluates. */
struct app_worker {
    int64_t id;
    const char *machine;   /* the same for processes that can see each other */
    int64_t process, born; /* its number and its time of birth there */
    int slots;             /* how many evaluations it runs at once, 0: not known */
    const char *about;     /* a JSON object of its own for whoever looks, or NULL */
    double lease;          /* seconds that it may be silent before its trials are others', 0: the usual */
};

/* A worker that a store knows, with its times as the store's clock has them; strings are borrowed. */
struct app_worker_seen {
    struct app_worker worker;
    double age;    /* seconds since it began; NAN: not known */
    double silent; /* seconds since it last gave a sign */
    int trials;    /* how many it has */
};

/* A trial that is being evaluated; strings are borrowed. */
struct app_lease {
    int number;
    struct app_worker worker;
    double left;   /* seconds until it can be another's; negative: it can be now, NAN: not known */
    double silent; /* of its worker */
};

/* What became of a result: *kept of app_store_finish. */
enum app_stored {
    APP_NOT_STORED,   /* the trial has one already or is another's, and nothing was changed */
    APP_STORED,       /* it is the trial's */
    APP_STORED_BESIDE /* it came late and the trial has another: it is among the trial's notes */
};

/* A trial that a run of another machine has; trial 0: there is none. */
struct app_remote_run {
    int trial;
    char host[64]; /* what that machine calls itself */
    double age;    /* of its heartbeat by the two clocks: negative where that lies in our future */
    int heard;     /* its heartbeat has changed since we first looked */
};

/*
 * The usual lease in seconds: whoever is silent for longer has lost its trials. Where all share the
 * database's clock, that decides. Where each has its own, as with SQLite, a worker of another machine is gone
 * when its heartbeat has not changed for so long by our clock, and one of our own machine when its process
 * is.
 */
enum { APP_STORE_SILENCE = 60 };

/* A trial taken up, or taken from a lost worker; number 0: there was none. */
struct app_claim {
    int number;
    int starts;                          /* which evaluation of the trial this is: 1, 2, … */
    int lost;                            /* 1: a worker of this machine had it before and is gone */
    int64_t worker_process, worker_born; /* that worker */
    /* the evaluation that it may have left running; process 0: not known */
    int64_t process, born;
    struct app_remote_run remote; /* the first that was left alone, as its worker may live */
};

typedef int app_trial_visit(void *context, const struct app_trial *record);
typedef int app_name_visit(void *context, const char *name);
typedef int app_study_visit(void *context, const struct app_study_seen *study);
typedef int app_change_visit(void *context, const struct app_change *change);
typedef int app_image_visit(void *context, const struct app_image *image);
typedef int app_worker_visit(void *context, const struct app_worker_seen *worker);
typedef int app_lease_visit(void *context, const struct app_lease *lease);

/* Something that is wrong with a store, or worth knowing. */
struct app_trouble {
    const char *part; /* "file", "study", "trial", "change", "lease" */
    int64_t number;   /* of the trial or change, 0: none in particular */
    int harmless;     /* 1: nothing is damaged */
    const char *text;
};

/* Who is told what is found in a store. */
struct app_examiner {
    int (*trouble)(void *context, const struct app_trouble *trouble);
    int (*study)(void *context, const struct app_study_record *study); /* definition NULL: damaged */
    app_trial_visit *trial;                                            /* each that is whole */
    void *context;
};

/* 1 when the process can no longer be alive; asked for workers of this machine alone. */
typedef int app_is_gone(int64_t process, int64_t born);

void app_store_close(struct app_store *store);

int app_store_study_names(struct app_store *store, app_name_visit *visit, void *context,
                          struct app_message *message);
int app_store_studies(struct app_store *store, app_study_visit *visit, void *context,
                      struct app_message *message);
/* CKG_ERR_NOT_FOUND where there is none of that name. */
int app_store_study_find(struct app_store *store, const char *name, struct app_study_record *out,
                         struct app_message *message);
/* The study of that name: this one, or the one that another process has made first. */
int app_store_study_create(struct app_store *store, const struct app_study_record *study,
                           struct app_study_record *out, struct app_message *message);
/* Nothing changes where a person has changed the problem since it was read (`redefined`). */
int app_store_study_update(struct app_store *store, const struct app_study_record *study,
                           struct app_message *message);

int app_store_study_state(struct app_store *store, int64_t study, struct app_study_state *out,
                          struct app_message *message);
/* Whether the study is held from now on, and who says so; its budget from now on, 0: its definition's. */
int app_store_pause(struct app_store *store, int64_t study, enum app_pause_state paused, const char *who,
                    struct app_message *message);
int app_store_set_budget(struct app_store *store, int64_t study, int budget, struct app_message *message);
int app_store_trials_since(struct app_store *store, int64_t study, int64_t revision, app_trial_visit *visit,
                           void *context, struct app_message *message);
/*
 * Adds trials numbered from `first`, all or none; CKG_ERR_STATE when that number is taken. worker 0: none
 * evaluates it yet.
 */
int app_store_add(struct app_store *store, int64_t study, int first, int count,
                  const struct app_trial *records, int64_t worker, struct app_message *message);
/*
 * The first trial that waits for a run, or whose worker is gone or has lost its lease, is now the
 * worker's, for worker->lease seconds and as long again after each heartbeat.
 */
int app_store_claim(struct app_store *store, int64_t study, const struct app_worker *worker,
                    app_is_gone *gone, struct app_claim *out, struct app_message *message);
/*
 * The trial is pending again where its worker is gone; `machine` is ours. out->number 0: it is not
 * running, or its worker may live.
 */
int app_store_release(struct app_store *store, int64_t study, int number, const char *machine,
                      app_is_gone *gone, struct app_claim *out, struct app_message *message);
/* The evaluation runs as this process. */
int app_store_started(struct app_store *store, int64_t study, int number, int64_t worker, int64_t process,
                      int64_t born, struct app_message *message);
/*
 * The result: state "complete", "failed", or "pending" for one to be tried again. It counts where the
 * trial is pending and worker 0, or running by this worker. Where it is not, and `starts` says which
 * evaluation of the trial this was (0: that is not known), values are a late answer: the trial's where
 * nobody else has answered and it still has the same parameters (NULL: they are not compared), kept
 * beside its own otherwise. The same result once more changes nothing and is kept.
 */
int app_store_finish(struct app_store *store, int64_t study, const struct app_trial *result, int64_t worker,
                     int *stored, struct app_message *message);

/*
 * A person's change, all or nothing. Each record is what its trial becomes, whole but for its origin;
 * parameters NULL: they stay. Its revision is the one that the trial was read with: CKG_ERR_STATE where
 * it has changed since, or runs. A record whose number is the next one is a trial to add.
 */
int app_store_change(struct app_store *store, int64_t study, const struct app_change *change, int count,
                     const struct app_trial *records, struct app_message *message);
/*
 * Takes the change back, which must be the last that was not undone: trials are what they were before,
 * those that it added are gone, and so is what it made of the problem. *moved: the first trial that a run
 * has given a result since, 0: none; unless `give_up` is 1, nothing is changed then. That result is kept
 * as an image. CKG_ERR_STATE: another change has been made or undone, one of its trials runs, or trials
 * were added behind its own.
 */
int app_store_undo(struct app_store *store, int64_t study, int number, const char *who, int give_up,
                   int *moved, struct app_message *message);
/* All changes in their order; the images of one trial, by changes in their order. */
int app_store_changes(struct app_store *store, int64_t study, app_change_visit *visit, void *context,
                      struct app_message *message);
int app_store_images(struct app_store *store, int64_t study, int trial, app_image_visit *visit, void *context,
                     struct app_message *message);

int app_store_worker_add(struct app_store *store, struct app_worker *worker, struct app_message *message);
/* It lives, and so do its leases; several times within one. CKG_ERR_NOT_FOUND: it is forgotten, add it. */
int app_store_heartbeat(struct app_store *store, const struct app_worker *worker,
                        struct app_message *message);
void app_store_worker_remove(struct app_store *store, const struct app_worker *worker);
/* All workers of the store that are known; the trials of the study that run. */
int app_store_workers(struct app_store *store, app_worker_visit *visit, void *context,
                      struct app_message *message);
int app_store_leases(struct app_store *store, int64_t study, app_lease_visit *visit, void *context,
                     struct app_message *message);

/*
 * From now on one can wait for changes of the study, 0: for new studies: a descriptor that poll may find
 * readable when others have added trials, finished or changed them; -1: there is none. It is asked for
 * again after every use of the store. `heard` is 1 when there was such a change since it was last asked:
 * to be asked before each poll, for what came during another call makes nothing readable. That a worker
 * is gone is never heard of, so look from time to time all the same.
 */
int app_store_listen(struct app_store *store, int64_t study);
int app_store_heard(struct app_store *store);
/*
 * How many seconds a call may wait for a database that went away, and whether it is still wanted, which
 * is asked meanwhile; without a word from the caller half a minute, in which nothing else is done.
 */
void app_store_set_patience(struct app_store *store, double seconds, const struct app_asking *asking);
/* After a call has failed: 1 when it did because the database went away, which may come back. */
int app_store_lost(struct app_store *store);

/*
 * Looks at everything that is kept of the study, NULL: the only one, and goes on behind what is damaged.
 * CKG_ERR_NOT_FOUND: there is no such study, nor anything that might have been it.
 */
int app_store_examine(struct app_store *store, const char *name, const struct app_examiner *by,
                      struct app_message *message);

/* What was written has not been taken away since: asked before a command says that it is done. */
int app_store_is_intact(struct app_store *store, struct app_message *message);

/* The right to add trials to the study, one process at a time; *taken 0: another has it. */
int app_store_lock(struct app_store *store, int64_t study, int *taken, struct app_message *message);
void app_store_unlock(struct app_store *store, int64_t study);
/*
 * In the child of a fork, which never uses or closes the store: the lock that its parent may have is no
 * longer held by the child too.
 */
void app_store_forked(struct app_store *store);

/* What URLs of stores look like, for people; the ending of a default store's file. */
#define APP_STORE_FIRST_URL(name, urls) urls
#define APP_STORE_NEXT_URL(name, urls) " or " urls
#define APP_STORE_URLS APP_SQL_DRIVERS(APP_STORE_FIRST_URL, APP_STORE_NEXT_URL)

/*
 * The URL of a store as it is given on a command line: a URL or a path; NULL: the default store of the
 * problem file, beside it with another ending. The caller frees it; NULL: no memory.
 */
char *app_store_url(const char *given, const char *file);

/* The path of the store's file; "" where it is none. */
const char *app_store_file(const char *url);

/* 1 when the word is a store's URL, or the path of a file that is one or is called like one. */
int app_store_is(const char *word);

/* The seconds of app_store_set_patience without a word. */
enum { APP_STORE_PATIENCE = 30 };

/*
 * Opens the store of that URL; CKG_ERR_NOT_FOUND where there is none and `create` is 0. The second gives up
 * when it is no longer wanted.
 */
int app_store_open(struct app_store **out, const char *url, int create, struct app_message *message);
int app_store_open_while(struct app_store **out, const char *url, int create, const struct app_asking *asking,
                         struct app_message *message);

/* After that has failed: the store's server is about to come; nothing answers there; it is none of these. */
enum app_away { APP_AWAY_NOT, APP_AWAY_COMING, APP_AWAY_SILENT };
enum app_away app_store_away(const char *url);

void app_study_record_free(struct app_study_record *study);

#endif
