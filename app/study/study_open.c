/* Where a study is kept: found by its file or name, compared with its file, made where there is none. */
#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include <fcntl.h>
#include <unistd.h>

#include "definition/difference.h"
#include "base/timestamp.h"
#include "study/record.h"

static int no_memory(struct app_message *message)
{
    return app_fail(message, CKG_ERR_NOMEM, "out of memory");
}

/* --- where it is --- */

int app_place_take(struct app_study_place *place, const char *word, struct app_message *message)
{
    if (!app_store_is(word)) {
        place->file = word;
        return place->name && !place->store
                   ? app_fail(message, CKG_ERR_INVALID,
                              "a study is named in a store, and %s is a problem file", word)
                   : CKG_OK;
    }
    if (place->store)
        return app_fail(message, CKG_ERR_INVALID, "%s is a store, and so is %s: give one of them", word,
                        place->store);
    place->store = word;
    return CKG_OK;
}

/* A store's URL as a problem file says it: where it is a file, from that of the problem. */
static char *url_beside(const char *store, const char *file)
{
    struct app_text url = {0};
    char *plain = app_store_url(store, NULL);
    const char *path = plain ? app_store_file(plain) : "";
    const char *slash = strrchr(file, '/');

    if (!slash || !*path || *path == '/')
        return plain;
    app_text_print(&url, "%.*s%.*s%s", (int)(path - plain), plain, (int)(slash - file + 1), file, path);
    free(plain);
    return url.data;
}

char *app_place_url(const struct app_study_place *place, const struct app_definition *d)
{
    return place->store || !d->store ? app_store_url(place->store, place->file)
                                     : url_beside(d->store, place->file);
}

static int make_url(struct app_notebook *n, const struct app_study_place *place)
{
    n->url = app_place_url(place, &n->definition);
    return n->url ? CKG_OK : no_memory(n->message);
}

/* The folder that the file is in, from the root. */
static int make_folder(struct app_notebook *n, const char *file)
{
    struct app_text folder = {0};
    const char *slash = strrchr(file, '/');
    char path[PATH_MAX];

    if (slash && slash != file)
        app_text_add(&folder, file, (size_t)(slash - file));
    else
        app_text_add(&folder, slash ? "/" : ".", 1);
    if (folder.failed)
        return no_memory(n->message);
    const char *real = realpath(folder.data, path);
    n->folder = real ? app_copy(path) : NULL;
    app_text_free(&folder);
    return n->folder ? CKG_OK : app_fail(n->message, CKG_ERR_SYSTEM, "%s: %s", file, strerror(errno));
}

static uint64_t random_seed(void)
{
    uint64_t seed = 0;
    const int file = open("/dev/urandom", O_RDONLY | O_CLOEXEC);
    const int got = file >= 0 && read(file, &seed, sizeof seed) == (ssize_t)sizeof seed;

    if (file >= 0)
        close(file);
    if (!got) {
        struct timespec t;
        clock_gettime(CLOCK_REALTIME, &t);
        seed = (uint64_t)t.tv_nsec * 1000003u + (uint64_t)t.tv_sec + (uint64_t)getpid();
    }
    return seed >> 11; /* below 2^53, so that every reader of JSON keeps it */
}

/* --- the record in the store --- */

/* What to type to take over the change. */
static void write_command(const struct app_notebook *n, struct app_text *out)
{
    char *usual = app_place_url(&(struct app_study_place){.file = n->file}, &n->definition);

    app_text_print(out, "ckg change %s", n->file);
    if (usual && strcmp(usual, n->url) != 0)
        app_text_print(out, " --store '%s'", n->url);
    free(usual);
}

/* The same for a definition that came from no file. */
static void say_other(const struct app_notebook *n, const char *what)
{
    app_fail(n->message, CKG_ERR_INVALID, "%s: the study '%s' that it has is another: %.600s", n->url,
             n->definition.name, what);
}

/* The last change of the problem since which the file is behind the study; made NAN: there is none. */
struct missed {
    const struct app_definition *file;
    char who[128];
    const char *by;
    double made;
};

