/* Host, origin and token of a request, in this order. */
#include "serve/auth.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include <stdio.h>

#include <ckg/status.h>

enum { BAD = 400, UNKNOWN = 401, FORBIDDEN = 403, NO_JSON = 415, MISDIRECTED = 421 };

/* --- addresses --- */

/* 4, 6 or 0: what kind of address the text is. */
static int kind_of(const char *host)
{
    unsigned char address[16];

    return inet_pton(AF_INET, host, address) == 1 ? 4 : inet_pton(AF_INET6, host, address) == 1 ? 6 : 0;
}

static int is_loopback(const char *host)
{
    return !strcasecmp(host, "localhost") || (kind_of(host) == 4 && !strncmp(host, "127.", 4)) ||
           !strcmp(host, "::1");
}

/* "host:port", "[host]:port" or "host" taken apart; port -1: none. 0 where it is none of these. */
static int take_apart(const char *text, char host[64], int *port)
{
    const char *end = *text == '[' ? strchr(text, ']') : text + strcspn(text, ":");
    const char *begin = text + (*text == '[');
    const char *rest = end ? end + (*text == '[') : NULL;

    if (!end || end == begin || end - begin > 63)
        return 0;
    memcpy(host, begin, (size_t)(end - begin));
    host[end - begin] = 0;

    *port = -1;
    if (*rest == ':') {
        const size_t digits = strspn(rest + 1, "0123456789");
        if (!digits || digits > 5 || rest[1 + digits])
            return 0;
        *port = atoi(rest + 1);
        return *port <= 65535;
    }
    return !*rest;
}

int app_address_read(struct app_address *out, const char *text, struct app_message *message)
{
    *out = (struct app_address){.host = "127.0.0.1", .port = 8080};
    const int bare = *text && strspn(text, "0123456789") == strlen(text);
    char both[32];

    snprintf(both, sizeof both, "127.0.0.1:%.20s", text);
    const int good = take_apart(bare ? both : text, out->host, &out->port);
    if (good && out->port < 0)
        out->port = 8080;
    if (good && !strcasecmp(out->host, "localhost"))
        snprintf(out->host, sizeof out->host, "127.0.0.1");
    if (!good || !kind_of(out->host))
        return app_fail(message, CKG_ERR_INVALID,
                        "--listen takes ADDRESS:PORT, such as 127.0.0.1:8080 or 0.0.0.0:8080, not '%s'",
                        text);
    out->loopback = is_loopback(out->host);
    return CKG_OK;
}

/* --- tokens --- */

int app_token_draw(struct app_auth *auth, struct app_message *message)
{
    unsigned char random[16];
    const int file = open("/dev/urandom", O_RDONLY | O_CLOEXEC);
    const int got = file >= 0 && read(file, random, sizeof random) == (ssize_t)sizeof random;

    if (file >= 0)
        close(file);
    if (!got)
        return app_fail(message, CKG_ERR_SYSTEM, "/dev/urandom: no random numbers for a token");
    for (size_t i = 0; i < sizeof random; i++)
        snprintf(auth->token + 2 * i, 3, "%02x", random[i]);
    return CKG_OK;
}

