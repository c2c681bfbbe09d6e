/* The server's front: connections, requests, answers, streams of events. */
#ifndef CKG_APP_FRONT_H
#define CKG_APP_FRONT_H

#include "serve/clerk.h"
#include "serve/gate.h"

/* Why there is no server in this build, NULL when there is one. */
extern const char *const app_serve_lacking;

struct app_server {
    struct app_address address;
    struct app_gate gate; /* the port is filled in */
    struct app_clerk clerk;
    int quiet;
    int64_t process, born; /* it ends when that process has; 0: it does not */
    int said;              /* where to say that it serves, a descriptor; 0: on standard output */
};

/*
 * Serves until a signal asks to end; the board of the clerk has the studies of problem files, and is emptied
 * in the end. CKG_ERR_SYSTEM: nobody can listen there.
 */
int app_serve(struct app_server *server, struct app_message *message);

/*
 * The same in a process of its own, which goes on beside this one and ends with it; this one has neither
 * threads nor stores open. *said, the caller's to free, is where it serves, or why it does not: whoever runs
 * a study goes on all the same.
 */
int app_serve_beside(struct app_server *server, struct app_text *said, struct app_message *message);

#endif
