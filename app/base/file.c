/* Written beside, synced, renamed. */
#include "base/file.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <ckg/status.h>

#include "base/visible.h"

int app_path_from(const char *folder, const char *name, char path[PATH_MAX])
{
    const int length = name[0] == '/' ? snprintf(path, PATH_MAX, "%s", name)
                                      : snprintf(path, PATH_MAX, "%s/%s", folder, name);

    return length > 0 && length < PATH_MAX;
}

static int write_all(int file, const char *data, size_t length)
{
    while (length) {
        const ssize_t wrote = write(file, data, length);
        if (wrote < 0 && errno == EINTR)
            continue;
        if (wrote <= 0)
            return 0;
        data += wrote;
        length -= (size_t)wrote;
    }
    return 1;
}

/* A device or a pipe is written to as it is: a file put in the place of /dev/null would be one too many. */
static int write_through(const char *path, const char *data, size_t length)
{
    const int file = open(path, O_WRONLY | O_CLOEXEC);

    if (file < 0)
        return 0;
    const int written = write_all(file, data, length);
    const int why = errno;
    const int closed = !close(file);
    if (!written)
        errno = why;
    return written && closed;
}

/*
 * A new file beside `path`, its name into `name`: one that nobody has put there before us, and no link. -1
 * with errno when there is none to be had.
 */
static int make_part(const char *path, struct app_text *name)
{
    enum { TRIES = 100 };
    int file = -1;

    for (int i = 0; i < TRIES && file < 0; i++) {
        name->length = 0;
        app_text_print(name, i ? "%s.%d" : "%s", path, i);
        app_text_print(name, ".%ld.part", (long)getpid());
        if (name->failed) {
            errno = ENOMEM;
            return -1;
        }
        file = open(name->data, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
        if (file < 0 && errno != EEXIST)
            return -1;
    }
    return file;
}

/* mode 0: what a new file is allowed. */
static int write_beside(const char *path, const char *data, size_t length, mode_t mode)
{
    struct app_text beside = {0};

    /* The whole of it, down to the disk. */
    const int file = make_part(path, &beside);
    int done = file >= 0;
    int why = errno;
    if (done) {
        done = write_all(file, data, length) && (!mode || !fchmod(file, mode)) && !fsync(file);
        why = errno;
        if (close(file) && done) {
            done = 0;
            why = errno;
        }

        /* Only then in the other's place. */
        if (done && rename(beside.data, path)) {
            done = 0;
            why = errno;
        }
        if (!done)
            unlink(beside.data);
    }
    app_text_free(&beside);
    errno = why;
    return done;
}

/* The process that writes a file of that name, "….PID.part"; 0: it is none. */
static long writer_of(const char *name)
{
    const size_t length = strlen(name);

    if (length < 7 || strcmp(name + length - 5, ".part") != 0)
        return 0;
    size_t first = length - 5;
    while (first > 0 && name[first - 1] >= '0' && name[first - 1] <= '9')
        first--;
    return first > 1 && name[first - 1] == '.' ? strtol(name + first, NULL, 10) : 0;
}

/* 1 for what a process that is gone left beside the file of that name; NULL: beside any. */
static int is_left(const char *entry, const char *name)
{
    const long writer = writer_of(entry);
    const size_t length = name ? strlen(name) : 0;

    if (writer <= 0 || writer == (long)getpid() ||
        (name && (strncmp(entry, name, length) != 0 || entry[length] != '.')))
        return 0;
    return kill((pid_t)writer, 0) && errno == ESRCH;
}

static void sweep(const char *folder, const char *name)
{
    DIR *directory = opendir(folder);
    const struct dirent *entry;

    while (directory && (entry = readdir(directory)))
        if (is_left(entry->d_name, name))
            unlinkat(dirfd(directory), entry->d_name, 0);
    if (directory)
        closedir(directory);
}

void app_sweep_files(const char *folder)
{
    sweep(folder, NULL);
}

/* What killed processes left beside this file. */
static void sweep_beside(const char *path)
{
    const char *slash = strrchr(path, '/');
    char *folder = slash ? strndup(path, slash > path ? (size_t)(slash - path) : 1) : strdup(".");

    if (folder)
        sweep(folder, slash ? slash + 1 : path);
    free(folder);
}

/* Exactly what it is, unless a person looks at it. */
static int write_out(const char *data, size_t length)
{
    if (isatty(STDOUT_FILENO))
        app_write_visible(stdout, data, length);
    else
        fwrite(data, 1, length, stdout);
    return !ferror(stdout);
}

int app_write_file(const char *path, const char *data, size_t length, struct app_message *message)
{
    struct stat there;
    char real[PATH_MAX];
    const int exists = !stat(path, &there);
    int done;

    if (!strcmp(path, "-"))
        return write_out(data, length)
                   ? CKG_OK
                   : app_fail(message, CKG_ERR_SYSTEM, "standard output: %s", strerror(errno));
    if (exists && !S_ISREG(there.st_mode))
        done = write_through(path, data, length);
    else { /* through a symbolic link, the file it stands for is replaced */
        const char *target = exists && realpath(path, real) ? real : path;
        sweep_beside(target);
        done = write_beside(target, data, length, exists ? there.st_mode & 0777 : 0);
    }
    return done ? CKG_OK : app_fail(message, CKG_ERR_SYSTEM, "%s: %s", path, strerror(errno));
}

int app_write_text(const char *path, struct app_text *text, struct app_message *message)
{
    const int status = text->failed
                           ? app_no_memory(message)
                           : app_write_file(path, text->data ? text->data : "", text->length, message);

    app_text_free(text);
    return status;
}
