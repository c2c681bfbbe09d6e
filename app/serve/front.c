/* The server from the bound address to the last thread's end. */
#include "serve/front.h"

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
#include "serve/connection.h"

const char *const app_serve_lacking = NULL;

enum { SIGNALS = 3, HANDS = 4 };

struct hall {
    struct app_front front;
    struct evconnlistener *listener;
    struct event *signals[SIGNALS], *bell, *beat, *watch;
    int64_t process, born; /* whose end is ours; 0: nobody's */
    int pipe[2];
    const struct app_server *server;
    int open; /* 1: whoever comes is let in */
    int lost; /* 1: a thread gave up */
};

static void open_doors(struct hall *h);

/* --- what wakes the front --- */

static void on_accept(struct evconnlistener *listener, evutil_socket_t socket, struct sockaddr *address,
                      int length, void *context)
{
    struct hall *h = context;

    (void)listener;
    (void)address;
    (void)length;
    app_connection_open(&h->front, socket);
}

/* No descriptors are left: a moment later some may be. */
static void on_refused(struct evconnlistener *listener, void *context)
{
    static const struct timespec moment = {.tv_nsec = 20000000};

    (void)listener;
    (void)context;
    nanosleep(&moment, NULL);
}

static void on_bell(evutil_socket_t socket, short what, void *context)
{
    struct hall *h = context;
    char bytes[256];

    (void)what;
    while (read(socket, bytes, sizeof bytes) > 0)
        ;
    if (!h->open && app_board_looked(h->front.board))
        open_doors(h);
    app_connections_stir(&h->front);
    if (app_board_stopping(h->front.board)) {
        h->lost = 1;
        event_base_loopbreak(h->front.base);
    }
}

static void on_beat(evutil_socket_t socket, short what, void *context)
{
    struct hall *h = context;

    (void)socket;
    (void)what;
    app_connections_beat(&h->front);
}

static void on_watch(evutil_socket_t socket, short what, void *context)
{
    struct hall *h = context;

    (void)socket;
    (void)what;
    if (app_process_gone(h->process, h->born))
        event_base_loopbreak(h->front.base);
}

