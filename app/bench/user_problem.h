/*
 * A problem file of the user's own as something to experiment on. What is true of a design is what the models
 * of the study's trials predict, which costs nothing; or what the file's own command answers.
 */
#ifndef CKG_APP_BENCH_USER_PROBLEM_H
#define CKG_APP_BENCH_USER_PROBLEM_H

#include <pthread.h>

#include "base/pool.h"
#include "problems/problems.h"
#include "study/record.h"

struct app_user_problem {
    /*
     * Its name is that of the file. Its optimum is the best design of the models that a search finds; with
     * the real command the best feasible trial so far, or 0. An infeasible recommendation counts as the
     * penalty M, or as 0.
     */
    struct app_problem problem;
    struct app_study record;    /* its study, which is only read */
    struct app_message trouble; /* why an evaluation could not even be tried; empty: none */

    /* How it is evaluated. */
    ckg_study *engine;          /* NULL: the command is asked */
    struct app_message unheard; /* complaints after the study was opened */
    pthread_mutex_t lock;       /* of the engine, the trouble, and what follows */
    struct app_pool pool;       /* of the name, and what the command has answered */
    struct app_answered *known; /* the last of them */
};

/*
 * Opens the study of the file, reading only. The models need a measured trial of every outcome, `real` a
 * command.
 */
int app_user_problem_open(struct app_user_problem **out, const char *file, int real, int threads,
                          struct app_message *message);
void app_user_problem_free(struct app_user_problem *own);

/* What is behind a problem; NULL: it is built in. */
struct app_user_problem *app_user_problem_of(const struct app_problem *problem);

#endif
