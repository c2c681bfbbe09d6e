/* The pages of a server: their frame, and what the poller writes for them. */
#ifndef CKG_APP_PAGES_H
#define CKG_APP_PAGES_H

#include "serve/cache.h"

/* A page up to and with <body>, titled by the name, which says to modules: study 7 (0: none), trial 3 (NULL:
 * none). */
void app_page_open(struct app_text *out, const char *name, int study, const char *kind, int number);
void app_page_close(struct app_text *out);

/*
 * The list of studies; a study's page; the form for its results. They lock the cache for as long as it takes
 * to copy.
 */
void app_page_index(struct app_cache *cache, int study, struct app_text *out);
void app_page_study(struct app_cache *cache, int study, struct app_text *out);
void app_page_lab(struct app_cache *cache, int study, struct app_text *out);
/* The list alone. */
void app_page_table(struct app_cache *cache, int study, struct app_text *out);

/* --- calls, in page_calls.c --- */

/* {"section": its index from 1 in the report}, {}, {"trial": its number} */
extern const struct app_action app_call_section, app_call_report, app_call_trial_page;

/* --- what the poller writes --- */

/* A study as it was seen. */
struct app_seen {
    const struct app_notebook *notebook; /* NULL: it could never be read */
    const char *name;
    int id;
    const char *trouble; /* why it cannot be read at the moment, or NULL */
};

/* The texts of the cache, the caller's to free whatever comes; 0 without memory. */
int app_seen_write(const struct app_seen *seen, char *texts[APP_STUDY_TEXTS]);

#endif
