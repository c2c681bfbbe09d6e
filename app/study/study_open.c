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

/* --- where it is --- */

int app_study_address_take(struct app_study_address *place, const char *word, struct app_message *message)
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

char *app_study_address_url(const struct app_study_address *place, const struct app_definition *d)
{
    return place->store || !d->store ? app_store_url(place->store, place->file)
                                     : url_beside(d->store, place->file);
}

/* The folder that the file is in, from the root. */
static int make_folder(struct app_study *n, const char *file)
{
    struct app_text folder = {0};
    const char *slash = strrchr(file, '/');
    char path[PATH_MAX];

    if (slash && slash != file)
        app_text_add(&folder, file, (size_t)(slash - file));
    else
        app_text_add(&folder, slash ? "/" : ".", 1);
    if (folder.failed)
        return app_no_memory(n->message);
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
static void write_command(const struct app_study *n, struct app_text *out)
{
    char *usual = app_study_address_url(&(struct app_study_address){.file = n->file}, &n->definition);

    app_text_print(out, "ckg change %s", n->file);
    if (usual && strcmp(usual, n->url) != 0)
        app_text_print(out, " --store '%s'", n->url);
    free(usual);
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
static int say_behind(struct app_study *n, const struct app_definition *old, int64_t study)
{
    struct missed missed = {.file = &n->definition, .made = NAN};
    struct app_difference difference;
    struct app_text what = {0};
    struct app_text command = {0};
    char timestamp[32];

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
                 n->file, missed.who, missed.by, app_timestamp(missed.made, timestamp), what.data,
                 command.data);
    app_text_free(&what);
    app_text_free(&command);
    app_difference_free(&difference);
    return said;
}

/* One line that says what the file changed and what to do. */
static void say_changed(struct app_study *n, const struct app_definition *old)
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

static int read_record(struct app_study *n, const struct app_study_record *record, struct app_definition *out)
{
    return app_definition_parse(out, record->definition, strlen(record->definition), "the store's definition",
                                n->message);
}

/* The same problem as that of the store's study, or a line about it. */
static int compare(struct app_study *n, const struct app_definition *old, int64_t study)
{
    struct app_message difference;
    const int status = app_definition_same(old, &n->definition, &difference);

    if (!status)
        return CKG_OK;
    if (n->mode == APP_EVALUATE)
        app_fail(n->message, status, "%s: the study '%s' of the store has another problem: %.600s", n->file,
                 n->definition.name, difference.text);
    else if (!n->file)
        app_fail(n->message, status, "%s: the study '%s' that it has is another: %.600s", n->url,
                 n->definition.name, difference.text);
    else if (!say_behind(n, old, study))
        say_changed(n, old);
    return status;
}

/*
 * What the file calls `ckg` is `auto` where it was so when the study began (definition/definition.h); until
 * people were told, that is still to be settled.
 */
static int keep_former_policy(struct app_study *n, const struct app_definition *old)
{
    if (!old->was_ckg || !n->file || strcmp(n->definition.policy, "ckg") != 0)
        return CKG_OK;
    n->unsettled = old->was_ckg == APP_WAS_CKG && n->mode != APP_LOOK;
    n->definition.was_ckg = old->was_ckg;
    n->definition.policy = app_pool_copy(&n->definition.pool, "auto");
    return n->definition.policy ? CKG_OK : app_no_memory(n->message);
}

/* Which of the two definitions counts, or what of each. The store's is used up. */
static int choose_definition(struct app_study *n, struct app_definition *old)
{
    if (n->mode == APP_EVALUATE)
        return app_definition_follow(&n->definition, old, n->message);
    if (n->mode == APP_LOOK || !n->definition.problem) {
        const struct app_definition own = n->definition;

        n->definition = *old;
        *old = own;
    }
    app_definition_free(old);
    return CKG_OK;
}

/* The study of the record is the one that was meant, and becomes the record's. */
static int adopt(struct app_study *n, const struct app_study_record *record)
{
    const int named = !n->definition.problem;
    struct app_definition old;
    int status = read_record(n, record, &old);

    if (status)
        return status;
    if (!named)
        status = keep_former_policy(n, &old);
    if (!status && !named && (n->mode != APP_LOOK || !n->file))
        status = compare(n, &old, record->id);
    if (status) {
        app_definition_free(&old);
        return status;
    }

    n->id = record->id;
    n->redefined = record->redefined;
    status = choose_definition(n, &old);
    n->seed = n->mode == APP_COMPARE && n->definition.has_seed ? n->definition.seed : record->seed;
    n->stored = app_copy(record->definition);
    if (named)
        n->folder = app_copy(record->folder);
    return status || (n->stored && n->folder) ? status : app_no_memory(n->message);
}

/* The budget of a definition as the store has it, 0: none. */
static json_int_t budget_of(const char *definition)
{
    json_t *object = json_loads(definition, 0, NULL);
    const json_int_t budget = json_integer_value(json_object_get(object, "budget"));

    json_decref(object);
    return budget;
}

/* Makes the store's record what this definition says, with the record's seed. */
static int update_record(struct app_study *n, const struct app_definition *d, const char *folder,
                         const struct app_study_record *old)
{
    struct app_text text = {0};

    app_definition_write(d, n->seed, &text);
    int status = text.failed ? app_no_memory(n->message) : CKG_OK;
    if (!status && (strcmp(text.data, old->definition) != 0 || strcmp(folder, old->folder) != 0 ||
                    n->seed != old->seed)) {
        const struct app_study_record record = {.id = old->id,
                                                .definition = text.data,
                                                .folder = (char *)folder,
                                                .seed = n->seed,
                                                .redefined = old->redefined};

        /* What a person gave it meanwhile holds until the file gives another; whoever reads that finds it
         * gone. */
        if (budget_of(text.data) != budget_of(old->definition))
            status = app_store_set_budget(n->store, old->id, 0, n->message);
        if (!status)
            status = app_store_study_update(n->store, &record, n->message);
        free(n->stored);
        n->stored = text.data;
        text = (struct app_text){0};
    }
    app_text_free(&text);
    return status;
}

static int create_record(struct app_study *n, struct app_study_record *out)
{
    struct app_text definition = {0};
    const uint64_t seed = n->definition.has_seed ? n->definition.seed : random_seed();

    app_definition_write(&n->definition, seed, &definition);
    int status = definition.failed ? app_no_memory(n->message) : CKG_OK;
    if (!status) {
        const struct app_study_record record = {
            .name = n->definition.name, .definition = definition.data, .folder = n->folder, .seed = seed};
        status = app_store_study_create(n->store, &record, out, n->message);
    }
    app_text_free(&definition);
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
static int refuse_name(const struct app_study *n, const char *name, const struct names *names)
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
static int find_record(struct app_study *n, const char *name, struct app_study_record *out)
{
    struct names names = {0};
    int status = app_store_study_names(n->store, list_name, &names, n->message);

    if (!status && (names.all.failed || names.first.failed))
        status = app_no_memory(n->message);
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

/* --- opening --- */

/* The problem as it is given, if it is, and the folder that its evaluations run in. */
static int read_problem(struct app_study *n, const struct app_study_address *place)
{
    const char *text = place->definition;
    int status = CKG_OK;

    if (place->file) {
        n->file = app_copy(place->file);
        status = n->file ? app_definition_read(&n->definition, place->file, n->message)
                         : app_no_memory(n->message);
        if (!status)
            status = make_folder(n, place->file);
    } else if (text)
        status = app_definition_parse(&n->definition, text, strlen(text), "the definition", n->message);
    n->seed = n->definition.has_seed ? n->definition.seed : text ? random_seed() : 1;
    return status;
}

/* The store, if there is one. */
static int find_store(struct app_study *n, const struct app_study_address *place)
{
    n->url = place->shared ? app_copy(place->store) : app_study_address_url(place, &n->definition);
    if (!n->url)
        return app_no_memory(n->message);
    if (place->shared)
        return CKG_OK;
    const int status = app_store_open(&n->store, n->url, 0, n->message);
    return status == CKG_ERR_NOT_FOUND && n->definition.problem ? CKG_OK : status;
}

/* The study in the store, if it is there; one that is given by its name must be. */
static int find_study(struct app_study *n, const char *name)
{
    const int named = !n->definition.problem;
    struct app_study_record record = {0};
    int status = !n->store ? CKG_ERR_NOT_FOUND
                 : named   ? find_record(n, name, &record)
                           : app_store_study_find(n->store, n->definition.name, &record, n->message);

    if (!status)
        status = adopt(n, &record);
    else if (status == CKG_ERR_NOT_FOUND && !named)
        status = CKG_OK;
    app_study_record_free(&record);
    return status ? status : app_study_sync(n);
}

int app_study_open(struct app_study *n, const struct app_study_address *place, enum app_open mode,
                   struct app_message *message)
{
    *n = (struct app_study){
        .message = message, .mode = mode, .store = place->shared, .borrowed = place->shared != NULL};
    int status = read_problem(n, place);

    /* A definition alone is kept nowhere. */
    if (!status && (place->store || !place->definition)) {
        status = find_store(n, place);
        if (!status && place->definition)
            status = make_folder(n, app_store_file(n->url));
        if (!status)
            status = find_study(n, place->name);
    }
    if (status)
        app_study_close(n);
    return status == CKG_ERR_NOT_FOUND && !place->file ? CKG_ERR_INVALID : status;
}

/* --- beginning --- */

int app_study_settle_policy(struct app_study *n, int changes)
{
    n->unsettled = 0;
    n->definition.was_ckg = changes ? APP_NEVER_CKG : APP_WAS_CKG_SAID;
    n->definition.policy = app_pool_copy(&n->definition.pool, changes ? "ckg" : "auto");
    return n->definition.policy ? CKG_OK : app_no_memory(n->message);
}

/* Where nobody was asked, the study goes on as it was, and that is said once. */
static int settle_unasked(struct app_study *n)
{
    app_fail(&n->note, CKG_OK,
             "%s: `policy: ckg` was, when this study began, what `auto` is now: it goes on by `auto`; "
             "`ckg change --yes %s` takes today's `ckg`",
             n->file, n->file);
    return app_study_settle_policy(n, 0);
}

/* The record follows the file; of one that only evaluates by its file, what was settled. */
static int follow(struct app_study *n, const struct app_study_record *record)
{
    struct app_definition stored;

    if (n->mode == APP_COMPARE)
        return update_record(n, &n->definition, n->folder, record);
    int status = read_record(n, record, &stored);
    if (status)
        return status;
    stored.was_ckg = n->definition.was_ckg;
    status = update_record(n, &stored, record->folder, record);
    app_definition_free(&stored);
    return status;
}

int app_study_begin(struct app_study *n)
{
    const int settles = n->unsettled;
    struct app_study_record record = {0};

    /* What has begun and no file says more of goes on as it is kept. */
    if (n->begun || (n->id && (!n->file || (n->mode != APP_COMPARE && !settles))))
        return app_study_sync(n);
    int status = n->store ? CKG_OK : app_store_open(&n->store, n->url, 1, n->message);
    if (!status)
        status = app_store_study_find(n->store, n->definition.name, &record, n->message);
    if (status == CKG_ERR_NOT_FOUND && n->store)
        status = create_record(n, &record);
    if (!status && !n->id)
        status = adopt(n, &record);
    if (!status && n->unsettled)
        status = settle_unasked(n);
    if (!status && (n->mode == APP_COMPARE || n->note.text[0]))
        status = follow(n, &record);
    n->begun = !status;
    app_study_record_free(&record);
    return status ? status : app_study_sync(n);
}

int app_study_redefine(struct app_study *n, const char *definition)
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
    if (!n->id)
        return CKG_OK;
    status = app_store_study_find(n->store, now.name, &record, n->message);
    if (!status)
        status = update_record(n, &n->definition, n->folder, &record);
    app_study_record_free(&record);
    return status;
}

void app_study_close(struct app_study *n)
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
    free(n->stored);
    *n = (struct app_study){.message = n->message};
}
