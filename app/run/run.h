/* Evaluates designs until the budget is spent: suggestions, child processes, results into the store. */
#ifndef CKG_APP_RUN_H
#define CKG_APP_RUN_H

#include "run/progress.h"

enum app_run_end {
    APP_RUN_SPENT,       /* the budget is spent, or every design has been evaluated */
    APP_RUN_INTERRUPTED, /* by a signal; the study can go on */
    APP_RUN_BROKEN       /* by an error that is in the notebook's message, or was said; the study can go on */
};

/* Runs the study; other processes may do so at the same time. The notebook was opened for writing. */
enum app_run_end app_run(struct app_notebook *notebook, enum app_progress_kind shown);

#endif
