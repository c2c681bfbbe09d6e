/* A selection of trials, each changed in the command's way, made as one change and said. */
#include "commands/mended.h"

#include <stdio.h>
#include <stdlib.h>

#include "commands/selection.h"
#include "json/shapes.h"

int app_add_note(const struct app_arguments *a, const struct app_trial *t, struct app_text *out)
{
    const char *note = app_option(a, "note");

    if (t->notes)
        app_text_print(out, "%s", t->notes);
    if (note)
        app_text_print(out, "%s%s", t->notes ? "\n" : "", note);
    return out->failed ? app_fail(a->message, CKG_ERR_NOMEM, "out of memory") : CKG_OK;
}

int app_print_trial(const struct app_arguments *a, const struct app_notebook *n, const struct app_trial *t)
{
    static const char *const feasible[] = {"", " and infeasible", " and feasible"};
    struct app_text line = {0};

    if (a->json)
        app_trial_write(&n->definition, t, &line);
    else
        app_text_print(&line, "trial %d is %s%s", t->number, app_state_name(t->state),
                       feasible[t->feasible + 1]);
    return app_print(a, &line);
}

/* None of them runs: what a killed run left is taken from it. */
static int release_all(struct app_notebook *n, const struct app_selection *s)
{
    int status = CKG_OK;

    for (int i = 0; !status && i < s->count; i++)
        status = app_notebook_release(n, s->number[i]);
    return status;
}

/* Every trial of the selection goes into the change, in its new state. */
static int collect(const struct app_arguments *a, const struct app_notebook *n, const struct app_selection *s,
                   app_mend_one *mend, struct app_edit *edit, struct app_text *notes)
{
    int status = CKG_OK;

    for (int i = 0; !status && i < s->count; i++) {
        struct app_trial t = n->trials[s->number[i] - 1];

        status = mend(n, &t);
        if (!status)
            status = app_add_note(a, &t, &notes[i]);
        t.notes = notes[i].data;
        if (!status)
            status = app_edit_trial(edit, &t);
    }
    return status;
}

/* One line for all of them, or an object each. */
static int print_all(const struct app_arguments *a, const struct app_notebook *n,
                     const struct app_selection *s, const char *became)
{
    struct app_text line = {0};
    int status = CKG_OK;

    for (int i = 0; a->json && !status && i < s->count; i++)
        status = app_print_trial(a, n, &n->trials[s->number[i] - 1]);
    if (a->json || a->quiet)
        return status;

    app_selection_write(s->count, s->number, &line);
    app_text_print(&line, " %s %s", s->count == 1 ? "is" : "are", became);
    return app_print(a, &line);
}

int app_mend(const struct app_arguments *a, struct app_notebook *n, const char *kind, app_mend_one *mend,
             const char *became)
{
    struct app_edit edit = {.notebook = n};
    struct app_selection selection;
    struct app_text *notes = NULL;
    int status = app_selection_read(a, n, &selection);

    if (status)
        return status;

    /* What they are to become. */
    status = release_all(n, &selection);
    if (!status) {
        notes = calloc((size_t)selection.count + 1, sizeof *notes);
        status = notes ? collect(a, n, &selection, mend, &edit, notes)
                       : app_fail(n->message, CKG_ERR_NOMEM, "out of memory");
    }

    /* All at once, or none. */
    if (!status)
        status = app_edit_make(&edit, kind, a->line, NULL);
    if (!status)
        status = print_all(a, n, &selection, became);

    for (int i = 0; notes && i < selection.count; i++)
        app_text_free(&notes[i]);
    free(notes);
    app_edit_free(&edit);
    app_selection_free(&selection);
    return status;
}
