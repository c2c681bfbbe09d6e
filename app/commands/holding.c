/* A study held, and how it stands then. */
#include "commands/holding.h"

#include "actions/action_pause.h"
#include "api/shapes.h"
#include "present/statement.h"

int app_hold_and_say(const struct app_arguments *a, struct app_notebook *n, enum app_holding held)
{
    struct app_text line = {0};
    const int status = app_notebook_hold(n, held);

    if (status || (a->quiet && !a->json))
        return status;
    if (a->json)
        app_hold_write_study(n, &line);
    else {
        app_text_print(&line, "%s: ", n->definition.name);
        if (!app_hold_text(&n->hold, &line))
            app_text_print(&line, "goes on");
    }
    return app_print(a, &line);
}
