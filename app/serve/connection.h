/* One connection of the server, and what it shares with the others. */
#ifndef CKG_APP_CONNECTION_H
#define CKG_APP_CONNECTION_H

#include <event2/bufferevent.h>
#include <event2/event.h>

#include "serve/gate.h"
#include "serve/routes.h"

enum { APP_CONNECTIONS_MOST = 256, APP_STREAMS_MOST = 128 };

struct app_front {
    struct event_base *base;
    struct app_board *board;
    const struct app_gate *gate;
    unsigned long long epoch; /* differs from server to server, for Last-Event-ID */
    struct app_connection *first;
    int count, streams;
};

/* A connection that was accepted; the front has it from then on. */
void app_connection_open(struct app_front *front, evutil_socket_t socket);

/* All of them end. */
void app_connections_close(struct app_front *front);

/* Something was pinned up or made: whoever waits for it is answered, and streams get the news. */
void app_connections_stir(struct app_front *front);

/* A sign of life on all streams, by which those that are gone are noticed too. */
void app_connections_beat(struct app_front *front);

#endif
