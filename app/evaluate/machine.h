/* Processes as the system knows them: who this is, who is gone, who was left behind. */
#ifndef CKG_APP_MACHINE_H
#define CKG_APP_MACHINE_H

#include <stdint.h>
#include <sys/types.h>

/* A name that is the same for two processes only when each can see the other by its number: host, boot and space of process numbers. */
void app_machine_name(char name[256]);

/* When the process was born, in ticks since the machine's start; 0 when it is not there or the system does not say. */
int64_t app_process_born(int64_t process);

/* 1 when the process is dead, or its number now belongs to another. */
int app_process_gone(int64_t process, int64_t born);

/* Processes that lose their parent below us become our children, so that they can be found. */
void app_adopt_orphans(void);

/* Kills children of ours that carry CKG_TRIAL=trial in their environment, `spare` (count) aside; trial 0: any. */
void app_kill_orphans(int trial, int count, const pid_t *spare);

#endif
