/*
 * When memory runs out. Every allocation is checked where it is made; but a text that stopped growing may be
 * printed long after that, and libraries take a failed allocation for a mistake in what they read. So what
 * failed is counted, and a command that has succeeded in spite of it is not believed.
 */
#ifndef CKG_APP_MEMORY_H
#define CKG_APP_MEMORY_H

/* An allocation has failed. */
void app_memory_failed(void);

/* A status that the caller can do without: it is counted where it says that there was no memory. */
int app_memory_note(int status);

/* How many have failed so far, in this thread; in the whole process. */
long app_memory_failures(void);
long app_memory_failures_of_all(void);

#endif
