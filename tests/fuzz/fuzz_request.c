/*
 * The head of a request, as it comes over the wire. What is accepted has a path, a host and nothing that
 * could be another head, its query can be asked for anything, and whoever is not let in hears why.
 */
#include "fuzz.h"
#include "serve/gate.h"

static void check_accepted(const struct app_request *r)
{
    static const char *const others[] = {"lab.example"};
    const struct app_gate gate = {.port = 8080, .token = "0123456789abcdef", .names = 1, .name = others};
    const char *why = NULL;
    int welcome;

    fuzz_require(r->path && r->path[0] == '/' && r->host && r->method != APP_OTHER_METHOD, "not whole", "");
    fuzz_require(!strpbrk(r->path, "\r\n \"<>"), "an odd path", r->path);

    char *at = app_request_argument(r, "at");
    fuzz_require(!at || strlen(at) <= strlen(r->query), "a longer argument", r->query ? r->query : "");
    free(at);

    const int refused = app_gate_check(&gate, r, &welcome, &why);
    fuzz_require(refused ? refused >= 400 && why != NULL : 1, "refused without a word", r->path);
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
