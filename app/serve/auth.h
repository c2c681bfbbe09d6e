/*
 * Who gets in. On the loopback everybody of this machine may look; behind any other address a token is
 * asked for, and whoever changes something needs it everywhere. A page of another site, or a name that was
 * bent to point here, gets nothing.
 */
#ifndef CKG_APP_AUTH_H
#define CKG_APP_AUTH_H

#include "base/text.h"
#include "serve/request.h"

enum { APP_TOKEN_LEAST = 16, APP_TOKEN_MOST = 256 };

struct app_auth {
    int loopback;                   /* 1: only this machine can reach us */
    int port;                       /* as it is bound */
    char token[APP_TOKEN_MOST + 1]; /* empty: there is none */
    int open;                       /* 1: whoever only looks needs no token */
    int steer;                      /* 1: with the token, studies may be changed */
    int names;
    const char *const *name; /* (names) what else the server is called, such as behind a proxy */
};

/* The host and the port of "HOST:PORT", "[::1]:8080" or "PORT". */
struct app_address {
    char host[64];
    int port;
    int loopback;
};

/* CKG_ERR_INVALID: it is no address. */
int app_address_read(struct app_address *out, const char *text, struct app_message *message);

/* A token of 128 random bits. */
int app_token_draw(struct app_auth *auth, struct app_message *message);

/* The token in the file's first line. */
int app_token_read(struct app_auth *auth, const char *path, struct app_message *message);

/* What the auth says of a request. */
struct app_rights {
    int set_cookie;  /* 1: the token came in the query, so that a cookie should be set */
    int steers;      /* 1: it may change studies */
    const char *why; /* where it is refused, for whoever sent it */
};

/* 0, or the status by which the request is refused. */
int app_auth_check(const struct app_auth *auth, const struct app_request *request, struct app_rights *out);

#endif
