/* What is expected of a study, in words. */
#include "present/statement.h"

#include <math.h>

/* Why nothing is known yet. */
static void add_why(const struct app_notebook *n, struct app_text *out)
{
    struct app_text missing = {0};

    app_text_print(out, "not known yet");
    if (app_notebook_unmeasured(n, 0, &missing) && missing.data)
        app_text_print(out, ": %s", missing.data);
    else if (!app_notebook_best(n))
        app_text_print(out, ": nothing feasible has been measured");
    else
        app_text_print(out, ": too few evaluations");
    app_text_free(&missing);
}

void app_gain_text(const struct app_notebook *n, const ckg_gain *gain, struct app_text *out)
{
    if (isnan(gain->one)) {
        add_why(n, out);
        return;
    }
    app_text_print(out, "%.2g by one more evaluation", gain->one);
    if (gain->left < 0)
        return;
    if (gain->left > 1)
        app_text_print(out, ", %.2g by the %d that are left", gain->rest, gain->left);
    else
        app_text_print(out, gain->left ? ", the last that is left" : "; the budget is spent");
}

void app_stop_text(const struct app_notebook *n, const struct app_stop_watch *w, struct app_text *out)
{
    const struct app_stop_rule *stop = &n->definition.stop;
    char number[32];

    app_text_print(out, "the %d evaluation%s left %s expected to gain %.2g, less than ", w->gain.left,
                   w->gain.left == 1 ? "" : "s", w->gain.left == 1 ? "is" : "are", w->gain.rest);
    if (stop->percent)
        app_text_print(out, "%s%% (%.2g)", app_number(stop->gain, number),
                       app_stop_bar(&n->definition, &w->gain));
    else
        app_text_print(out, "%s", app_number(stop->gain, number));
    if (stop->patience > 1)
        app_text_print(out, ", and so it was said %d times in a row", stop->patience);
}