static int see_change(void *context, const struct app_change *change)
{
    struct missed *m = context;
    struct app_definition before;
    struct app_message unheard;

    if (!change->definition_before || !isnan(change->undone))
        return CKG_OK;
    if (app_definition_parse(&before, change->definition_before, strlen(change->definition_before),
                             "the definition of before", &unheard))
        return CKG_OK;
    if (!app_definition_same(&before, m->file, &unheard)) {
        m->made = change->made;
        m->by = strstr(change->command, "ckg serve") ? "ckg serve" : "ckg change";
        snprintf(m->who, sizeof m->who, "%.127s", change->who ? change->who : "somebody");
    }
    app_definition_free(&before);
    return CKG_OK;
}

/* The same where the file is as the problem was before somebody changed that elsewhere; 0: it is not. */
static int say_behind(struct app_notebook *n, const struct app_definition *old, int64_t study)
{
    struct missed missed = {.file = &n->definition, .made = NAN};
    struct app_difference difference;
    struct app_text what = {0};
    struct app_text command = {0};
    char moment[32];

    if (app_store_changes(n->store, study, see_change, &missed, n->message) || isnan(missed.made))
        return 0;
    app_difference_find(&difference, &n->definition, old);
    app_difference_write(&difference, ", ", &what);
    write_command(n, &command);
    const int said = difference.count && !difference.refused.text[0] && what.data && command.data;
    if (said)
        app_fail(n->message, CKG_ERR_INVALID,
                 "%s lacks what %s changed by `%s`, %s: %.500s; write that into the file, or `%.300s` takes "
                 "it back",
                 n->file, missed.who, missed.by, app_moment(missed.made, moment), what.data, command.data);
    app_text_free(&what);
    app_text_free(&command);
    app_difference_free(&difference);
    return said;
}

/* One line that says what the file changed and what to do. */
static void say_changed(struct app_notebook *n, const struct app_definition *old)
{
    struct app_difference difference;
    struct app_text what = {0};
    struct app_text command = {0};

    app_difference_find(&difference, old, &n->definition);
    app_difference_write(&difference, ", ", &what);
    write_command(n, &command);
    if (difference.count && !difference.refused.text[0])
        app_fail(n->message, CKG_ERR_INVALID, "%s changed: %.600s; `%.300s` takes it over", n->file,
                 what.data ? what.data : "", command.data ? command.data : "ckg change");
    else
        app_fail(n->message, CKG_ERR_INVALID,
                 "%s: %.600s; a changed problem needs a new study: `ckg export --store '%s' --study '%s' "
                 ">old.csv`, change `name`,"
                 " then `ckg import %s old.csv`",
                 n->file, difference.refused.text, n->url, n->definition.name, n->file);
    app_text_free(&what);
    app_text_free(&command);
    app_difference_free(&difference);
}

static int read_record(struct app_notebook *n, const struct app_study_record *record,
                       struct app_definition *out)
{
    return app_definition_parse(out, record->definition, strlen(record->definition), "the store's definition",
                                n->message);
}

/* The same problem as that of the store's study, or a line about it. */
static int compare(struct app_notebook *n, const struct app_definition *old, int64_t study)
{
    struct app_message difference;
    const int status = app_definition_same(old, &n->definition, &difference);

    if (status && n->file && !say_behind(n, old, study))
        say_changed(n, old);
    else if (status && !n->file)
        say_other(n, difference.text);
    return status;
}

/* What the file calls `ckg` is `auto` where it was so when the study began (definition/definition.h). */
static int keep_former_policy(struct app_notebook *n, const struct app_definition *old)
{
    if (!old->was_ckg || !n->file || strcmp(n->definition.policy, "ckg") != 0)
        return CKG_OK;
    n->definition.was_ckg = old->was_ckg;
    n->definition.policy = app_pool_copy(&n->definition.pool, "auto");
    return n->definition.policy ? CKG_OK : no_memory(n->message);
}

