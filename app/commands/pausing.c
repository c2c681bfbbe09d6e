/* A study held, and how it stands then. */
#include "commands/pausing.h"

#include "actions/action_pause.h"
#include "api/shapes.h"
#include "present/statement.h"

int app_pause_and_say(const struct app_arguments *a, struct app_study *n, enum app_pause_state paused)
{
    struct app_text line = {0};
    const int status = app_study_pause(n, paused);

    if (status || (a->quiet && !a->json))
        return status;
    if (a->json)
        app_pause_write_study(n, &line);
    else {
        app_text_print(&line, "%s: ", n->definition.name);
        if (!app_pause_text(&n->pause, &line))
            app_text_print(&line, "goes on");
    }
    return app_print(a, &line);
}
