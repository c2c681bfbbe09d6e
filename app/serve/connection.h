/* One connection of the server, and what it shares with the others. */
#ifndef CKG_APP_CONNECTION_H
#define CKG_APP_CONNECTION_H

#include <event2/bufferevent.h>
#include <event2/event.h>

#include "serve/auth.h"
#include "serve/routes.h"

enum { APP_CONNECTIONS_MOST = 256, APP_STREAMS_MOST = 128 };

struct app_connections {
    struct event_base *base;
    struct app_cache *cache;
    const struct app_auth *auth;
    unsigned long long epoch; /* differs from server to server, for Last-Event-ID */
    struct app_connection *first;
    int count, streams;
};

/* A connection that was accepted; it is among the others from then on. */
void app_connection_open(struct app_connections *connections, evutil_socket_t socket);

/* All of them end. */
void app_connections_close(struct app_connections *connections);

/*
 * Something has changed or is done: whoever waits for it is answered, and streams get the news. beat 1: with
 * a sign of life on all streams, by which those that are gone are noticed too.
 */
void app_connections_stir(struct app_connections *connections, int beat);

#endif
