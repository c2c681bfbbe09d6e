/*
 * What can be asked of a study and what can be done with it, each by its name: an object of JSON in, JSON
 * out. Adding one is a row in queries.c, grids.c or changes.c; in local.c where no server is to give it.
 */
#ifndef CKG_APP_API_H
#define CKG_APP_API_H

#include "base/json.h"
#include "figure/view.h"

/* A study that is open for calls, and what has been found out from it. Zeroes: nothing is open. */
struct app_api_study {
    int open, viewed; /* 1: there is a record; there is a view of it */
    struct app_study record;
    struct app_show view;
    char trials_at[40]; /* the address of its trials on pages */
    const char *from;   /* what changes come from, for the history */
    struct app_message message;
};

/* The trial of that number; NULL, with a message: there is none. */
const struct app_trial *app_api_trial(const struct app_study *record, long long number);

/* The parameter or outcome that a member of the input names; -1: it has no such member. */
int app_api_parameter(const struct app_study *record, const json_t *in, const char *key, int *out);
int app_api_outcome(const struct app_study *record, const json_t *in, const char *key, int *out);

/* CKG_OK, or the message that the study has no store, and so no trials. */
int app_api_check_stored(const struct app_study *record);

/* Nothing is open from then on. */
void app_api_close(struct app_api_study *study);

/* The view of the record as it is; it lasts until the record is synced, and is forgotten before that. */
int app_api_view(struct app_api_study *study);
void app_api_forget(struct app_api_study *study);

/* What an action needs: what has been read, models, or a change of the store. */
enum app_lane { APP_LANE_QUICK, APP_LANE_MODELS, APP_LANE_WRITES, APP_LANES };

enum app_traits {
    APP_BRIEF = 1,  /* the answer is out of date after a moment, whether the study has changed or not */
    APP_BEGINS = 2, /* it may be what a study begins with */
    APP_BARE = 4    /* a whole page with its own style */
};

/* What a member of the input must be. */
enum app_check {
    APP_IS_COUNT,
    APP_IS_COUNTS,
    APP_IS_REVISION,
    APP_IS_NUMBER,
    APP_IS_TEXT,
    APP_IS_BOOLEAN,
    APP_IS_OBJECT
};

struct app_input {
    const char *name;
    enum app_check check;
    const char *needed; /* what is said where it is missing; NULL: it may be */
};

enum { APP_INPUTS_MOST = 9 };

struct app_action {
    const char *name; /* the last part of its path */
    const char *type; /* of its answer */
    enum app_lane lane;
    unsigned traits;
    const char *argument;                    /* of the address: the input, or a member of it; NULL: none */
    struct app_input takes[APP_INPUTS_MOST]; /* what the input may have; the last has no name */
    /* CKG_OK, or a status with the study's message. */
    int (*run)(struct app_api_study *study, json_t *in, struct app_text *out);
};

#define APP_TYPE_JSON "application/json"
#define APP_TYPE_LINES "application/x-ndjson"
#define APP_TYPE_HTML "text/html; charset=utf-8"

/* Tables of actions; the last row has no name, the first query is of one trial. */
extern const struct app_action app_queries[], app_grids[], app_changes[], app_local[];

/* What a server may be asked of a study, or with `writes` what changes it; NULL: there is no such thing. */
const struct app_action *app_action_named(const char *name, int writes);

/* What the action takes by that name; NULL: nothing. */
const struct app_input *app_action_input(const struct app_action *action, const char *name);

/* Checks the input, an object as JSON, NULL: none, and acts. CKG_OK, or a status with the study's message. */
int app_action_call(const struct app_action *action, struct app_api_study *study, const char *in,
                    struct app_text *out);

/*
 * The action of that name in any of the tables, on the study as it is now; one that may be what the study
 * begins with begins it. CKG_ERR_NOT_FOUND: there is none.
 */
int app_api_call(struct app_api_study *study, const char *name, const char *in, struct app_text *out);

/* --- what several actions do --- */

/* The study goes on by the other definition; with `dry` it is only said what that would do. */
int app_api_change(struct app_api_study *study, struct app_definition *now, int dry, struct app_text *out);

/* As `ckg report` writes it, for a reader who keeps it. */
int app_api_report(struct app_api_study *study, json_t *in, struct app_text *out);

#endif
