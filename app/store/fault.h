/* Places where tests let a store fail: store/fault.c in a program of theirs, store/fault_none.c in ckg. */
#ifndef CKG_APP_FAULT_H
#define CKG_APP_FAULT_H

/*
 * Counts the places passed. 0: go on; 1: the database is to fail here as if the disk were full. May also kill
 * the process.
 */
int app_fault(void);

#endif
