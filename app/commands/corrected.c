/* A selection of trials, each changed in the command's way, made as one change and said. */
#include "commands/corrected.h"

#include "actions/action_edit.h"
#include "api/shapes.h"
#include "base/visible.h"
#include "commands/selection.h"
#include "present/trial_text.h"

int app_print_trial(const struct app_arguments *a, const struct app_study *n, const struct app_trial *t)
{
    struct app_text line = {0};

    if (a->json)
        app_trial_write(&n->definition, t, &line);
    else
        app_trial_state_text(t, &line);
    return app_print(a, &line);
}

/* Says what is waited for. */
static void say(const struct app_remote_run *remote)
{
    struct app_text line = {0};

    app_remote_run_text(remote, &line);
    app_warn("%s\n", line.data ? line.data : "waiting for a run elsewhere");
    app_text_free(&line);
}

int app_release(const struct app_arguments *a, struct app_study *n, int number)
{
    return app_study_release_patiently(n, number, a->quiet ? NULL : say);
}

/* None of them runs: what a killed run left is taken from it. */
static int release_all(const struct app_arguments *a, struct app_study *n, const struct app_selection *s)
{
    int status = CKG_OK;

    for (int i = 0; !status && i < s->count; i++)
        status = app_release(a, n, s->number[i]);
    return status;
}

/* One line for all of them, or an object each. */
static int print_all(const struct app_arguments *a, const struct app_study *n, const struct app_selection *s,
                     const char *became)
{
    struct app_text line = {0};
    int status = CKG_OK;

    for (int i = 0; a->json && !status && i < s->count; i++)
        status = app_print_trial(a, n, &n->trials[s->number[i] - 1]);
    if (a->json || a->quiet)
        return status;

    app_trials_named(s->count, s->number, &line);
    app_text_print(&line, " %s %s", s->count == 1 ? "is" : "are", became);
    return app_print(a, &line);
}

int app_correction(const struct app_arguments *a, struct app_study *n, const char *kind,
                   app_correction_make *correction, const char *became)
{
    struct app_selection selection;
    int status = app_selection_read(a, n, &selection);

    if (status)
        return status;
    status = release_all(a, n, &selection);
    if (!status)
        status = app_study_correct(n, selection.count, selection.number, kind, correction,
                                   app_option(a, "note"), a->line);
    if (!status)
        status = print_all(a, n, &selection, became);
    app_selection_free(&selection);
    return status;
}
