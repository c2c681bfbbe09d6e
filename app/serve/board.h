/*
 * What the threads of a server share. The clerk (clerk.c) looks at the stores and pins up what is quick to
 * know of each study; the modeller (modeller.c) does what needs models; hands (hands.c) change studies; the
 * front (front.c) answers requests from what is pinned up, or leaves an errand for one of them and waits for
 * its end. Nobody computes, reads a store or writes to the network while holding the lock.
 */
#ifndef CKG_APP_BOARD_H
#define CKG_APP_BOARD_H

#include <pthread.h>
#include <stdint.h>

#include "study/record.h"

enum { APP_STUDIES_MOST = 1000, APP_ERRANDS_MOST = 128, APP_ERRANDS_KEPT = 24 };

/* --- errands --- */

struct app_desk;
struct app_errand;

/* Whose errands they are. */
enum app_duty { APP_CLERKS, APP_MODELLERS, APP_HANDS, APP_DUTIES };

/* Something that can be made of a study; a row each, in made.c. */
struct app_product {
    const char *name; /* the last part of its path */
    const char *type; /* of its content */
    enum app_duty whose;
    int brief;            /* 1: it is out of date after a moment, whether the study has changed or not */
    int bare;             /* 1: a whole page with its own style */
    int steers;           /* 1: it changes the study, so it is made once for each who asks for it */
    int begins;           /* 1: it may be what a study begins with */
    const char *argument; /* of the address, that becomes the errand's text; NULL: none */
    /* CKG_OK or a status with the desk's message. */
    int (*make)(struct app_desk *desk, const struct app_errand *errand, struct app_text *out);
};

/* The board's lock guards everything but what it is made of, which never changes. */
struct app_errand {
    const struct app_product *product;
    int study;  /* its index */
    int number; /* which trial, which section */
    char *text; /* a design or the body of a request, as JSON, or NULL */

    int holders, waiters;
    int done;
    uint64_t version; /* of the study, at least; as it was made where it is done */
    int64_t revision;
    double made;
    int status; /* of the library */
    struct app_text out;
    struct app_message message;
    struct app_errand *next; /* in its queue */
};

/* --- studies --- */

/* A trial as a line of JSON. */
struct app_line {
    int64_t revision;
    char *text;
};

/* Texts are the board's. */
struct app_pinned {
    struct app_study_place place;
    int id; /* by which it is asked for */
    char *name;
    int generation;   /* how often it was opened anew */
    uint64_t version; /* the board's sequence at its last change */
    int64_t revision;
    int count;
    struct app_line *lines; /* (count) */
    char *summary;          /* a JSON object */
    char *row, *head;       /* HTML: of the list of studies, of its own page */
    struct app_errand *kept[APP_ERRANDS_KEPT];
    int turn; /* whose place among the kept is next */
};

struct app_board {
    pthread_mutex_t lock;
    pthread_cond_t stir[APP_DUTIES];
    struct app_errand *queue[APP_DUTIES];
    struct app_errand *running[APP_DUTIES]; /* that others may share; NULL: none */
    int queued;
    int hurried; /* 1: the clerk is to look at everything now */
    int looked;  /* 1: it has looked at everything once */
    int bell;    /* a descriptor: a byte for the front, for each change */
    int stopping;
    uint64_t sequence;
    int count;
    struct app_pinned *studies[APP_STUDIES_MOST];
};

int app_board_open(struct app_board *board, int bell, struct app_message *message);
void app_board_close(struct app_board *board);

/*
 * A study more, by its place, which is copied, and its number, 0 or one that is taken: the next that is free.
 * CKG_ERR_STATE: there are too many.
 */
int app_board_add(struct app_board *board, const struct app_study_place *place, int id,
                  struct app_message *message);

/* What the clerk found out of a study: the texts and lines become the board's. */
struct app_finding {
    char *name, *summary, *row, *head;
    int64_t revision;
    int anew; /* 1: the study was opened anew */
    int count;
    int changed;            /* how many lines there are */
    int *at;                /* (changed) trials by their index */
    struct app_line *lines; /* (changed) */
};
int app_board_pin(struct app_board *board, int study, struct app_finding *finding);

/* All threads end soon. */
void app_board_stop(struct app_board *board);
int app_board_stopping(struct app_board *board);

/* --- the front's side --- */

/* 1 when every study that there is, is on the board. */
int app_board_looked(struct app_board *board);

/* The errand, done or under way, of a state of the study as it is now; NULL: too much is waiting already. */
struct app_errand *app_board_ask(struct app_board *board, const struct app_errand *wanted);

/* 1 when it is done. From then on it may be read by who holds it. */
int app_board_ready(struct app_board *board, struct app_errand *errand);

/* Nobody waits for it on this connection any more. */
void app_board_leave(struct app_board *board, struct app_errand *errand);

/* --- the other threads' side --- */

/*
 * The next errand; NULL: none has come for so many seconds (negative: ever), all is to stop, or the clerk is
 * to look at everything.
 */
struct app_errand *app_board_next(struct app_board *board, enum app_duty whose, double seconds);

/* 1 when the clerk is to look at everything now; not any more from then on. */
int app_board_hurried(struct app_board *board);

/* The clerk has looked at everything. */
void app_board_look(struct app_board *board);

/* 1 when nobody wants it any more: for the notebook's interrupt. */
int app_board_unwanted(struct app_board *board, const struct app_errand *errand);

/* It is made of the study at that version, 0: the newest. What it has changed is soon pinned up. */
void app_board_done(struct app_board *board, struct app_errand *errand, uint64_t version);

#endif