/*
 * The same problem as the store's; with APP_STORED what the store has counts, and a file may say something
 * else.
 */
static int check_same(struct app_notebook *n, const struct app_study_record *record, enum app_access access)
{
    struct app_definition old;
    int status = read_record(n, record, &old);

    if (status)
        return status;
    status = keep_former_policy(n, &old);
    if (!status && (access != APP_STORED || !n->file))
        status = compare(n, &old, record->id);
    if (!status && access == APP_STORED) {
        app_definition_free(&n->definition);
        n->definition = old;
        n->kept = app_copy(record->definition);
        status = n->kept ? CKG_OK : no_memory(n->message);
    } else
        app_definition_free(&old);
    return status;
}

/* The budget of a definition as the store has it, 0: none. */
static json_int_t budget_of(const char *definition)
{
    json_t *object = json_loads(definition, 0, NULL);
    const json_int_t budget = json_integer_value(json_object_get(object, "budget"));

    json_decref(object);
    return budget;
}

/* Makes the store's record follow the file. */
static int update_record(struct app_notebook *n, const struct app_study_record *old)
{
    struct app_text definition = {0};

    app_definition_write(&n->definition, n->seed, &definition);
    int status = definition.failed ? no_memory(n->message) : CKG_OK;
    if (!status && (strcmp(definition.data, old->definition) != 0 || strcmp(n->folder, old->folder) != 0 ||
                    n->seed != old->seed)) {
        const struct app_study_record record = {.id = old->id,
                                                .definition = definition.data,
                                                .folder = n->folder,
                                                .seed = n->seed,
                                                .redefined = old->redefined};

        /* What a person gave it meanwhile holds until the file gives another; whoever reads that finds it
         * gone. */
        if (budget_of(definition.data) != budget_of(old->definition))
            status = app_store_set_budget(n->store, old->id, 0, n->message);
        if (!status)
            status = app_store_study_update(n->store, &record, n->message);
    }
    app_text_free(&definition);
    return status;
}

static int create_record(struct app_notebook *n, struct app_study_record *out)
{
    struct app_text definition = {0};
    const uint64_t seed = n->definition.has_seed ? n->definition.seed : random_seed();

    app_definition_write(&n->definition, seed, &definition);
    int status = definition.failed ? no_memory(n->message) : CKG_OK;
    if (!status) {
        const struct app_study_record record = {
            .name = n->definition.name, .definition = definition.data, .folder = n->folder, .seed = seed};
        status = app_store_study_create(n->store, &record, out, n->message);
    }
    app_text_free(&definition);
    return status;
}

/* A study given by its file. */
static int open_by_file(struct app_notebook *n, const char *file, enum app_access access)
{
    struct app_study_record record = {0};

    n->seed = n->definition.has_seed ? n->definition.seed : 1;
    int status = app_store_open(&n->store, n->url, access == APP_WRITE, n->message);
    if (!status)
        status = app_store_study_find(n->store, n->definition.name, &record, n->message);
    if (status == CKG_ERR_NOT_FOUND && access != APP_WRITE)
        return CKG_OK;
    if (status == CKG_ERR_NOT_FOUND && n->store)
        status = create_record(n, &record);
    if (!status) {
        n->file = app_copy(file);
        status = n->file ? check_same(n, &record, access) : no_memory(n->message);
    }
    if (!status) {
        n->study = record.id;
        n->redefined = record.redefined;
        n->seed = n->definition.has_seed ? n->definition.seed : record.seed;
        status = access == APP_WRITE ? update_record(n, &record) : CKG_OK;
    }
    app_study_record_free(&record);
    return status;
}

int app_notebook_settle_policy(struct app_notebook *n, int changes)
{
    struct app_study_record record = {0};
    int status = app_store_study_find(n->store, n->definition.name, &record, n->message);

    n->definition.was_ckg = changes ? APP_NEVER_CKG : APP_WAS_CKG_SAID;
    n->definition.policy = app_pool_copy(&n->definition.pool, changes ? "ckg" : "auto");
    if (!status && !n->definition.policy)
        status = no_memory(n->message);
    if (!status)
        status = update_record(n, &record);
    app_study_record_free(&record);
    return status;
}

