/* The server from the bound address to the last thread's end. */
#include "serve/server.h"

#include <errno.h>
#include <event2/listener.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <arpa/inet.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "base/visible.h"
#include "evaluate/machine.h"
#include "serve/calls.h"
#include "serve/connection.h"

const char *const app_serve_lacking = NULL;

enum { SIGNALS = 3, EVENTS_MOST = SIGNALS + 3, WRITERS = 4 };

struct server {
    struct app_connections connections;
    struct evconnlistener *listener;
    int events;
    struct event *event[EVENTS_MOST]; /* (events) what wakes the loop */
    int pipe[2];
    const struct app_server *options;
    int open; /* 1: whoever comes is let in */
    int lost; /* 1: a thread gave up */
};

static void begin_accepting(struct server *server);

/* --- what wakes the loop --- */

static void on_accept(struct evconnlistener *listener, evutil_socket_t socket, struct sockaddr *address,
                      int length, void *context)
{
    struct server *server = context;

    (void)listener;
    (void)address;
    (void)length;
    app_connection_open(&server->connections, socket);
}

/* No descriptors are left: a moment later some may be. */
static void on_refused(struct evconnlistener *listener, void *context)
{
    static const struct timespec timestamp = {.tv_nsec = 20000000};

    (void)listener;
    (void)context;
    nanosleep(&timestamp, NULL);
}

static void on_wakeup(evutil_socket_t socket, short what, void *context)
{
    struct server *server = context;
    char bytes[256];

    (void)what;
    while (read(socket, bytes, sizeof bytes) > 0)
        ;
    if (!server->open && server->connections.cache->filled)
        begin_accepting(server);
    app_connections_stir(&server->connections, 0);
    if (server->connections.cache->stopping) {
        server->lost = 1;
        event_base_loopbreak(server->connections.base);
    }
}

static void on_beat(evutil_socket_t socket, short what, void *context)
{
    struct server *server = context;

    (void)socket;
    (void)what;
    app_connections_stir(&server->connections, 1);
}

static void on_watch(evutil_socket_t socket, short what, void *context)
{
    struct server *server = context;

    (void)socket;
    (void)what;
    if (app_process_gone(server->options->process, server->options->born))
        event_base_loopbreak(server->connections.base);
}

static void on_signal(evutil_socket_t number, short what, void *context)
{
    struct server *server = context;

    (void)number;
    (void)what;
    event_base_loopbreak(server->connections.base);
}

/* --- listening --- */

static socklen_t make_address(const struct app_address *from, struct sockaddr_storage *out)
{
    struct sockaddr_in *four = (struct sockaddr_in *)out;
    struct sockaddr_in6 *six = (struct sockaddr_in6 *)out;

    memset(out, 0, sizeof *out);
    if (inet_pton(AF_INET, from->host, &four->sin_addr) == 1) {
        four->sin_family = AF_INET;
        four->sin_port = htons((uint16_t)from->port);
        return sizeof *four;
    }
    inet_pton(AF_INET6, from->host, &six->sin6_addr);
    six->sin6_family = AF_INET6;
    six->sin6_port = htons((uint16_t)from->port);
    return sizeof *six;
}

/* The port that was bound, which the system has chosen where 0 was asked for. */
static int bound_port(evutil_socket_t socket)
{
    struct sockaddr_storage address;
    socklen_t length = sizeof address;

    if (getsockname(socket, (struct sockaddr *)&address, &length))
        return 0;
    return ntohs(address.ss_family == AF_INET ? ((struct sockaddr_in *)&address)->sin_port
                                              : ((struct sockaddr_in6 *)&address)->sin6_port);
}

static int listen_at(struct server *server, struct app_server *s, struct app_message *message)
{
    struct sockaddr_storage address;
    const socklen_t length = make_address(&s->address, &address);

    server->listener = evconnlistener_new_bind(server->connections.base, on_accept, server,
                                               LEV_OPT_CLOSE_ON_FREE | LEV_OPT_CLOSE_ON_EXEC |
                                                   LEV_OPT_REUSEABLE | LEV_OPT_DISABLED,
                                               128, (struct sockaddr *)&address, (int)length);
    if (!server->listener)
        return app_fail(message, CKG_ERR_SYSTEM, "cannot listen at %s:%d: %s; --listen takes another",
                        s->address.host, s->address.port, strerror(errno));
    evconnlistener_set_error_cb(server->listener, on_refused);
    s->auth.port = bound_port(evconnlistener_get_fd(server->listener));
    return CKG_OK;
}

/* --- the loop --- */

/* Another thing that wakes the loop: something at the descriptor, or the time. */
static int add_event(struct server *server, evutil_socket_t at, short what, event_callback_fn call,
                     const struct timeval *interval)
{
    struct event *event = event_new(server->connections.base, at, what | EV_PERSIST, call, server);

    if (event)
        server->event[server->events++] = event;
    return event && !event_add(event, interval);
}

