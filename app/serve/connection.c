/*
 * A connection from its first byte to its last. It is in one state at a time, and each state has a deadline,
 * so that nobody who is slow, silent or too curious keeps a place for long.
 *
 * libevent's own evhttp has neither a deadline for a whole request nor a limit on connections, so only its
 * sockets and buffers are used; serve/request.c reads the requests.
 */
#include "serve/connection.h"

#include <assert.h>
#include <errno.h>
#include <event2/buffer.h>
#include <stdlib.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"

enum state {
    READING,   /* the head of a request, or nothing yet */
    TAKING,    /* its body */
    WAITING,   /* for a call */
    WRITING,   /* an answer */
    STREAMING, /* events */
    LINGERING  /* what the other side still sends is thrown away, so that it gets the answer */
};

struct app_connection {
    struct app_connections *connections;
    struct app_connection *next, *before;
    struct bufferevent *wire;
    struct event *deadline;
    enum state state;
    double since;               /* when the state began */
    int begun;                  /* 1: part of a request has come */
    int keep;                   /* 1: another request may follow */
    int silent;                 /* 1: the head of the answer is all that was asked for */
    char *head;                 /* of the request, NULL: none */
    struct app_request request; /* its texts are the head's */
    struct app_rights rights;
    struct app_api_call *call;
    int study;     /* of a stream, -1: all */
    uint64_t seen; /* the sequence up to which the stream has the news */
};

/* Seconds; an answer gets more the longer it is. */
static const int for_request = 10;
static const int for_next = 30;
static const int for_call = 600;
static const int for_answer = 30;
static const int for_lingering = 2;
static const double slowest = 20000; /* bytes a second */
enum { STREAM_BEHIND = 65536 };

/* --- life --- */

static void set_state(struct app_connection *c, enum state state, int seconds)
{
    const struct timeval limit = {.tv_sec = seconds};

    c->state = state;
    c->since = app_clock();
    if (seconds)
        event_add(c->deadline, &limit);
    else
        event_del(c->deadline);
}

static void leave_call(struct app_connection *c)
{
    if (c->call)
        app_cache_leave(c->connections->cache, c->call);
    c->call = NULL;
}

static void close_connection(struct app_connection *c)
{
    struct app_connections *f = c->connections;

    if (c->before)
        c->before->next = c->next;
    else
        f->first = c->next;
    if (c->next)
        c->next->before = c->before;
    f->count--;
    f->streams -= c->state == STREAMING;

    leave_call(c);
    event_free(c->deadline);
    bufferevent_free(c->wire);
    free(c->head);
    free(c);
}

void app_connections_close(struct app_connections *f)
{
    while (f->first)
        close_connection(f->first);
}

/* --- answers --- */

static const char *reason(int status)
{
    static const struct {
        int status;
        const char *words;
    } known[] = {
        {200, "OK"},
        {303, "See Other"},
        {400, "Bad Request"},
        {401, "Unauthorized"},
        {403, "Forbidden"},
        {404, "Not Found"},
        {405, "Method Not Allowed"},
        {408, "Request Timeout"},
        {409, "Conflict"},
        {411, "Length Required"},
        {413, "Content Too Large"},
        {415, "Unsupported Media Type"},
        {417, "Expectation Failed"},
        {421, "Misdirected Request"},
        {431, "Request Header Fields Too Large"},
        {500, "Internal Server Error"},
        {501, "Not Implemented"},
        {503, "Service Unavailable"},
        {505, "HTTP Version Not Supported"},
    };

    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (known[i].status == status)
            return known[i].words;
    return "Error";
}

/* What every answer has: nothing is kept, framed, sniffed or told to others. */
static void add_common(struct evbuffer *out, int status, const char *type, int bare)
{
    evbuffer_add_printf(
        out,
        "HTTP/1.1 %d %s\r\nContent-Type: %s\r\nCache-Control: no-store\r\n"
        "Content-Security-Policy: default-src 'none'; %s; base-uri 'none'; form-action 'none'; "
        "frame-ancestors 'none'\r\n"
        "X-Content-Type-Options: nosniff\r\nX-Frame-Options: DENY\r\nReferrer-Policy: no-referrer\r\n"
        "Cross-Origin-Resource-Policy: same-origin\r\nCross-Origin-Opener-Policy: same-origin\r\n",
        status, reason(status), type,
        bare ? "style-src 'unsafe-inline'; img-src 'self'"
             : "script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self'");
}