/* The names of the studies in a store. */
struct names {
    int count;
    struct app_text all, first;
};

static int list_name(void *context, const char *name)
{
    struct names *names = context;

    app_text_print(&names->all, "%s'%s'", names->count ? ", " : "", name);
    if (!names->count++)
        app_text_print(&names->first, "%s", name);
    return CKG_OK;
}

/* Why it is not found: which studies there are. */
static int refuse_name(const struct app_notebook *n, const char *name, const struct names *names)
{
    if (!names->count)
        return app_fail(n->message, CKG_ERR_INVALID, "%s: there is no study in it yet", n->url);
    if (name)
        return app_fail(n->message, CKG_ERR_INVALID, "%s: there is no study '%s'; it has %s", n->url, name,
                        names->all.data);
    return app_fail(n->message, CKG_ERR_INVALID, "%s: which study? It has %s; --study NAME says which",
                    n->url, names->all.data);
}

/* The record of the study of that name; without one, of the only study that there is. */
static int find_record(struct app_notebook *n, const char *name, struct app_study_record *out)
{
    struct names names = {0};
    int status = app_store_study_names(n->store, list_name, &names, n->message);

    if (!status && (names.all.failed || names.first.failed))
        status = no_memory(n->message);
    if (!status && !name && names.count != 1)
        status = refuse_name(n, name, &names);
    if (!status)
        status = app_store_study_find(n->store, name ? name : names.first.data, out, n->message);
    if (status == CKG_ERR_NOT_FOUND)
        status = refuse_name(n, name, &names);
    app_text_free(&names.all);
    app_text_free(&names.first);
    return status;
}

/* A study given by its name, or by its store alone. */
static int open_by_name(struct app_notebook *n, const char *name)
{
    struct app_study_record record = {0};
    int status = n->store ? CKG_OK : app_store_open(&n->store, n->url, 0, n->message);

    if (!status)
        status = find_record(n, name, &record);
    if (status)
        return status == CKG_ERR_NOT_FOUND ? CKG_ERR_INVALID : status;

    status = read_record(n, &record, &n->definition);
    n->study = record.id;
    n->redefined = record.redefined;
    n->seed = record.seed;
    n->folder = record.folder;
    n->kept = record.definition;
    record.folder = NULL;
    record.definition = NULL;
    app_study_record_free(&record);
    return status;
}

int app_notebook_open(struct app_notebook *n, const struct app_study_place *place, enum app_access access,
                      struct app_message *message)
{
    *n = (struct app_notebook){.message = message};
    int status = CKG_OK;
    if (place->file) {
        status = app_definition_read(&n->definition, place->file, message);
        if (!status)
            status = make_folder(n, place->file);
    }
    if (!status)
        status = make_url(n, place);
    if (!status)
        status = place->file ? open_by_file(n, place->file, access) : open_by_name(n, place->name);
    if (!status)
        status = app_notebook_sync(n);
    if (status)
        app_notebook_close(n);
    return status;
}

/* --- a store at hand --- */

int app_notebook_look(struct app_notebook *n, struct app_store *store, const char *url, const char *name,
                      struct app_message *message)
{
    *n = (struct app_notebook){.message = message, .store = store, .borrowed = 1};
    n->url = app_copy(url);
    int status = n->url ? open_by_name(n, name) : no_memory(message);

    if (!status)
        status = app_notebook_sync(n);
    if (status)
        app_notebook_close(n);
    return status;
}

