/* A request's head: the line, then fields; strict, since two readers who differ are how one is smuggled in.
 */
#include "serve/request.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum {
    BAD = 400,
    NOT_ALLOWED = 405,
    NO_LENGTH = 411,
    TOO_LARGE = 413,
    TOO_MANY = 431,
    NOT_DONE = 501,
    VERSION = 505
};

size_t app_request_end(const char *bytes, size_t length)
{
    for (size_t i = 3; i < length; i++)
        if (bytes[i] == '\n' && !memcmp(bytes + i - 3, "\r\n\r", 3))
            return i + 1;
    return 0;
}

/* --- characters --- */

static int is_token(char c)
{
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
           (c && strchr("!#$%&'*+-.^_`|~", c));
}

/* A byte that may stand in the target of a request: visible, and no quote that a page might trip over. */
static int is_target(char c)
{
    return c > ' ' && c < 0x7f && c != '"' && c != '<' && c != '>' && c != '\\' && c != '#';
}

static int is_content(char c)
{
    return c == '\t' || ((unsigned char)c >= ' ' && c != 0x7f);
}

static int all(const char *text, int (*is)(char))
{
    const char *c = text;

    while (*c && is(*c))
        c++;
    return !*c && c != text;
}

/* --- the line --- */

/* "GET /path?query HTTP/1.1" */
static int read_line(struct app_request *r, char *line, int *minor)
{
    char *target = strchr(line, ' ');
    char *version = target ? strchr(target + 1, ' ') : NULL;

    if (!target || !version)
        return BAD;
    *target++ = 0;
    *version++ = 0;

    /* Each of the three. */
    if (!all(line, is_token) || !all(target, is_target) || strncmp(version, "HTTP/", 5) != 0)
        return BAD;
    if (strcmp(version, "HTTP/1.1") != 0 && strcmp(version, "HTTP/1.0") != 0)
        return VERSION;
    *minor = version[7] == '1';
    r->method = !strcmp(line, "GET")    ? APP_GET
                : !strcmp(line, "HEAD") ? APP_HEAD
                : !strcmp(line, "POST") ? APP_POST
                                        : APP_OTHER_METHOD;
    if (*target != '/')
        return r->method == APP_OTHER_METHOD ? NOT_ALLOWED : BAD;

    /* Path and query. */
    char *question = strchr(target, '?');
    if (question)
        *question++ = 0;
    r->path = target;
    r->query = question;
    return 0;
}

/* --- fields --- */

/* What the reading of fields has found so far. */
struct fields {
    int count;
    int close;          /* 1: "Connection: close" */
    const char *length; /* of the body, as it is announced */
};

/* Keeps a field that may be given once. */
static int keep_once(const char **out, const char *value)
{
    if (*out)
        return BAD;
    *out = value;
    return 0;
}

static int take_field(struct app_request *r, struct fields *f, const char *name, const char *value)
{
    const struct {
        const char *name;
        const char **out;
    } known[] = {
        {"host", &r->host},
        {"origin", &r->origin},
        {"authorization", &r->authorization},
        {"cookie", &r->cookie},
        {"last-event-id", &r->last_event},
        {"sec-fetch-site", &r->fetch_site},
        {"sec-fetch-mode", &r->fetch_mode},
        {"content-type", &r->type},
        {"expect", &r->expect},
        {"ckg-steer", &r->steer},
        {"content-length", &f->length},
    };

    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (!strcasecmp(name, known[i].name))
            return keep_once(known[i].out, value);

    /* A body has a length that is known before it comes. */
    if (!strcasecmp(name, "transfer-encoding"))
        return NOT_DONE;
    if (!strcasecmp(name, "connection"))
        f->close |= strcasestr(value, "close") != NULL;
    return 0;
}

/* "Name: value" without its end. */
static int read_field(struct app_request *r, struct fields *f, char *line)
{
    char *colon = strchr(line, ':');

    if (!colon)
        return BAD;
    *colon = 0;
    char *value = colon + 1 + strspn(colon + 1, " \t");
    for (char *end = value + strlen(value); end > value && (end[-1] == ' ' || end[-1] == '\t');)
        *--end = 0;
    if (!all(line, is_token) || (*value && !all(value, is_content)))
        return BAD;
    return ++f->count > APP_FIELDS_MOST ? TOO_MANY : take_field(r, f, line, value);
}

/* How long the body is; only what is posted may have one. */
static int take_length(struct app_request *r, const char *text)
{
    const size_t digits = text ? strspn(text, "0123456789") : 0;

    if (!text)
        return r->method == APP_POST ? NO_LENGTH : 0;
    if (!digits || text[digits])
        return BAD;
    r->length = digits > 9 ? SIZE_MAX : strtoul(text, NULL, 10);
    return r->length > (r->method == APP_POST ? APP_BODY_MOST : 0) ? TOO_LARGE : 0;
}

/* The next line of the head, which ends in CR LF and has neither elsewhere; NULL: it does not. */
static char *next_line(char **at)
{
    char *line = *at;
    char *end = strpbrk(line, "\r\n");

    if (!end || end[0] != '\r' || end[1] != '\n')
        return NULL;
    *end = 0;
    *at = end + 2;
    return line;
}

int app_request_read(struct app_request *r, char *head, size_t length)
{
    struct fields fields = {0};
    char *at = head;
    int minor = 0;

    /* A zero byte would end what is read before its end. */
    *r = (struct app_request){.method = APP_OTHER_METHOD};
    if (strlen(head) != length)
        return BAD;

    char *line = next_line(&at);
    int status = line ? read_line(r, line, &minor) : BAD;

    /* Fields up to the empty line. */
    while (!status && (line = next_line(&at)) && *line)
        status = read_field(r, &fields, line);
    if (!status && !line)
        status = BAD;

    if (!status)
        status = take_length(r, fields.length);
    if (!status && r->method == APP_OTHER_METHOD)
        status = NOT_ALLOWED;
    if (!status && !r->host)
        status = BAD;
    r->keep = !status && minor && !fields.close;
    return status;
}

/* --- the query --- */

static int hex(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    if (c >= 'a' && c <= 'f')
        return c - 'a' + 10;
    return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

int app_request_decode(char *text, int form)
{
    char *to = text;

    for (const char *from = text; *from; from++) {
        if (*from != '%') {
            *to++ = *from == '+' && form ? ' ' : *from;
            continue;
        }
        const int high = hex(from[1]);
        const int low = high < 0 ? -1 : hex(from[2]);
        if (low < 0 || !(high * 16 + low))
            return 0;
        *to++ = (char)(high * 16 + low);
        from += 2;
    }
    *to = 0;
    return 1;
}

int app_request_argument(const struct app_request *r, const char *name, char **out)
{
    const size_t length = strlen(name);

    *out = NULL;
    for (const char *at = r->query; at; at = strchr(at, '&') ? strchr(at, '&') + 1 : NULL) {
        if (strncmp(at, name, length) != 0 || at[length] != '=')
            continue;
        char *value = strndup(at + length + 1, strcspn(at + length + 1, "&"));
        if (value && app_request_decode(value, 1)) {
            *out = value;
            return 1;
        }
        free(value);
        return -1;
    }
    return 0;
}