/* Sends the answer and frees it; `more` are fields of its own, with their ends. */
static void answer(struct app_connection *c, struct app_reply *reply, const char *more)
{
    struct evbuffer *out = bufferevent_get_output(c->wire);
    const double seconds = for_answer + (double)reply->text.length / slowest;

    add_common(out, reply->status, reply->type, reply->bare);
    if (reply->revision >= 0)
        evbuffer_add_printf(out, "Ckg-Revision: %lld\r\n", (long long)reply->revision);
    if (reply->status == 401)
        evbuffer_add_printf(out, "WWW-Authenticate: Bearer\r\n");
    if (reply->status == 405)
        evbuffer_add_printf(out, "Allow: %s\r\n", reply->allow ? reply->allow : "GET, HEAD");
    if (reply->status == 503)
        evbuffer_add_printf(out, "Retry-After: 5\r\n");
    evbuffer_add_printf(out, "%sContent-Length: %zu\r\nConnection: %s\r\n\r\n", more, reply->text.length,
                        c->keep ? "keep-alive" : "close");
    if (!c->silent && reply->text.length)
        evbuffer_add(out, reply->text.data, reply->text.length);

    app_text_free(&reply->text);
    leave_call(c);
    set_state(c, WRITING, (int)seconds);
}

/* Refuses the request; nothing more is read from who sends such. */
static void refuse(struct app_connection *c, const char *path, int status, const char *why)
{
    struct app_reply reply = {0};

    c->keep = 0;
    app_refuse(&reply, path, status, why);
    answer(c, &reply, "");
}

/* --- streams --- */

/* What is new since the last time: how each study stands, not what happened to it in between. */
static void send_news(struct app_connection *c)
{
    struct app_cache *cache = c->connections->cache;
    struct evbuffer *out = bufferevent_get_output(c->wire);
    uint64_t newest = c->seen;

    pthread_mutex_lock(&cache->lock);
    for (int i = 0; i < cache->count; i++) {
        const struct app_cached_study *p = cache->studies[i];
        if ((c->study >= 0 && c->study != i) || p->version <= c->seen)
            continue;
        newest = p->version > newest ? p->version : newest;
        evbuffer_add_printf(out, "event: study\ndata: {\"id\": %d, \"revision\": %lld, \"trials\": %d}\n\n",
                            p->id, (long long)p->revision, p->count);
    }
    pthread_mutex_unlock(&cache->lock);

    /* The id comes last, so that who was cut off in between gets all of it again. */
    if (newest != c->seen)
        evbuffer_add_printf(out, "id: %llx-%llu\nevent: seen\ndata: {}\n\n", c->connections->epoch,
                            (unsigned long long)newest);
    c->seen = newest;
}

/* Where an earlier stream of this server ended; 0: there was none. */
static uint64_t seen_before(const struct app_connections *f, const char *id)
{
    unsigned long long epoch = 0;
    unsigned long long seen = 0;

    if (!id || strlen(id) > 60 || sscanf(id, "%llx-%llu", &epoch, &seen) != 2 || epoch != f->epoch)
        return 0;
    pthread_mutex_lock(&f->cache->lock);
    const uint64_t newest = f->cache->sequence;
    pthread_mutex_unlock(&f->cache->lock);
    return seen <= newest ? seen : 0;
}

static void begin_stream(struct app_connection *c, int study, const char *last)
{
    const struct timeval patience = {.tv_sec = for_answer};
    struct evbuffer *out = bufferevent_get_output(c->wire);

    if (c->connections->streams >= APP_STREAMS_MOST) {
        refuse(c, c->request.path, 503, "too many are listening already; try again later");
        return;
    }
    add_common(out, 200, "text/event-stream", 0);
    evbuffer_add_printf(out, "Connection: close\r\n\r\n");
    c->keep = 0;
    if (c->silent) {
        set_state(c, WRITING, for_answer);
        return;
    }
    evbuffer_add_printf(out, "retry: 1000\nevent: hello\ndata: {}\n\n");
    c->connections->streams++;
    c->study = study;
    c->seen = seen_before(c->connections, last);
    set_state(c, STREAMING, 0);
    bufferevent_set_timeouts(c->wire, NULL, &patience);
    send_news(c);
}

/* --- requests --- */

/* The call is done: its result. */
static void deliver(struct app_connection *c)
{
    struct app_reply reply = {0};

    app_reply_take(&reply, c->request.path, c->call);
    if (reply.text.failed)
        app_refuse(&reply, c->request.path, 503, "out of memory");
    answer(c, &reply, "");
}

