/*
 * The files of an evaluation that is a job: FOLDER/STUDY.jobs/TRIAL/ with the design, the script that runs
 * the command, under which name it was submitted, and what came of it. Nodes and the run see them through a
 * file system that they share. They live until the result is in the store, so a run that was killed finds
 * its jobs by them.
 */
#ifndef CKG_APP_JOB_FILES_H
#define CKG_APP_JOB_FILES_H

#include <limits.h>

#include "evaluate/child.h"
#include "definition/scheduler.h"

/* Where a job is in the scheduler's queue. */
struct app_ticket {
    char name[APP_JOB_NAME]; /* of the batch; "": it was not submitted */
    int index;               /* of the task in it */
    char base[APP_JOB_ID];   /* what the scheduler calls the batch; "": it has not said so */
};

/* The folder of all jobs of the study, absolute; the caller frees it. NULL: no memory. */
char *app_jobs_folder(const char *folder, const char *study);

/* The folder of one of them; 0: its path is too long. */
int app_job_folder(const char *jobs, int trial, char made[PATH_MAX]);

/* The shell of a job's scripts. */
const char *app_job_shell(const struct app_definition *definition);

/* 1 where the files in that folder are those of the order, whose command runs in `place`. */
int app_job_is(const char *made, const char *place, const struct app_order *order);

/* Writes them: the design, and the script that runs the command. */
int app_job_write(const char *made, const char *place, const struct app_order *order,
                  struct app_message *message);

/* The ticket, kept on the disk; read back, 0: there is none. */
int app_ticket_write(const char *made, const struct app_ticket *ticket, struct app_message *message);
int app_ticket_read(const char *made, struct app_ticket *ticket);

/* Takes what an earlier job of the trial left as a result away. */
void app_job_clear(const char *made);

/* 1 when the command has ended, by itself: its exit status, and how many seconds it ran. */
int app_job_ended(const char *made, int *code, double *seconds);

/* What the command has written so far, and where it wrote no errors what the log says, into the child. */
void app_job_collect(const char *made, const char *log, struct app_child *child);

/* All files of the job. */
void app_job_remove(const char *made);

#endif
