/*
 * By the user's number, because the environment may say anything. The file of users is looked at first: the
 * system's own way asks networks too, and dies where memory is short.
 */
#include "base/who.h"

#include <fcntl.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { LONGEST_NAME = 150 };

/* The next line of the file, without its end and cut where it is too long; 0: there is none. */
static int read_line(int file, char *line, size_t size)
{
    size_t length = 0;
    char one;

    while (read(file, &one, 1) == 1) {
        if (one == '\n') {
            line[length] = 0;
            return 1;
        }
        if (length < size - 1)
            line[length++] = one;
    }
    return 0;
}

/* name:password:number:… */
static int is_of(const char *line, uid_t user)
{
    const char *password = strchr(line, ':');
    const char *number = password ? strchr(password + 1, ':') : NULL;
    char *stop;

    return number && strtoul(number + 1, &stop, 10) == user && stop > number + 1 && *stop == ':';
}

static int look_up(uid_t user, char name[LONGEST_NAME + 1])
{
    const int file = open("/etc/passwd", O_RDONLY | O_CLOEXEC);
    char line[1024];
    int found = 0;

    while (file >= 0 && !found && read_line(file, line, sizeof line))
        found = is_of(line, user);
    if (file >= 0)
        close(file);
    if (found)
        snprintf(name, LONGEST_NAME + 1, "%.*s", (int)strcspn(line, ":"), line);
    return found && *name;
}

void app_who(char out[300])
{
    const uid_t user = geteuid();
    char name[LONGEST_NAME + 1];
    char host[100] = "";

    gethostname(host, sizeof host - 1);
    if (!look_up(user, name)) {
        const struct passwd *entry = getpwuid(user);

        if (entry && entry->pw_name)
            snprintf(name, sizeof name, "%.150s", entry->pw_name);
        else
            snprintf(name, sizeof name, "%ld", (long)user);
    }
    snprintf(out, 300, "%s@%s", name, host);
}