int app_token_read(struct app_auth *auth, const char *path, struct app_message *message)
{
    static const char allowed[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~";
    char *text;
    size_t length;
    const int status = app_read_file(path, &text, &length, message);

    if (status)
        return status == CKG_ERR_NOMEM ? status : CKG_ERR_INVALID;
    const size_t first = strcspn(text, "\r\n");
    const int good = first >= APP_TOKEN_LEAST && first <= APP_TOKEN_MOST && strspn(text, allowed) == first;
    if (good)
        snprintf(auth->token, sizeof auth->token, "%.*s", (int)first, text);
    explicit_bzero(text, length);
    free(text);
    return good ? CKG_OK
                : app_fail(message, CKG_ERR_INVALID,
                           "%s: the first line must be a token of %d to %d letters, digits and -._~", path,
                           APP_TOKEN_LEAST, APP_TOKEN_MOST);
}

/* In a time that says nothing of where they differ. */
static int is_same(const char *token, const char *given, size_t length)
{
    const size_t right = strlen(token);
    volatile unsigned char difference = right != length;

    for (size_t i = 0; i < length; i++)
        difference |= (unsigned char)(token[i % right] ^ given[i]);
    return !difference;
}

/* The cookie of that name, with its length; NULL: there is none. */
static const char *find_cookie(const char *cookies, const char *name, size_t *length)
{
    const size_t letters = strlen(name);

    for (const char *at = cookies; at;) {
        at += strspn(at, "; ");
        if (!strncmp(at, name, letters) && at[letters] == '=') {
            *length = strcspn(at + letters + 1, "; ");
            return at + letters + 1;
        }
        at = strchr(at, ';');
    }
    return NULL;
}

/* How the token came along. */
enum way { NOT_AT_ALL, BY_FIELD, BY_QUERY, BY_COOKIE };

static enum way find_token(const struct app_auth *auth, const struct app_request *r)
{
    char name[32];
    size_t length = 0;

    if (!auth->token[0])
        return NOT_AT_ALL;

    /* By whoever writes a program. */
    if (r->authorization) {
        const int same = !strncasecmp(r->authorization, "Bearer ", 7) &&
                         is_same(auth->token, r->authorization + 7, strlen(r->authorization + 7));
        return same ? BY_FIELD : NOT_AT_ALL;
    }

    /* By a browser, in the address first, then by itself. */
    char *query;
    const int asked = app_request_argument(r, "token", &query) > 0 &&
                      is_same(auth->token, query, strlen(query));
    free(query);
    if (asked)
        return BY_QUERY;
    snprintf(name, sizeof name, "ckg-%d", auth->port);
    const char *cookie = find_cookie(r->cookie, name, &length);
    return cookie && is_same(auth->token, cookie, length) ? BY_COOKIE : NOT_AT_ALL;
}

/* --- names --- */

/* 1 when we are called so. An address cannot be bent to point here, a name can. */
static int is_ours(const struct app_auth *auth, const char *host)
{
    if (is_loopback(host) || (!auth->loopback && kind_of(host)))
        return 1;
    for (int i = 0; i < auth->names; i++)
        if (!strcasecmp(auth->name[i], host))
            return 1;
    return 0;
}

/* 1 where the page that sends it, if there is one, is ours. */
static int is_origin_ours(const struct app_request *r)
{
    const char *rest = !r->origin                           ? r->host
                       : !strncmp(r->origin, "http://", 7)  ? r->origin + 7
                       : !strncmp(r->origin, "https://", 8) ? r->origin + 8
                                                            : "";

    return !strcasecmp(rest, r->host);
}

/* 1 for a request that a page of ours has made, or none at all. Links from other sites may lead here. */
static int is_own(const struct app_request *r)
{
    const int other = r->fetch_site &&
                      (!strcmp(r->fetch_site, "cross-site") || !strcmp(r->fetch_site, "same-site"));
    const int link = r->method != APP_POST && r->fetch_mode && !strcmp(r->fetch_mode, "navigate");

    return is_origin_ours(r) && (!other || link);
}

/* --- changes --- */

static int is_json(const char *type)
{
    const size_t length = type ? strcspn(type, "; \t") : 0;

    return length == strlen("application/json") && !strncasecmp(type, "application/json", length);
}

/*
 * Whether a request that changes something may. A browser sends its cookie by itself, so what it sends must
 * also show that a script of ours has made it: no form can set a field, and no other site's script may.
 */
static int check_change(const struct app_auth *auth, const struct app_request *r, enum way way,
                        struct app_rights *out)
{
    if (!auth->steer) {
        out->why = "this server is read only; `ckg serve --steer` allows changes";
        return FORBIDDEN;
    }
    if (way != BY_FIELD && way != BY_COOKIE) {
        out->why = "changes need the token: open the address that `ckg serve` printed, or send "
                   "Authorization: Bearer TOKEN";
        return UNKNOWN;
    }
    if (way == BY_COOKIE && (!r->origin || !r->steer)) {
        out->why = "a browser's change needs the fields Origin and Ckg-Steer, by which it is known as our "
                   "page's own";
        return FORBIDDEN;
    }
    if (!is_json(r->type)) {
        out->why = "the body must be a JSON object, with Content-Type: application/json";
        return NO_JSON;
    }
    return 0;
}

int app_auth_check(const struct app_auth *auth, const struct app_request *r, struct app_rights *out)
{
    char host[64];
    int port;

    /* To whom it speaks, and who has sent it. */
    *out = (struct app_rights){0};
    if (!take_apart(r->host, host, &port)) {
        out->why = "the Host of the request is no address";
        return BAD;
    }
    if (!is_ours(auth, host)) {
        out->why = "this server is not called that; `ckg serve --host NAME` says what else it is called";
        return MISDIRECTED;
    }
    if (!is_own(r)) {
        out->why = "the request comes from another site's page";
        return FORBIDDEN;
    }

    /* What it may do. */
    const enum way way = find_token(auth, r);
    out->set_cookie = way == BY_QUERY;
    out->steers = auth->steer && way != NOT_AT_ALL;
    if (!auth->open && way == NOT_AT_ALL) {
        out->why = "a token is needed: open the address that `ckg serve` printed, or send Authorization: "
                   "Bearer TOKEN";
        return UNKNOWN;
    }
    return r->method == APP_POST ? check_change(auth, r, way, out) : 0;
}
