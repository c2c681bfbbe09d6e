/* The pages of a server: their frame, and what the poller writes for them. */
#ifndef CKG_APP_PAGES_H
#define CKG_APP_PAGES_H

#include "serve/cache.h"

/* A page up to and with <body>, titled by the name; `study` is an attribute of the body, or NULL. */
void app_page_open(struct app_text *out, const char *name, const char *study);
void app_page_close(struct app_text *out);

/*
 * The list of studies; a study's page; the form for its results. They lock the cache for as long as it takes
 * to copy.
 */
void app_page_index(struct app_cache *cache, struct app_text *out);
void app_page_study(struct app_cache *cache, int study, struct app_text *out);
void app_page_lab(struct app_cache *cache, int study, struct app_text *out);
/* The list alone. */
void app_page_table(struct app_cache *cache, struct app_text *out);

/* --- calls, in page_calls.c --- */

/* {"section": its index from 1 in the report}, {}, {"trial": its number} */
extern const struct app_action app_call_section, app_call_report, app_call_trial_page;

/* --- what the poller writes --- */

/* `trouble`: why the study cannot be read at the moment, or NULL. */
void app_summary_write(const struct app_notebook *notebook, int id, const char *trouble,
                       struct app_text *out);
void app_row_write(const struct app_notebook *notebook, int id, const char *trouble, struct app_text *out);
void app_head_write(const struct app_notebook *notebook, const char *trouble, struct app_text *out);

/* The same for a study that could never be read. */
void app_summary_lost(const char *name, int id, const char *trouble, struct app_text *out);
void app_row_lost(const char *name, int id, const char *trouble, struct app_text *out);
void app_head_lost(const char *name, const char *trouble, struct app_text *out);

#endif
