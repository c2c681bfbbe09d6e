/*
 * The head of a request, as it comes over the wire. What is accepted has a path, a host and nothing that
 * could be another head, its query can be asked for anything, and whoever is not let in hears why.
 */
#include "fuzz.h"
#include "serve/auth.h"

static void check_gate(const struct app_request *r, int open, int steer)
{
    static const char *const others[] = {"lab.example"};
    const struct app_auth auth = {
        .port = 8080, .token = "0123456789abcdef", .open = open, .steer = steer, .names = 1, .name = others};
    struct app_rights pass;
    const int refused = app_auth_check(&auth, r, &pass);

    fuzz_require(refused ? refused >= 400 && pass.why != NULL : 1, "refused without a word", r->path);

    /* Nobody changes anything without the token. */
    if (!refused && r->method == APP_POST)
        fuzz_require(steer && pass.steers && (r->authorization || (r->cookie && r->origin && r->steer)),
                     "let in without the token", r->path);
}

static void check_accepted(const struct app_request *r)
{
    fuzz_require(r->path && r->path[0] == '/' && r->host && r->method != APP_OTHER_METHOD, "not whole", "");
    fuzz_require(!strpbrk(r->path, "\r\n \"<>"), "an odd path", r->path);
    fuzz_require(r->length <= (r->method == APP_POST ? APP_BODY_MOST : 0), "a body", r->path);

    char *at;
    const int found = app_request_argument(r, "at", &at);
    fuzz_require((found > 0) == (at != NULL), "neither found nor not", r->path);
    fuzz_require(!at || strlen(at) <= strlen(r->query), "a longer argument", r->query ? r->query : "");
    free(at);

    for (int way = 0; way < 4; way++)
        check_gate(r, way & 1, way & 2);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const size_t end = app_request_end((const char *)data, size);
    char *head = malloc(end + 1);
    struct app_request request;

    fuzz_require(head != NULL, "out of memory", "");
    fuzz_require(end <= size, "an end behind the end", "");
    memcpy(head, data, end);
    head[end] = 0;
    const int status = app_request_read(&request, head, end);
    fuzz_require(!status || (status >= 400 && status < 600), "no status", "");
    if (!status)
        check_accepted(&request);
    free(head);
    return 0;
}