/* The event loop and all that wakes it. */
static int open_server(struct server *server, struct app_server *s, struct app_message *message)
{
    static const int numbers[SIGNALS] = {SIGINT, SIGTERM, SIGHUP};
    const struct timeval beat = {.tv_sec = 15};
    const struct timeval glance = {.tv_usec = 300000};
    struct timespec now;
    int good = !pipe2(server->pipe, O_CLOEXEC | O_NONBLOCK);

    if (!good)
        server->pipe[0] = server->pipe[1] = -1;
    clock_gettime(CLOCK_REALTIME, &now);
    server->options = s;
    server->connections = (struct app_connections){.base = good ? event_base_new() : NULL,
                                                   .cache = s->poller.cache,
                                                   .auth = &s->auth,
                                                   .epoch = (unsigned long long)now.tv_sec * 1000000u +
                                                            (unsigned long long)now.tv_nsec / 1000};
    if (!server->connections.base)
        return app_fail(message, CKG_ERR_SYSTEM, "no event loop: %s", strerror(errno));

    for (int i = 0; i < SIGNALS; i++)
        good &= add_event(server, numbers[i], EV_SIGNAL, on_signal, NULL);
    good &= add_event(server, server->pipe[0], EV_READ, on_wakeup, NULL);
    good &= add_event(server, -1, 0, on_beat, &beat);
    if (s->process)
        good &= add_event(server, -1, 0, on_watch, &glance);
    return good ? listen_at(server, s, message) : app_no_memory(message);
}

static void close_server(struct server *server)
{
    app_connections_close(&server->connections);
    if (server->listener)
        evconnlistener_free(server->listener);
    for (int i = 0; i < server->events; i++)
        event_free(server->event[i]);
    if (server->connections.base)
        event_base_free(server->connections.base);
    for (int i = 0; i < 2; i++)
        if (server->pipe[i] >= 0)
            close(server->pipe[i]);
}

/* --- serving --- */

/* Where to look, with the token, which is said nowhere else. */
static void announce(const struct app_server *s)
{
    const int six = strchr(s->address.host, ':') != NULL;
    char line[512];

    snprintf(line, sizeof line, "ckg serves at http://%s%s%s:%d/%s%s, %s; %s\n", six ? "[" : "",
             s->address.host, six ? "]" : "", s->auth.port, s->auth.token[0] ? "?token=" : "", s->auth.token,
             s->auth.steer ? "and anyone with this address can change the study" : "read only",
             s->process ? "it ends with the run" : "Ctrl-C ends it");
    if (s->said && write(s->said, line, strlen(line)) >= 0)
        close(s->said);
    else if (!s->quiet) {
        app_say("%s", line);
        fflush(stdout);
    }
}

/* Every study is there from the first request on; who has come earlier waits. */
static void begin_accepting(struct server *server)
{
    announce(server->options);
    evconnlistener_enable(server->listener);
    server->open = 1;
}

/* The threads start with signals blocked, which are the loop's. */
static int start(pthread_t *thread, void *(*work)(void *), void *context, struct app_message *message)
{
    sigset_t all;
    sigset_t before;

    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    const int failed = pthread_create(thread, NULL, work, context);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return failed ? app_fail(message, CKG_ERR_SYSTEM, "no thread: %s", strerror(failed)) : CKG_OK;
}

/* With all threads at work. */
static int dispatch(struct server *server, struct app_message *message)
{
    event_base_dispatch(server->connections.base);
    return server->lost ? app_no_memory(message) : CKG_OK;
}

static int serve(struct server *server, struct app_server *s, struct app_message *message)
{
    struct app_cache *cache = s->poller.cache;
    pthread_t threads[2 + WRITERS];
    int count = 0;
    int status = start(&threads[count], app_poller_work, &s->poller, message);

    /* The poller, the models, and where studies may be changed the writers. */
    count += !status;
    if (!status)
        status = start(&threads[count], app_calls_models, cache, message);
    count += !status;
    for (int i = 0; !status && s->auth.steer && i < WRITERS; i++) {
        status = start(&threads[count], app_calls_writes, cache, message);
        count += !status;
    }

    /* Whoever is computing in the end hears that nobody waits any more. */
    if (!status)
        status = dispatch(server, message);
    app_cache_stop(cache);
    while (count)
        pthread_join(threads[--count], NULL);
    return status;
}

/* As many connections as the system lets one process have. */
static void raise_limit(void)
{
    struct rlimit limit;

    if (!getrlimit(RLIMIT_NOFILE, &limit)) {
        limit.rlim_cur = limit.rlim_max < 4096 ? limit.rlim_max : 4096;
        setrlimit(RLIMIT_NOFILE, &limit);
    }
}

int app_serve(struct app_server *s, struct app_message *message)
{
    struct server server = {.pipe = {-1, -1}};

    signal(SIGPIPE, SIG_IGN);
    raise_limit();
    int status = open_server(&server, s, message);
    if (!status) {
        s->poller.cache->wakeup = server.pipe[1];
        status = app_poller_begin(&s->poller, message);
    }
    if (!status)
        status = serve(&server, s, message);
    close_server(&server);
    return status;
}
