/* Problem files, looked at before anything is claimed. */
#include "run/evaluators.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "evaluate/program.h"
#include "study/record.h"

const struct app_evaluator *app_evaluators_find(const struct app_evaluators *e, const char *study)
{
    for (int i = 0; i < e->count; i++)
        if (!strcmp(e->each[i].study, study))
            return &e->each[i];
    return NULL;
}

/* Another one, with a study of its own. */
static int keep(struct app_evaluators *e, const char *path, const struct app_definition *d,
                struct app_message *message)
{
    const struct app_evaluator *other = app_evaluators_find(e, d->name);

    if (other)
        return app_fail(message, CKG_ERR_INVALID, "%s: the study '%s' has a problem file already, %s", path,
                        d->name, other->path);

    struct app_evaluator *each = realloc(e->each, ((size_t)e->count + 1) * sizeof *each);
    char *url = app_study_address_url(&(struct app_study_address){.file = path}, d);
    if (each) {
        e->each = each;
        each += e->count++;
        each->path = app_pool_copy(&e->pool, path);
        each->study = app_pool_copy(&e->pool, d->name);
        each->url = url ? app_pool_copy(&e->pool, url) : NULL;
    }
    free(url);
    return each && each->path && each->study && each->url ? CKG_OK : app_no_memory(message);
}

static int add_file(struct app_evaluators *e, const char *path, struct app_message *message)
{
    const char *slash = strrchr(path, '/');
    const int length = slash ? (int)(slash - path) + (slash == path) : 1;
    struct app_pool pool = {0};
    struct app_definition d;
    int status = app_definition_read(&d, path, message);

    if (status)
        return status;
    const char *folder = app_pool_print(&pool, "%.*s", length, slash ? path : ".");

    if (!folder)
        status = app_no_memory(message);
    else if (!d.evaluate.count)
        status = app_fail(message, CKG_ERR_INVALID, "%s: it has no `evaluate: {command: […]}` for a worker",
                          path);
    else
        status = app_program_check(&d, folder, path, message);
    if (!status)
        status = keep(e, path, &d, message);
    app_pool_free(&pool);
    app_definition_free(&d);
    return status;
}

/* --- folders --- */

static int is_problem_file(const struct dirent *entry)
{
    const char *dot = strrchr(entry->d_name, '.');

    return entry->d_name[0] != '.' && dot && (!strcmp(dot, ".yaml") || !strcmp(dot, ".yml"));
}

/* One of a folder: what is wrong with it is said, and the others are looked at. */
static int add_found(struct app_evaluators *e, const char *folder, const char *name,
                     void (*say)(const char *line), struct app_message *message)
{
    struct app_message why;
    struct app_text path = {0};

    app_text_print(&path, "%s/%s", folder, name);
    int status = path.failed ? app_no_memory(&why) : add_file(e, path.data, &why);
    if (status == CKG_ERR_NOMEM)
        app_fail(message, status, "%s", why.text);
    else if (status) {
        say(why.text);
        status = CKG_OK;
    }
    app_text_free(&path);
    return status;
}

static int add_folder(struct app_evaluators *e, const char *folder, void (*say)(const char *line),
                      struct app_message *message)
{
    struct dirent **found = NULL;
    const int count = scandir(folder, &found, is_problem_file, alphasort);
    int status = CKG_OK;

    if (count < 0)
        return app_fail(message, CKG_ERR_INVALID, "%s: %s", folder, strerror(errno));
    for (int i = 0; i < count; i++) {
        if (!status)
            status = add_found(e, folder, found[i]->d_name, say, message);
        free(found[i]);
    }
    free(found);
    return status;
}

int app_evaluators_add(struct app_evaluators *e, const char *path, void (*say)(const char *line),
                       struct app_message *message)
{
    struct stat info;

    return !stat(path, &info) && S_ISDIR(info.st_mode) ? add_folder(e, path, say, message)
                                                       : add_file(e, path, message);
}

void app_evaluators_free(struct app_evaluators *e)
{
    app_pool_free(&e->pool);
    free(e->each);
    *e = (struct app_evaluators){0};
}
