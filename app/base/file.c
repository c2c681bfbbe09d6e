/* Written beside, synced, renamed. */
#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <ckg/status.h>

static int write_all(int file, const char *bytes, size_t length)
{
    while (length) {
        const ssize_t sent = write(file, bytes, length);
        if (sent < 0 && errno == EINTR)
            continue;
        if (sent < 0)
            return 0;
        bytes += sent;
        length -= (size_t)sent;
    }
    return 1;
}

int app_write_file(const char *path, const char *bytes, size_t length, struct app_message *message)
{
    struct app_text beside = {0};
    if (!strcmp(path, "-"))
        return fwrite(bytes, 1, length, stdout) == length ? CKG_OK : app_fail(message, CKG_ERR_SYSTEM, "standard output: %s", strerror(errno));
    app_text_print(&beside, "%s.%ld.part", path, (long)getpid());
    if (beside.failed)
        return app_fail(message, CKG_ERR_NOMEM, "out of memory");
    const int file = open(beside.data, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    int good = file >= 0 && write_all(file, bytes, length) && !fsync(file);
    int error = errno;
    if (file >= 0 && close(file) && good) {
        good = 0;
        error = errno;
    }
    if (good && rename(beside.data, path)) {
        good = 0;
        error = errno;
    }
    if (!good && file >= 0)
        unlink(beside.data);
    app_text_free(&beside);
    return good ? CKG_OK : app_fail(message, CKG_ERR_SYSTEM, "%s: %s", path, strerror(error));
}
