/* posix_spawn. */
#include "evaluate/spawn.h"

#include <errno.h>
#include <signal.h>
#include <spawn.h>

int app_spawn(pid_t *pid, char *const *words, char *const *environment, const char *folder,
              const int files[3])
{
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    sigset_t none;
    sigset_t usual;

    if (posix_spawn_file_actions_init(&actions))
        return ENOMEM;
    if (posix_spawnattr_init(&attributes)) {
        posix_spawn_file_actions_destroy(&actions);
        return ENOMEM;
    }

    /* A group of its own, and signals as a program finds them that nobody has touched. */
    sigemptyset(&none);
    sigemptyset(&usual);
    sigaddset(&usual, SIGPIPE);
    sigaddset(&usual, SIGXFSZ);
    sigaddset(&usual, SIGINT);
    sigaddset(&usual, SIGTERM);
    sigaddset(&usual, SIGCHLD);
    posix_spawnattr_setflags(&attributes,
                             POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK);
    posix_spawnattr_setpgroup(&attributes, 0);
    posix_spawnattr_setsigdefault(&attributes, &usual);
    posix_spawnattr_setsigmask(&attributes, &none);

    /* Its folder, its pipes, and off it goes. */
    int error = posix_spawn_file_actions_addchdir_np(&actions, folder);
    for (int i = 0; !error && i < 3; i++)
        error = posix_spawn_file_actions_adddup2(&actions, files[i], i);
    if (!error)
        error = posix_spawnp(pid, words[0], &actions, &attributes, words, environment);
    if (error)
        *pid = 0;

    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&actions);
    return error;
}
