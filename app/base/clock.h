/* The clock of the program. */
#ifndef CKG_APP_CLOCK_H
#define CKG_APP_CLOCK_H

/* Seconds of a clock that only goes forward. */
double app_clock(void);

#endif
