/* The schema's step for the policy that was called `ckg` and is `auto`. */
#ifndef CKG_APP_RENAME_POLICY_H
#define CKG_APP_RENAME_POLICY_H

#include "store/sql.h"

/* In all definitions, those of changes too, which an undo brings back. */
void app_rename_policy(struct app_sql *sql);

#endif
