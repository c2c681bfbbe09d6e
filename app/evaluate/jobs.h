/*
 * Evaluations as jobs of a cluster. Those that are started together are submitted together, as one array; one
 * question to the scheduler looks at all of them. A job whose files (evaluate/job_files.h) say that its
 * command has ended is read from there. One that the cluster has lost, by a node that failed or for a more
 * urgent job, is no failure: it is submitted again. A run that was killed finds its jobs by their tickets,
 * so nothing that lives or has ended is evaluated twice.
 */
#ifndef CKG_APP_JOBS_H
#define CKG_APP_JOBS_H

#include "evaluate/child.h"

struct app_jobs;

/* For the evaluations of a run, as app_launcher.jobs; `worker` and the definition must live as long. */
int app_jobs_begin(struct app_jobs **out, const struct app_definition *definition, const char *folder,
                   const char *worker, struct app_message *message);

/*
 * Takes away what a run that was killed has left of trials that have ended since: it had their results, but
 * not the time to tidy up behind them.
 */
void app_jobs_tidy(struct app_jobs *jobs, int (*has_ended)(const void *context, int trial),
                   const void *context);

/* 1: there is something that a person should hear, once. */
int app_jobs_news(struct app_jobs *jobs, struct app_message *line);

/* After the last evaluation has been freed; NULL is no trouble. */
void app_jobs_end(struct app_jobs *jobs);

#endif