static void on_signal(evutil_socket_t number, short what, void *context)
{
    struct hall *h = context;

    (void)number;
    (void)what;
    event_base_loopbreak(h->front.base);
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

static int listen_at(struct hall *h, struct app_server *s, struct app_message *message)
{
    struct sockaddr_storage address;
    const socklen_t length = make_address(&s->address, &address);

    h->listener = evconnlistener_new_bind(h->front.base, on_accept, h,
                                          LEV_OPT_CLOSE_ON_FREE | LEV_OPT_CLOSE_ON_EXEC | LEV_OPT_REUSEABLE |
                                              LEV_OPT_DISABLED,
                                          128, (struct sockaddr *)&address, (int)length);
    if (!h->listener)
        return app_fail(message, CKG_ERR_SYSTEM, "cannot listen at %s:%d: %s; --listen takes another",
                        s->address.host, s->address.port, strerror(errno));
    evconnlistener_set_error_cb(h->listener, on_refused);
    s->gate.port = bound_port(evconnlistener_get_fd(h->listener));
    return CKG_OK;
}

/* --- the hall --- */

static struct event *add_event(struct event *event, const struct timeval *interval)
{
    if (event && event_add(event, interval)) {
        event_free(event);
        return NULL;
    }
    return event;
}

/* The event loop and all that wakes it. */
static int open_hall(struct hall *h, struct app_server *s, struct app_message *message)
{
    static const int numbers[SIGNALS] = {SIGINT, SIGTERM, SIGHUP};
    const struct timeval beat = {.tv_sec = 15};
    const struct timeval glance = {.tv_usec = 300000};
    struct timespec now;
    int good = !pipe2(h->pipe, O_CLOEXEC | O_NONBLOCK);

    if (!good)
        h->pipe[0] = h->pipe[1] = -1;
    clock_gettime(CLOCK_REALTIME, &now);
    h->front.epoch = (unsigned long long)now.tv_sec * 1000000u + (unsigned long long)now.tv_nsec / 1000;
    h->front.base = good ? event_base_new() : NULL;
    h->front.gate = &s->gate;
    h->front.board = s->clerk.board;
    h->server = s;
    h->process = s->process;
    h->born = s->born;
    if (!h->front.base)
        return app_fail(message, CKG_ERR_SYSTEM, "no event loop: %s", strerror(errno));

    /* Signals, the bell, the beat of streams. */
    for (int i = 0; i < SIGNALS; i++)
        good &= (h->signals[i] = add_event(evsignal_new(h->front.base, numbers[i], on_signal, h), NULL)) !=
                NULL;
    h->bell = add_event(event_new(h->front.base, h->pipe[0], EV_READ | EV_PERSIST, on_bell, h), NULL);
    h->beat = add_event(event_new(h->front.base, -1, EV_PERSIST, on_beat, h), &beat);
    if (s->process)
        h->watch = add_event(event_new(h->front.base, -1, EV_PERSIST, on_watch, h), &glance);
    if (!good || !h->bell || !h->beat || (s->process && !h->watch))
        return app_fail(message, CKG_ERR_NOMEM, "out of memory");
    return listen_at(h, s, message);
}

static void close_hall(struct hall *h)
{
    app_connections_close(&h->front);
    if (h->listener)
        evconnlistener_free(h->listener);
    for (int i = 0; i < SIGNALS; i++)
        if (h->signals[i])
            event_free(h->signals[i]);
    if (h->bell)
        event_free(h->bell);
    if (h->beat)
        event_free(h->beat);
    if (h->watch)
        event_free(h->watch);
    if (h->front.base)
        event_base_free(h->front.base);
    for (int i = 0; i < 2; i++)
        if (h->pipe[i] >= 0)
            close(h->pipe[i]);
}

/* --- serving --- */

/* Where to look, with the token, which is said nowhere else. */
static void announce(const struct app_server *s)
{
    const int six = strchr(s->address.host, ':') != NULL;
    char line[512];

    snprintf(line, sizeof line, "ckg serves at http://%s%s%s:%d/%s%s, %s; %s\n", six ? "[" : "",
             s->address.host, six ? "]" : "", s->gate.port, s->gate.token[0] ? "?token=" : "", s->gate.token,
             s->gate.steer ? "and anyone with this address can change the study" : "read only",
             s->process ? "it ends with the run" : "Ctrl-C ends it");
    if (s->said && write(s->said, line, strlen(line)) >= 0)
        close(s->said);
    else if (!s->quiet) {
        app_say("%s", line);
        fflush(stdout);
    }
}

/* Every study is there from the first request on; who has come earlier waits. */
static void open_doors(struct hall *h)
{
    announce(h->server);
    evconnlistener_enable(h->listener);
    h->open = 1;
}

/* The threads start with signals blocked, which are the front's. */
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
static int dispatch(struct hall *h, struct app_message *message)
{
    event_base_dispatch(h->front.base);
    return h->lost ? app_fail(message, CKG_ERR_NOMEM, "out of memory") : CKG_OK;
}

static int serve(struct hall *h, struct app_server *s, struct app_message *message)
{
    struct app_board *board = s->clerk.board;
    pthread_t threads[2 + HANDS];
    int count = 0;
    int status = start(&threads[count], app_clerk_work, &s->clerk, message);

    /* The clerk, the modeller, and where studies may be changed the hands. */
    count += !status;
    if (!status)
        status = start(&threads[count], app_modeller_work, board, message);
    count += !status;
    for (int i = 0; !status && s->gate.steer && i < HANDS; i++) {
        status = start(&threads[count], app_hand_work, board, message);
        count += !status;
    }

    /* Whoever is computing in the end hears that nobody waits any more. */
    if (!status)
        status = dispatch(h, message);
    app_board_stop(board);
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
    struct hall hall = {.pipe = {-1, -1}};

    signal(SIGPIPE, SIG_IGN);
    raise_limit();
    int status = open_hall(&hall, s, message);
    if (!status) {
        s->clerk.board->bell = hall.pipe[1];
        status = app_clerk_begin(&s->clerk, message);
    }
    if (!status)
        status = serve(&hall, s, message);
    close_hall(&hall);
    return status;
}
