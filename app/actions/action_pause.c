/* What people want of whoever evaluates: recorded, and in words. */
#include "base/who.h"
#include "base/timestamp.h"
#include "study/record.h"

int app_notebook_hold(struct app_notebook *n, enum app_holding held)
{
    char who[300];

    if (!n->study)
        return app_fail(n->message, CKG_ERR_STATE, "the study has not begun, so nobody evaluates it");
    app_who(who);
    const int status = app_store_hold(n->store, n->study, held, who, n->message);
    return status ? status : app_notebook_sync(n);
}

int app_notebook_set_budget(struct app_notebook *n, int budget)
{
    if (!n->study)
        return app_fail(n->message, CKG_ERR_STATE,
                        "the study has not begun: its problem file has the budget");
    if (budget < 1)
        return app_fail(n->message, CKG_ERR_INVALID, "a budget is a number from 1");
    const int status = app_store_set_budget(n->store, n->study, budget, n->message);
    return status ? status : app_notebook_sync(n);
}

int app_hold_write(const struct app_hold *hold, struct app_text *out)
{
    char moment[32];

    if (hold->held == APP_NOT_HELD)
        return 0;
    app_text_print(out, "%s by %s", hold->held == APP_STOPPED ? "stopped" : "paused",
                   hold->by[0] ? hold->by : "somebody");
    if (app_moment(hold->since, moment))
        app_text_print(out, " since %s", moment);
    return 1;
}
