/* ckg studies: what a store holds. */
#include <stdlib.h>

#include "api/shapes.h"
#include "base/visible.h"
#include "command.h"
#include "present/statement.h"

static const struct app_option options[] = {
    {"store", 0, "URL", "the store: " APP_STORE_URLS, 0},
    {0},
};

/* Who lists them, and how many there were. */
struct list {
    const struct app_arguments *a;
    int count;
};

/* How many evaluations it may have, 0: nobody has said. */
static int budget_of(const char *definition)
{
    json_t *read = json_loads(definition, 0, NULL);
    const int budget = (int)json_integer_value(json_object_get(read, "budget"));

    json_decref(read);
    return budget;
}

static int print_study(void *context, const struct app_study_seen *s)
{
    struct list *list = context;
    struct app_text line = {0};

    list->count++;
    if (list->a->json)
        app_study_seen_write(s, budget_of(s->definition), &line);
    else if (list->a->quiet)
        app_text_print(&line, "%s", s->name);
    else
        app_study_seen_text(s, budget_of(s->definition), &line);
    return app_print(list->a, &line);
}

static int run(const struct app_arguments *a)
{
    const char *given = app_option(a, "store");
    struct list list = {.a = a};
    struct app_store *store = NULL;

    if (given && a->count)
        return app_wrong(a, "%s is a store, and so is %s: give one of them", a->rest[0], given);
    if (!given && !a->count)
        return app_wrong(a, "which store? --store URL says so");

    char *url = app_store_url(given ? given : a->rest[0], NULL);
    int status = url ? app_store_open(&store, url, 0, a->message) : app_no_memory(a->message);
    if (!status)
        status = app_store_studies(store, print_study, &list, a->message);
    if (!status && !list.count && !a->json && !a->quiet)
        app_say("%s: there is no study in it yet\n", url);
    if (store)
        app_store_close(store);
    free(url);
    return status;
}

const struct app_work app_command_studies = {
    .usage = "--store URL",
    .about =
        "A database of PostgreSQL, or a file, may keep many studies. Each is listed with its budget, what\n"
        "became of its trials, and when the last result came. `ckg status --store URL --study NAME`\n"
        "says more about one.",
    .traits = APP_HAS_JSON,
    .words = 1,
    .options = options,
    .run = run,
};
