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
};

/*
 * Serves until a signal asks to end; the board of the clerk has the studies of problem files, and is emptied
 * in the end. CKG_ERR_SYSTEM: nobody can listen there.
 */
int app_serve(struct app_server *server, struct app_message *message);

#endif
