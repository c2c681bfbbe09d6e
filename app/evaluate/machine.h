/* Processes as the system knows them: who this is, who is gone, who was left behind. */
#ifndef CKG_APP_MACHINE_H
#define CKG_APP_MACHINE_H

#include <stdint.h>
#include <sys/types.h>

/*
 * A name that is the same for two processes only when each can see the other by its number: host, boot and
 * space of process numbers.
 */
void app_machine_name(char name[256]);

/*
 * When the process was born, in ticks since the machine's start; 0 when it is not there or the system does
 * not say.
 */
int64_t app_process_born(int64_t process);

/* 1 when the process is dead, or its number now belongs to another. */
int app_process_gone(int64_t process, int64_t born);

/* Processes that lose their parent below us become our children, so that they can be found. */
void app_adopt_orphans(void);

/* 1 when we have children. */
int app_has_children(void);

/*
 * The process as a word that no other process of this machine has had. Evaluations carry in their
 * environment, as CKG_WORKER, that word and behind it what tells the runs of one process apart, here by the
 * address of what is the run's own.
 */
void app_worker_word(char word[48], int64_t process, int64_t born);
void app_run_word(char word[80], int64_t process, int64_t born, const void *run);

/*
 * For a process that exists for its run alone. Kills children of ours that carry CKG_WORKER=worker and
 * CKG_TRIAL=trial, and their own children; `spare` (count) aside. trial 0: any trial; worker NULL: any child,
 * for such as have cleared their environment.
 */
void app_kill_children(const char *worker, int trial, int count, const pid_t *spare);

/* For the same: takes leave of children that have ended, `spare` (count) aside. */
void app_reap_children(int count, const pid_t *spare);

/*
 * For any process: kills what carries CKG_WORKER=worker, CKG_STUDY=study and CKG_TRIAL=trial, wherever it is
 * by now. trial 0: any trial.
 */
void app_kill_marked(const char *worker, const char *study, int trial);

/* What the guards of a process's run are called, so that others know them; 15 characters are all there are.
 */
void app_guard_name(char name[16], int64_t process);

/*
 * Kills what a lost worker left on this machine, wherever it is by now, and waits until it is gone: first its
 * guards, which may be about to start an evaluation, and end by themselves; then the group of that process, 0
 * for not known, and all that carry the worker's word, whichever run of it they are of. 0 when some of it
 * will not go.
 */
int app_kill_left(const char *worker, int64_t process, int64_t born);

/* The same for every lost worker of the study. */
void app_kill_strays(const char *study);

#endif
