/* From a request to what answers it. */
#ifndef CKG_APP_ROUTES_H
#define CKG_APP_ROUTES_H

#include "serve/cache.h"
#include "serve/auth.h"

/* What becomes of a request; one that is refused gets a text. */
enum app_reply_kind { APP_REPLY_TEXT, APP_REPLY_CALL, APP_REPLY_STREAM };

struct app_reply {
    enum app_reply_kind kind;
    int status;
    const char *type; /* of the content */
    struct app_text text;
    int64_t revision;          /* of the study; negative: of none */
    int bare;                  /* 1: a page with its own style */
    const char *allow;         /* which methods the address takes, where it is refused for that */
    struct app_api_call *call; /* APP_REPLY_CALL: to wait for, to be left in the end */
    int study;                 /* APP_REPLY_STREAM: lane events follow, -1: of all */
};

void app_route(struct app_cache *cache, const struct app_request *request, const struct app_rights *rights,
               struct app_reply *out);

/* Refused, in words: JSON for programs, a line of text for people. */
void app_refuse(struct app_reply *out, const char *path, int status, const char *why);

/* What has come of a call that is done. */
void app_reply_take(struct app_reply *out, const char *path, const struct app_api_call *call);

/* A file of the program's own, from files/; NULL: there is none of that name. */
struct app_served_file {
    const char *path, *type;
    const char *data;
};
extern const struct app_served_file app_served_files[]; /* the last has no path */

#endif
