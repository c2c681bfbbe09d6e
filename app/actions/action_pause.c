/* What people want of whoever evaluates, recorded. */
#include "base/who.h"
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
