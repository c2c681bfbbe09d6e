/* Folders made, filled, weighed, removed. */
#include "evaluate/workspace.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <limits.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "definition/substitute.h"

/* In every folder of ours; its second name once the trial has ended. */
static const char running_mark[] = ".ckg";
static const char ended_mark[] = ".ckg-ended";

/* The path of that name as seen from the folder. */
static int find(const char *folder, const char *name, char path[PATH_MAX], struct app_message *message)
{
    return app_path_from(folder, name, path)
               ? CKG_OK
               : app_fail(message, CKG_ERR_SYSTEM, "%s/%s: %s", folder, name, strerror(ENAMETOOLONG));
}

static int exists(const char *folder, const char *name)
{
    char path[PATH_MAX];
    struct stat info;

    return app_path_from(folder, name, path) && !stat(path, &info);
}

char *app_workspace_path(const struct app_definition *d, const char *folder, int trial)
{
    static atomic_int others;
    const struct app_workspace *w = &d->evaluate.workspace;
    struct app_text path = {0};

    if (!w->used)
        return app_copy(folder);
    char *real = realpath(folder, NULL);
    if (w->folder)
        app_text_print(&path, w->folder[0] == '/' ? "%.0s%s" : "%s/%s", real ? real : folder, w->folder);
    else {
        app_text_print(&path, "%s/", real ? real : folder);
        app_text_add_plain(&path, d->name);
        app_text_print(&path, ".work");
    }
    if (trial > 0)
        app_text_print(&path, "/%d", trial);
    else
        app_text_print(&path, "/other-%ld-%d", (long)getpid(), atomic_fetch_add(&others, 1));
    free(real);
    if (path.failed)
        app_text_free(&path);
    return path.data;
}

/* --- removing --- */

static int remove_one(const char *path, const struct stat *info, int kind, struct FTW *at)
{
    (void)info;
    (void)kind;
    (void)at;

    remove(path);
    return 0;
}

/* The folder with all that is in it; links are removed, not followed. */
static void remove_tree(const char *path)
{
    nftw(path, remove_one, 16, FTW_DEPTH | FTW_PHYS | FTW_MOUNT);
}

static int is_ours(const char *path)
{
    return exists(path, running_mark) || exists(path, ended_mark);
}

/* --- making --- */

/* The folder and all above it. */
static int make_folders(const char *path, struct app_message *message)
{
    char *part = app_copy(path);
    int failed = !part;

    for (char *c = part ? part + 1 : NULL; c && *c && !failed; c++)
        if (*c == '/') {
            *c = 0;
            failed = mkdir(part, 0777) && errno != EEXIST && errno != EROFS && errno != EACCES;
            *c = '/';
        }
    failed = failed || (mkdir(path, 0777) && errno != EEXIST);
    const int status = failed ? app_fail(message, CKG_ERR_SYSTEM, "%s: %s", path, strerror(errno)) : CKG_OK;
    free(part);
    return status;
}

/* What is looked for beside the problem file. */
static int link_file(const char *folder, const char *path, const char *file, struct app_message *message)
{
    const char *slash = strrchr(file, '/');
    char from[PATH_MAX];
    char real[PATH_MAX];
    char to[PATH_MAX];
    int status = find(folder, file, from, message);

    if (!status)
        status = find(path, slash ? slash + 1 : file, to, message);
    if (status)
        return status;
    const int there = realpath(from, real) != NULL;
    return there && !symlink(real, to)
               ? CKG_OK
               : app_fail(message, CKG_ERR_SYSTEM, "%s: %s", there ? to : from, strerror(errno));
}

/* Reads the template and fills it in; x NULL: it is only looked at. */
static int fill_template(const struct app_definition *d, const char *folder, const char *source,
                         const double *x, struct app_text *out, struct app_message *message)
{
    char from[PATH_MAX];
    char *text = NULL;
    size_t length = 0;
    int status = find(folder, source, from, message);

    if (!status)
        status = app_read_file(from, &text, &length, message);
    if (!status)
        status = app_substitute_template(d, x, source, text, length, out, message);
    free(text);
    return status;
}

static int write_template(const struct app_definition *d, const char *folder, const char *path,
                          const struct app_need *template, const double *x, struct app_message *message)
{
    struct app_text out = {0};
    char to[PATH_MAX];
    int status = find(path, template->name, to, message);

    /* It may be in a folder of its own. */
    if (!status && strchr(template->name, '/')) {
        char *slash = strrchr(to, '/');
        *slash = 0;
        status = make_folders(to, message);
        *slash = '/';
    }
    if (!status)
        status = fill_template(d, folder, template->value, x, &out, message);
    if (!status)
        status = app_write_text(to, &out, message);
    app_text_free(&out);
    return status;
}

