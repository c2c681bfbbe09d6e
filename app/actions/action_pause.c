/* What people want of whoever evaluates, recorded. */
#include "base/who.h"
#include "study/record.h"

int app_study_pause(struct app_study *n, enum app_pause_state paused)
{
    char who[300];

    if (!n->id)
        return app_fail(n->message, CKG_ERR_STATE, "the study has not begun, so nobody evaluates it");
    app_who(who);
    const int status = app_store_pause(n->store, n->id, paused, who, n->message);
    return status ? status : app_study_sync(n);
}

int app_study_set_budget(struct app_study *n, int budget)
{
    if (!n->id)
        return app_fail(n->message, CKG_ERR_STATE,
                        "the study has not begun: its problem file has the budget");
    if (budget < 1)
        return app_fail(n->message, CKG_ERR_INVALID, "a budget is a number from 1");
    const int status = app_store_set_budget(n->store, n->id, budget, n->message);
    return status ? status : app_study_sync(n);
}
