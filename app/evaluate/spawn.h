/* Starting the process of an evaluation. */
#ifndef CKG_APP_SPAWN_H
#define CKG_APP_SPAWN_H

#include <sys/types.h>

/*
 * Starts the words as a process in a group of its own, in that folder, with these three files as its standard
 * ones and signals as a program finds them that nobody has touched. 0 or an errno.
 */
int app_spawn(pid_t *pid, char *const *words, char *const *environment, const char *folder,
              const int files[3]);

#endif
