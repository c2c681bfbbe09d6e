/*
 * The head of a request as it came over the wire, taken apart. Nothing is believed: what is not plain
 * HTTP/1.x is refused with a status, and nothing of it is ever a path of the file system.
 */
#ifndef CKG_APP_REQUEST_H
#define CKG_APP_REQUEST_H

#include <stddef.h>

enum { APP_HEAD_MOST = 16384, APP_FIELDS_MOST = 64, APP_BODY_MOST = 65536 };

enum app_method { APP_GET, APP_HEAD, APP_POST, APP_OTHER_METHOD };

/* Texts are the head's; NULL: not given. */
struct app_request {
    enum app_method method;
    int keep;          /* 1: another request may follow on the connection */
    const char *path;  /* as it came, beginning with a slash */
    const char *query; /* what stands behind the question mark */
    const char *host, *origin, *authorization, *cookie, *last_event, *fetch_site, *fetch_mode;
    const char *type, *expect, *steer; /* Content-Type, Expect, Ckg-Steer */
    size_t length;                     /* of the body that is to come, APP_BODY_MOST at most */
    const char *body;                  /* (length) the caller's, with a zero byte behind it */
};

/* How many bytes the first head in there has, its empty line included; 0: it has not come to its end. */
size_t app_request_end(const char *bytes, size_t length);

/* Takes the head apart in place, where a zero byte follows it: 0, or the status by which it is refused. */
int app_request_read(struct app_request *out, char *head, size_t length);

/* Decodes %41 in place, and in the values of forms + as well; 0 where that is not possible. */
int app_request_decode(char *text, int form);

/*
 * *out ← the value of name=value in the query, decoded, the caller's to free, and 1; else NULL, and 0: there
 * is none, or -1: it cannot be decoded, or there is no memory.
 */
int app_request_argument(const struct app_request *request, const char *name, char **out);

#endif
