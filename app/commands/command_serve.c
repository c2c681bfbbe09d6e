/* ckg serve: studies in a browser, while they run. */
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "commands/serving.h"

static const struct app_option options[] = {
    {"store", 0, "URL", "show every study of this store, also those that come later", 0},
    {"listen", 0, "ADDRESS:PORT", "where to listen (default: 127.0.0.1:8080); port 0: any that is free", 0},
    {"token-file", 0, "FILE", "ask for the token in the first line of this file", 0},
    {"steer", 0, NULL, "with the token, studies may be changed", 0},
    {"host", 0, "NAME", "what else browsers call this server, such as behind a proxy", APP_REPEATED},
    {0},
};

/* Another store, as its URL. */
static int add_store(const struct app_arguments *a, const char *word, char **urls, int *count)
{
    urls[*count] = app_store_url(word, NULL);
    return urls[(*count)++] ? CKG_OK : app_no_memory(a->message);
}

/* Where the studies are: stores one by one, files as places in the cache. */
static int take_words(const struct app_arguments *a, struct app_cache *cache, char **urls, int *count)
{
    const char *given = app_option(a, "store");
    int status = given ? add_store(a, given, urls, count) : CKG_OK;

    for (int i = 0; !status && i < a->count; i++)
        status = app_store_is(a->rest[i])
                     ? add_store(a, a->rest[i], urls, count)
                     : app_cache_add(cache, &(struct app_study_address){.file = a->rest[i]}, 0, a->message);
    return status;
}

static int serve(const struct app_arguments *a, struct app_cache *cache)
{
    struct app_server server = {.poller = {.cache = cache}, .quiet = a->quiet};
    char **urls = calloc((size_t)a->count + 2, sizeof *urls);
    int *count = &server.poller.stores;
    int status = urls ? take_words(a, cache, urls, count) : app_no_memory(a->message);

    server.poller.store = (const char *const *)urls;
    if (!status)
        status = app_auth_open(a, app_option(a, "listen"), &server);
    server.auth.names = a->repeated;
    server.auth.name = a->each;
    if (!status)
        status = app_serve(&server, a->message);

    for (int i = 0; urls && i < *count; i++)
        free(urls[i]);
    free(urls);
    return status;
}

static int check(const struct app_arguments *a)
{
    if (app_serve_lacking)
        return app_fail(a->message, CKG_ERR_SYSTEM, "%s", app_serve_lacking);
    return a->count || app_option(a, "store")
               ? CKG_OK
               : app_wrong(a, "which studies? Give problem files, stores, or --store URL");
}

static int run(const struct app_arguments *a)
{
    struct app_cache cache;
    int status = app_cache_open(&cache, -1, a->message);

    if (status)
        return status;
    status = serve(a, &cache);
    app_cache_close(&cache);
    return status;
}

const struct app_work app_command_serve = {
    .usage = "[STUDY… | --store URL] [--listen ADDRESS:PORT] [--steer] [--token-file FILE] [--host NAME…]",
    .about = "Pages of all studies, of each study with everything that `ckg report` shows, and of each\n"
             "trial; they follow a run by themselves. Programs find the same as JSON under /api/v1/, in the\n"
             "shapes of --json; /api/v1/openapi.json describes it. STUDY is a problem file or a store.\n"
             "\n"
             "On this machine's own address everybody of the machine may look. Any other address needs a\n"
             "token: the one of --token-file, or one that is printed once with the address to open. Nothing\n"
             "can be changed through it, but with --steer and the token results can be told, designs\n"
             "queued, trials mended, runs paused: all that the commands can. There is no encryption: put a\n"
             "proxy with TLS in front of it.",
    .words = APP_ANY_WORDS,
    .options = options,
    .check = check,
    .run = run,
};