/* The token came in the address: it moves into a cookie, and out of sight. */
static void set_cookie(struct app_connection *c, const struct app_request *r)
{
    const struct app_auth *auth = c->connections->auth;
    struct app_reply reply = {.status = 303, .type = "text/plain; charset=utf-8", .revision = -1};
    struct app_text more = {0};

    app_text_print(&more, "Set-Cookie: ckg-%d=%s; Path=/; HttpOnly; SameSite=Strict\r\nLocation: %s\r\n",
                   auth->port, auth->token, r->path[1] == '/' ? "/" : r->path);
    if (more.failed)
        refuse(c, r->path, 503, "out of memory");
    else
        answer(c, &reply, more.data);
    app_text_free(&more);
}

/* A request that has come whole and may be answered: with a text, a call to wait for, or a stream. */
static void respond(struct app_connection *c)
{
    const struct app_request *r = &c->request;
    struct app_reply reply;

    app_route(c->connections->cache, r, &c->rights, &reply);
    switch (reply.kind) {
    case APP_REPLY_TEXT:
        answer(c, &reply, "");
        break;
    case APP_REPLY_STREAM:
        begin_stream(c, reply.study, r->last_event);
        break;
    case APP_REPLY_CALL:
        c->call = reply.call;
        set_state(c, WAITING, for_call);
        if (app_cache_is_done(c->connections->cache, c->call))
            deliver(c);
    }
}

/* The body, if all of it has come. */
static void read_body(struct app_connection *c)
{
    struct evbuffer *in = bufferevent_get_input(c->wire);
    char body[APP_BODY_MOST + 1];

    assert(c->request.length <= APP_BODY_MOST);
    if (evbuffer_get_length(in) < c->request.length)
        return;
    evbuffer_remove(in, body, c->request.length);
    body[c->request.length] = 0;
    bufferevent_setwatermark(c->wire, EV_READ, 0, APP_HEAD_MOST);
    c->request.body = body;
    respond(c);
    c->request.body = NULL;
}

/* Who may send a body is known before it comes. */
static void await_body(struct app_connection *c)
{
    const struct app_request *r = &c->request;

    if (r->expect && strcasecmp(r->expect, "100-continue") != 0) {
        refuse(c, r->path, 417, "nothing is expected but 100-continue");
        return;
    }
    if (r->expect && evbuffer_get_length(bufferevent_get_input(c->wire)) < r->length)
        evbuffer_add_printf(bufferevent_get_output(c->wire), "HTTP/1.1 100 Continue\r\n\r\n");
    bufferevent_setwatermark(c->wire, EV_READ, 0, APP_BODY_MOST);
    set_state(c, TAKING, for_request);
    read_body(c);
}

/* The head has come: who is it? */
static void admit(struct app_connection *c)
{
    const struct app_request *r = &c->request;
    const int refused = app_auth_check(c->connections->auth, r, &c->rights);

    if (refused)
        refuse(c, r->path, refused, c->rights.why);
    else if (r->method == APP_POST)
        await_body(c);
    else if (c->rights.set_cookie)
        set_cookie(c, r);
    else
        respond(c);
}

/* Keeps the first so many bytes of what has come as the head of the request. */
static int take_head(struct app_connection *c, const char *bytes, size_t length)
{
    char *head = malloc(length + 1);

    free(c->head);
    c->head = head;
    c->request = (struct app_request){.method = APP_OTHER_METHOD};
    if (!head)
        return 0;
    memcpy(head, bytes, length);
    head[length] = 0;
    evbuffer_drain(bufferevent_get_input(c->wire), length);
    return 1;
}

/* The next request, if all of its head has come. */
static void read_request(struct app_connection *c)
{
    struct evbuffer *in = bufferevent_get_input(c->wire);
    const size_t length = evbuffer_get_length(in);
    const size_t most = length < APP_HEAD_MOST ? length : APP_HEAD_MOST;
    const char *bytes = (const char *)evbuffer_pullup(in, (ev_ssize_t)most);
    const size_t end = bytes ? app_request_end(bytes, most) : 0;

    /* From its first byte on it has so long. */
    if (!end && length >= APP_HEAD_MOST) {
        c->silent = 0;
        refuse(c, NULL, 431, "the head of the request is too long");
        return;
    }
    if (!end) {
        if (length && !c->begun)
            set_state(c, READING, for_request);
        c->begun = length > 0;
        return;
    }

    c->begun = 0;
    if (!take_head(c, bytes, end)) {
        refuse(c, NULL, 503, "out of memory");
        return;
    }
    const int status = app_request_read(&c->request, c->head, end);
    c->silent = c->request.method == APP_HEAD;
    c->keep = c->request.keep;
    if (status)
        refuse(c, c->request.path, status, reason(status));
    else
        admit(c);
}

