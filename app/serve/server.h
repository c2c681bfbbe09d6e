/* The server: connections, requests, answers, streams of events. */
#ifndef CKG_APP_SERVER_H
#define CKG_APP_SERVER_H

#include "serve/poller.h"
#include "serve/auth.h"

/* Why there is no server in this build, NULL when there is one. */
extern const char *const app_serve_lacking;

struct app_server {
    struct app_address address;
    struct app_auth auth; /* the port is filled in */
    struct app_poller poller;
    int quiet;
    int64_t process, born; /* it ends when that process has; 0: it does not */
    int said;              /* where to say that it serves, a descriptor; 0: on standard output */
};

/*
 * Serves until a signal asks to end; the cache of the poller has the studies of problem files, and is emptied
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