int app_workspace_check(const struct app_definition *d, const char *folder, struct app_message *message)
{
    const struct app_workspace *w = &d->evaluate.workspace;
    struct app_text unused = {0};
    int status = CKG_OK;

    for (int i = 0; i < w->files.count; i++)
        if (!exists(folder, w->files.word[i]))
            return app_fail(message, CKG_ERR_INVALID,
                            "the file '%s' of `work` does not exist; write it, or change `files`",
                            w->files.word[i]);
    for (int i = 0; !status && i < w->templates.count; i++)
        status = fill_template(d, folder, w->templates.pair[i].value, NULL, &unused, message);
    app_text_free(&unused);
    return status == CKG_ERR_SYSTEM ? CKG_ERR_INVALID : status;
}

int app_workspace_open(const struct app_definition *d, const char *folder, const char *path, const double *x,
                       struct app_message *message)
{
    const struct app_workspace *w = &d->evaluate.workspace;
    char mark[PATH_MAX];
    struct stat info;

    if (!w->used)
        return CKG_OK;

    /* What an earlier evaluation of the trial left goes. */
    if (!lstat(path, &info) && !is_ours(path))
        return app_fail(message, CKG_ERR_SYSTEM,
                        "%s is there and not by `ckg`; move it away, or choose another `folder` for `work`",
                        path);
    remove_tree(path);
    int status = make_folders(path, message);

    /* Ours from now on, with what the command needs. */
    if (!status)
        status = find(path, running_mark, mark, message);
    if (!status)
        status = app_write_file(mark, "", 0, message);
    for (int i = 0; !status && i < w->files.count; i++)
        status = link_file(folder, path, w->files.word[i], message);
    for (int i = 0; !status && i < w->templates.count; i++)
        status = write_template(d, folder, path, &w->templates.pair[i], x, message);
    return status;
}

/* --- when it has ended --- */

/* Bytes on the disk, as they are added up; only one thread of the process weighs at a time. */
static _Thread_local double weight;

static int weigh_one(const char *path, const struct stat *info, int kind, struct FTW *at)
{
    (void)path;
    (void)kind;
    (void)at;

    weight += 512.0 * (double)info->st_blocks;
    return 0;
}

/* A folder of a trial that has ended. */
struct kept {
    const char *path;
    double bytes;
    struct timespec ended;
};

/* Fills in the rest of it; 0: it is none. */
static int look(struct kept *out)
{
    char mark[PATH_MAX];
    struct stat info;

    if (!app_path_from(out->path, ended_mark, mark) || stat(mark, &info))
        return 0;
    weight = 0;
    nftw(out->path, weigh_one, 16, FTW_PHYS | FTW_MOUNT);
    out->bytes = weight;
    out->ended = info.st_mtim;
    return 1;
}

static int compare_ages(const void *a, const void *b)
{
    const struct timespec *x = &((const struct kept *)a)->ended;
    const struct timespec *y = &((const struct kept *)b)->ended;

    if (x->tv_sec != y->tv_sec)
        return x->tv_sec < y->tv_sec ? -1 : 1;
    return x->tv_nsec < y->tv_nsec ? -1 : x->tv_nsec > y->tv_nsec;
}

/* All that have ended in the folder, in a list that the caller frees; how many. */
static size_t list_kept(struct app_pool *pool, const char *folder, struct kept **out)
{
    DIR *directory = opendir(folder);
    const struct dirent *entry;
    size_t count = 0;

    *out = NULL;
    while (directory && (entry = readdir(directory))) {
        struct kept *grown = entry->d_name[0] == '.' ? NULL : realloc(*out, (count + 1) * sizeof *grown);

        *out = grown ? grown : *out;
        if (grown) {
            grown[count].path = app_pool_print(pool, "%s/%s", folder, entry->d_name);
            count += grown[count].path && look(&grown[count]);
        }
    }
    if (directory)
        closedir(directory);
    return count;
}

/* Removes the oldest until the others are within the quota. */
static void keep_quota(const char *folder, double quota)
{
    struct app_pool pool = {0};
    struct kept *all;
    const size_t count = list_kept(&pool, folder, &all);
    double sum = 0;

    if (count)
        qsort(all, count, sizeof *all, compare_ages);
    for (size_t i = 0; i < count; i++)
        sum += all[i].bytes;
    for (size_t i = 0; i < count && sum > quota; i++) {
        remove_tree(all[i].path);
        sum -= all[i].bytes;
    }
    app_pool_free(&pool);
    free(all);
}

void app_workspace_close(const struct app_definition *d, const char *path, int failed)
{
    const struct app_workspace *w = &d->evaluate.workspace;
    char from[PATH_MAX];
    char to[PATH_MAX];

    if (!w->used || !is_ours(path))
        return;

    /* Gone, or said to have ended. */
    if (w->keep == APP_KEEP_NONE || failed < 0 || (w->keep == APP_KEEP_FAILED && !failed))
        remove_tree(path);
    else if (app_path_from(path, running_mark, from) && app_path_from(path, ended_mark, to))
        rename(from, to);

    /* Then the oldest of all that are kept; and the folder of all, should it be empty. */
    char *folder = app_copy(path);
    char *slash = folder ? strrchr(folder, '/') : NULL;
    if (slash) {
        *slash = 0;
        if (w->quota > 0)
            keep_quota(folder, w->quota);
        rmdir(folder);
    }
    free(folder);
}