/* The record of the file's study, the same problem, and how it goes on. */
static int follow_record(struct app_notebook *n, const struct app_study_record *record)
{
    struct app_definition kept;
    struct app_message difference;
    int status = read_record(n, record, &kept);

    if (status)
        return status;
    if (app_definition_same(&kept, &n->definition, &difference)) {
        app_definition_free(&kept);
        return app_fail(n->message, CKG_ERR_INVALID,
                        "%s: the study '%s' of the store has another problem: %.600s", n->file,
                        n->definition.name, difference.text);
    }

    n->study = record->id;
    n->redefined = record->redefined;
    n->seed = record->seed;
    n->kept = app_copy(record->definition);
    status = app_definition_follow(&n->definition, &kept, n->message);
    return status || n->kept ? status : no_memory(n->message);
}

int app_notebook_join(struct app_notebook *n, struct app_store *store, const char *url, const char *file,
                      struct app_message *message)
{
    struct app_study_record record = {0};

    *n = (struct app_notebook){.message = message, .store = store, .borrowed = 1};
    n->url = app_copy(url);
    n->file = app_copy(file);
    int status = n->url && n->file ? app_definition_read(&n->definition, file, message) : no_memory(message);
    if (!status)
        status = make_folder(n, file);
    if (!status)
        status = app_store_study_find(store, n->definition.name, &record, message);
    if (!status)
        status = follow_record(n, &record);
    if (!status)
        status = app_notebook_sync(n);
    app_study_record_free(&record);
    if (status)
        app_notebook_close(n);
    return status;
}

/* --- a definition at hand --- */

/* The study of that name in the store, which is made where there is none. */
static int open_defined(struct app_notebook *n)
{
    struct app_study_record record = {0};
    int status = app_store_open(&n->store, n->url, 1, n->message);

    if (!status)
        status = app_store_study_find(n->store, n->definition.name, &record, n->message);
    if (status == CKG_ERR_NOT_FOUND && n->store)
        status = create_record(n, &record);

    /* The same problem; what else is kept of it holds. */
    if (!status)
        status = check_same(n, &record, APP_STORED);
    n->study = record.id;
    n->redefined = record.redefined;
    n->seed = record.seed;
    app_study_record_free(&record);
    return status;
}

int app_notebook_define(struct app_notebook *n, const char *definition, const char *store,
                        struct app_message *message)
{
    *n = (struct app_notebook){.message = message};
    int status = app_definition_parse(&n->definition, definition, strlen(definition), "the definition",
                                      message);

    if (!status && !store)
        n->seed = n->definition.has_seed ? n->definition.seed : random_seed();
    else if (!status) {
        n->url = app_store_url(store, NULL);
        status = n->url ? make_folder(n, app_store_file(n->url)) : no_memory(message);
        if (!status)
            status = open_defined(n);
        if (!status)
            status = app_notebook_sync(n);
    }
    if (status)
        app_notebook_close(n);
    return status;
}

int app_notebook_redefine(struct app_notebook *n, const char *definition)
{
    struct app_definition now;
    struct app_message difference;
    struct app_study_record record = {0};
    int status = app_definition_parse(&now, definition, strlen(definition), "the definition", n->message);

    /* The same problem. */
    if (status)
        return status;
    if (app_definition_same(&n->definition, &now, &difference)) {
        app_definition_free(&now);
        return app_fail(n->message, CKG_ERR_INVALID, "the problem would be another: %.900s", difference.text);
    }
    app_definition_free(&n->definition);
    n->definition = now;
    n->seed = now.has_seed ? now.seed : n->seed;
    n->stale = 1;

    /* In the store too. */
    if (!n->study)
        return CKG_OK;
    status = app_store_study_find(n->store, now.name, &record, n->message);
    if (!status)
        status = update_record(n, &record);
    app_study_record_free(&record);
    return status;
}

void app_notebook_close(struct app_notebook *n)
{
    for (int i = 0; i < n->count; i++)
        app_trial_free(&n->trials[i]);
    free(n->trials);
    ckg_study_free(n->engine);
    if (n->store && !n->borrowed)
        app_store_close(n->store);
    app_definition_free(&n->definition);
    free(n->folder);
    free(n->url);
    free(n->file);
    free(n->kept);
    *n = (struct app_notebook){.message = n->message};
}
