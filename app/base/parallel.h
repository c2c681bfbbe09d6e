/* Independent tasks over several threads. */
#ifndef CKG_APP_PARALLEL_H
#define CKG_APP_PARALLEL_H

#include "base/text.h"

/* Does the task of that index; a status, with the message set where it is not CKG_OK. */
typedef int app_task(void *context, int index, struct app_message *message);

/*
 * Does the tasks 0 … count − 1, each once, begun in this order on so many threads. After the first that fails
 * no other is begun; its status and message.
 */
int app_parallel(int count, int threads, app_task *task, void *context, struct app_message *message);

#endif