/* --- what happens on the wire --- */

static void on_read(struct bufferevent *wire, void *context)
{
    struct app_connection *c = context;

    if (c->state == READING)
        read_request(c);
    else if (c->state == TAKING)
        read_body(c);
    else if (c->state == STREAMING || c->state == LINGERING)
        evbuffer_drain(bufferevent_get_input(wire), evbuffer_get_length(bufferevent_get_input(wire)));
}

/* All that was to be sent has been. */
static void on_written(struct bufferevent *wire, void *context)
{
    struct app_connection *c = context;

    if (c->state != WRITING)
        return;
    if (c->keep) {
        set_state(c, READING, for_next);
        if (evbuffer_get_length(bufferevent_get_input(wire)))
            read_request(c);
        return;
    }
    shutdown(bufferevent_getfd(wire), SHUT_WR);
    set_state(c, LINGERING, for_lingering);
    on_read(wire, c);
}

/* The other side has closed, is gone, or does not take what is sent. */
static void on_event(struct bufferevent *wire, short what, void *context)
{
    struct app_connection *c = context;

    if (what & BEV_EVENT_EOF && c->state == WRITING) {
        c->keep = 0;
        bufferevent_disable(wire, EV_READ);
    } else
        close_connection(c);
}

static void on_deadline(evutil_socket_t socket, short what, void *context)
{
    struct app_connection *c = context;

    (void)socket;
    (void)what;
    if (c->state == WAITING)
        refuse(c, c->request.path, 503, "it takes longer than ten minutes; try again later");
    else if (c->state == TAKING || (c->state == READING && c->begun))
        refuse(c, c->state == TAKING ? c->request.path : NULL, 408, "the request took too long");
    else
        close_connection(c);
}

void app_connections_stir(struct app_connections *f, int beat)
{
    struct app_connection *next;

    for (struct app_connection *c = f->first; c; c = next) {
        next = c->next;
        if (c->state == WAITING && app_cache_is_done(f->cache, c->call))
            deliver(c);
        if (c->state != STREAMING)
            continue;
        if (beat)
            evbuffer_add_printf(bufferevent_get_output(c->wire), ": here\n\n");
        send_news(c);

        /* Whoever does not read what is sent is let go. */
        if (evbuffer_get_length(bufferevent_get_output(c->wire)) > STREAM_BEHIND)
            close_connection(c);
    }
}

/* --- the beginning --- */

/* Where all places are taken, whoever has said nothing yet for longest gives way. */
static int make_room(struct app_connections *f)
{
    struct app_connection *oldest = NULL;

    if (f->count < APP_CONNECTIONS_MOST)
        return 1;
    for (struct app_connection *c = f->first; c; c = c->next)
        if ((c->state == READING || c->state == LINGERING) && (!oldest || c->since < oldest->since))
            oldest = c;
    if (oldest)
        close_connection(oldest);
    return oldest != NULL;
}

/* In one go, or not at all. */
static void turn_away(evutil_socket_t socket)
{
    static const char words[] = "HTTP/1.1 503 Service Unavailable\r\nRetry-After: 5\r\nContent-Length: "
                                "0\r\nConnection: close\r\n\r\n";

    if (send(socket, words, sizeof words - 1, MSG_DONTWAIT | MSG_NOSIGNAL) < 0)
        errno = 0; /* then without a word */
    evutil_closesocket(socket);
}

void app_connection_open(struct app_connections *f, evutil_socket_t socket)
{
    struct app_connection *c = make_room(f) ? calloc(1, sizeof *c) : NULL;

    if (!c) {
        turn_away(socket);
        return;
    }
    c->wire = bufferevent_socket_new(f->base, socket, BEV_OPT_CLOSE_ON_FREE);
    c->deadline = evtimer_new(f->base, on_deadline, c);
    if (!c->wire || !c->deadline) {
        if (c->wire)
            bufferevent_free(c->wire);
        else
            turn_away(socket);
        if (c->deadline)
            event_free(c->deadline);
        free(c);
        return;
    }

    /* In front of the others. */
    c->connections = f;
    c->next = f->first;
    if (f->first)
        f->first->before = c;
    f->first = c;
    f->count++;

    /* No more is read than a head may have. */
    bufferevent_setcb(c->wire, on_read, on_written, on_event, c);
    bufferevent_setwatermark(c->wire, EV_READ, 0, APP_HEAD_MOST);
    set_state(c, READING, for_request);
    bufferevent_enable(c->wire, EV_READ | EV_WRITE);
}
