/* Which trials a command is about: numbers and ranges, or those that failed. */
#ifndef CKG_APP_SELECTION_H
#define CKG_APP_SELECTION_H

#include "command.h"

/* The options that go with it. */
#define APP_SELECTION_OPTIONS                                                                                \
    {"failed", 0, NULL, "every trial that failed, instead of numbers", 0},                                   \
    {                                                                                                        \
        "since", 0, "T",                                                                                     \
            "with --failed: since trial T, for a time like 2h, or since a moment like 2026-01-31T14:00", 0   \
    }

struct app_selection {
    int count;
    int *number; /* (count) in order, each once */
};

/* The line makes sense, before a study is opened. */
int app_selection_check(const struct app_arguments *arguments);

/* The trials, the caller's to free. CKG_ERR_INVALID: one is not there; CKG_ERR_STATE: none failed. */
int app_selection_read(const struct app_arguments *arguments, const struct app_study *record,
                       struct app_selection *out);

void app_selection_free(struct app_selection *selection);

#endif
