/*
 * What a worker can evaluate: the problem files that its operator has named. A study of a store is evaluated
 * by the file of its name alone. Whatever a store says of a study, no other command is ever run.
 */
#ifndef CKG_APP_EVALUATORS_H
#define CKG_APP_EVALUATORS_H

#include "base/pool.h"
#include "base/text.h"

/* A problem file with a command, the name of the study that it is for, and the URL of its store. */
struct app_evaluator {
    char *path, *study, *url;
};

struct app_evaluators {
    struct app_pool pool;
    int count;
    struct app_evaluator *each; /* (count) in the order in which they were named */
};

/*
 * Adds the problem file, or those of a folder. A file must be right, have a command that can be started, and
 * be the only one of its study; of a folder's files, those that are not so are left out, with a line to
 * `say`.
 */
int app_evaluators_add(struct app_evaluators *evaluators, const char *path, void (*say)(const char *line),
                       struct app_message *message);

/* The file for the study of that name, NULL: there is none. */
const struct app_evaluator *app_evaluators_find(const struct app_evaluators *evaluators, const char *study);

void app_evaluators_free(struct app_evaluators *evaluators);

#endif
