/* One file for each answer: a JSON object, renamed into its place when it is on the disk. */
#include "run/spool.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <ckg/status.h>

#include "base/file.h"
#include "base/json.h"
#include "evaluate/machine.h"
#include "store/checksum.h"

static const char ending[] = ".answer";

/* --- the folder --- */

/* Where answers wait unless somebody says otherwise. */
static void usual_folder(struct app_text *out)
{
    const char *state = getenv("XDG_STATE_HOME");
    const char *home = getenv("HOME");

    if (state && *state == '/')
        app_text_print(out, "%s/ckg/spool", state);
    else
        app_text_print(out, "%s/.local/state/ckg/spool", home && *home ? home : "/tmp");
}

/* Makes the folder, and those above it. */
static int make_folder(char *path, struct app_message *message)
{
    for (char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = 0;
        mkdir(path, 0777);
        *slash = '/';
    }
    if (mkdir(path, 0700) && errno != EEXIST)
        return app_fail(message, CKG_ERR_SYSTEM, "%s: %s; --spool names another folder for answers", path,
                        strerror(errno));
    if (access(path, W_OK | X_OK))
        return app_fail(message, CKG_ERR_SYSTEM, "%s: %s; --spool names another folder for answers", path,
                        strerror(errno));
    return CKG_OK;
}

/* A file's path as it is from everywhere; another's URL, which has no password any longer. */
static char *name_store(const char *url)
{
    const char *path = app_store_file(url);
    struct app_text name = {0};
    char real[PATH_MAX];

    if (*path && realpath(path, real))
        app_text_print(&name, "%.*s%s", (int)(path - url), url, real);
    else
        app_text_print(&name, "%s", url);
    return name.data;
}

int app_spool_open(struct app_spool *spool, const char *folder, const char *url,
                   const struct app_worker *worker, struct app_message *message)
{
    struct app_text path = {0};

    *spool = (struct app_spool){.worker = worker};
    if (folder)
        app_text_print(&path, "%s", folder);
    else
        usual_folder(&path);
    spool->folder = path.data;
    spool->store = name_store(url);
    const int status = spool->folder && spool->store ? make_folder(spool->folder, message)
                                                     : app_no_memory(message);
    if (status)
        app_spool_close(spool);
    else
        app_sweep_files(spool->folder);
    return status;
}

void app_spool_close(struct app_spool *spool)
{
    free(spool->folder);
    free(spool->store);
    *spool = (struct app_spool){0};
}

/* --- writing --- */

/* What is kept of a trial's result is what a change keeps of it too (store/checksum.h). */
#define WRITE_INTEGER(name) app_json_add_integer(out, #name, r->name)
#define WRITE_REAL(name) app_json_add_number(out, #name, r->name)
#define WRITE_TEXT(name) app_json_add_string(out, #name, r->name)
#define WRITE(NAME, name, KIND) WRITE_##KIND(name);

static void write_answer(const struct app_spool *spool, const char *study, const struct app_trial *r,
                         struct app_text *out)
{
    const struct app_worker *w = spool->worker;

    app_json_print(out, "{store:%s study:%s trial:%d worker:%lld machine:%s process:%lld born:%lld state:%s",
                   spool->store, study, r->number, (long long)w->id, w->machine, (long long)w->process,
                   (long long)w->born, app_state_name(r->state));
    APP_RESULT_COLUMNS(WRITE)
    app_json_close(out, '}');
    app_text_print(out, "\n");
}

/* The new name in the folder outlives a power failure too. */
static void sync_folder(const char *path)
{
    const int folder = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

    if (folder < 0)
        return;
    fsync(folder);
    close(folder);
}

int app_spool_put(struct app_spool *spool, const char *study, const struct app_trial *result, char **path,
                  struct app_message *message)
{
    struct app_text name = {0};
    struct app_text text = {0};

    *path = NULL;
    app_text_print(&name, "%s/%lld-%lld-%d%s", spool->folder, (long long)spool->worker->process,
                   (long long)spool->worker->born, ++spool->count, ending);
    write_answer(spool, study, result, &text);
    const int status = name.failed || text.failed
                           ? app_no_memory(message)
                           : app_write_file(name.data, text.data, text.length, message);
    app_text_free(&text);
    if (status) {
        app_text_free(&name);
        return status;
    }
    sync_folder(spool->folder);
    *path = name.data;
    return CKG_OK;
}

/* --- reading --- */

static const char *text_of(const json_t *object, const char *key)
{
    return json_string_value(json_object_get(object, key));
}

static int64_t integer_of(const json_t *object, const char *key)
{
    return json_integer_value(json_object_get(object, key));
}

static double real_of(const json_t *object, const char *key)
{
    const json_t *number = json_object_get(object, key);

    return json_is_number(number) ? json_number_value(number) : NAN;
}

#define READ_INTEGER(name) (int)integer_of(object, #name)
#define READ_REAL(name) real_of(object, #name)
#define READ_TEXT(name) text_of(object, #name)
#define READ(NAME, name, KIND) .name = READ_##KIND(name),

/* What the file says; its texts are the object's. 0: it is no answer. */
static int read_answer(const json_t *object, struct app_spooled *out)
{
    out->study = text_of(object, "study");
    out->worker = (struct app_worker){.id = integer_of(object, "worker"),
                                      .machine = text_of(object, "machine"),
                                      .process = integer_of(object, "process"),
                                      .born = integer_of(object, "born")};
    out->result = (struct app_trial){.number = (int)integer_of(object, "trial"),
                                     .state = app_state_named(text_of(object, "state")),
                                     APP_RESULT_COLUMNS(READ)};
    return out->study && out->result.parameters && out->worker.machine && out->result.number > 0 &&
           out->result.state != APP_STATES;
}

/*
 * Ours, or of a process that cannot deliver it: gone, with its machine perhaps. One that we cannot see and
 * that lives on a shared disk loses nothing by our help.
 */
static int is_due(const struct app_spool *spool, const struct app_worker *worker)
{
    const int here = !strcmp(worker->machine, spool->worker->machine);
    const int ours = worker->process == spool->worker->process && worker->born == spool->worker->born;

    return !here || ours || app_process_gone(worker->process, worker->born);
}

static int visit_file(const struct app_spool *spool, const char *name, app_spool_visit *visit, void *context)
{
    struct app_spooled answer = {0};
    struct app_text path = {0};
    int status = CKG_OK;

    app_text_print(&path, "%s/%s", spool->folder, name);
    json_t *object = path.failed ? NULL : json_load_file(path.data, 0, NULL);
    const char *store = object ? text_of(object, "store") : NULL;

    answer.path = path.data;
    if (store && !strcmp(store, spool->store) && read_answer(object, &answer) &&
        is_due(spool, &answer.worker))
        status = visit(context, &answer);
    json_decref(object);
    app_text_free(&path);
    return status;
}

int app_spool_each(const struct app_spool *spool, app_spool_visit *visit, void *context)
{
    DIR *directory = opendir(spool->folder);
    const struct dirent *entry;
    int status = CKG_OK;

    while (!status && directory && (entry = readdir(directory))) {
        const size_t length = strlen(entry->d_name);
        if (length > sizeof ending && !strcmp(entry->d_name + length - sizeof ending + 1, ending))
            status = visit_file(spool, entry->d_name, visit, context);
    }
    if (directory)
        closedir(directory);
    return status;
}
