/* What pages are made of beside their scripts: what is quick to know of a study, and parts as in the report.
 */
#ifndef CKG_APP_PAGE_PARTS_H
#define CKG_APP_PAGE_PARTS_H

#include "serve/cache.h"

/*
 * A study as it was seen last, as an object: how far it is and what it has found. record NULL: it could
 * never be read; trouble: why it cannot be read at the moment, or NULL.
 */
void app_summary_write(const struct app_cached_study *study, const struct app_study *record, const char *name,
                       const char *trouble, struct app_text *out);

/*
 * Calls that are asked for by addresses of their own: {"since": revision} lists the trials that have changed
 * since; {} the report, and the head of its page; {"section": its index from 1 in the report}.
 */
extern const struct app_action app_call_trials, app_call_report, app_call_head, app_call_section;

#endif
