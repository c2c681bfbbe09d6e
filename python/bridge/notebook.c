/* Opening a study, its trials, and what people say of them. */
#include "bridge/notebook.h"

#include <stdlib.h>
#include <string.h>

#include "bridge/inside.h"
#include "figure/figure.h"

/* --- opening --- */

static pyckg_notebook *new_notebook(pyckg_notebook **out, int threads)
{
    pyckg_notebook *b = calloc(1, sizeof *b);

    *out = b;
    if (b) {
        b->threads = threads;
        b->study.from = "Python";
        b->study.notebook.message = &b->study.message;
    }
    return b;
}

/* The study of that place, and what the notebook does not know of itself. */
static int open_place(pyckg_notebook *b, const struct app_study_place *place, enum app_open mode)
{
    struct app_notebook *n = &b->study.notebook;
    const int status = app_notebook_open(n, place, mode, &b->study.message);

    if (!status) {
        n->threads = b->threads;
        app_notebook_set_interrupt(n, b->interrupt, b->context);
    }
    b->study.open = !status;
    return status;
}

int pyckg_notebook_open(pyckg_notebook **out, const char *study, const char *store, const char *name,
                        int threads)
{
    pyckg_notebook *b = new_notebook(out, threads);
    struct app_study_place place = {.store = store, .name = name};
    int status = !b ? CKG_ERR_NOMEM : study ? app_place_take(&place, study, &b->study.message) : CKG_OK;

    if (!status && !place.file && !place.store)
        status = app_fail(&b->study.message, CKG_ERR_INVALID, "which study? Give a problem file or a store");
    return status ? status : open_place(b, &place, APP_COMPARE);
}

int pyckg_notebook_define(pyckg_notebook **out, const char *definition, const char *store, int threads)
{
    pyckg_notebook *b = new_notebook(out, threads);
    const struct app_study_place place = {.definition = definition, .store = store};
    const int status = b ? open_place(b, &place, APP_LOOK) : CKG_ERR_NOMEM;

    return status || !store ? status : app_notebook_begin(&b->study.notebook);
}

void pyckg_notebook_close(pyckg_notebook *b)
{
    if (!b)
        return;
    if (b->study.open) {
        pyckg_leave(b);
        app_notebook_close(&b->study.notebook);
    }
    app_text_free(&b->text);
    free(b);
}

void pyckg_notebook_forked(pyckg_notebook *b)
{
    if (b->study.open && b->study.notebook.store)
        app_store_forked(b->study.notebook.store);
}

int pyckg_begin(pyckg_notebook *b)
{
    int status = pyckg_check_open(b);

    if (!status && b->study.notebook.url)
        status = app_notebook_begin(&b->study.notebook);
    return status ? status : pyckg_check_kept(b);
}

int pyckg_check_open(pyckg_notebook *b)
{
    b->study.message.text[0] = 0;
    if (b->text.failed)
        app_text_free(&b->text);
    b->text.length = 0;
    return b->study.open ? CKG_OK : app_fail(&b->study.message, CKG_ERR_STATE, "the study is not open");
}

int pyckg_check_kept(pyckg_notebook *b)
{
    return b->study.notebook.study ? CKG_OK
                                   : app_fail(&b->study.message, CKG_ERR_STATE,
                                              "the study is kept in no store, so it has no trials");
}

int pyckg_no_memory(pyckg_notebook *b)
{
    return app_fail(&b->study.message, CKG_ERR_NOMEM, "out of memory");
}

/* --- what comes back --- */

const char *pyckg_notebook_message(const pyckg_notebook *b)
{
    return b ? b->study.message.text : "out of memory";
}

const char *pyckg_notebook_note(pyckg_notebook *b)
{
    b->noted = b->study.notebook.note;
    b->study.notebook.note.text[0] = 0;
    return b->noted.text;
}

const char *pyckg_notebook_text(const pyckg_notebook *b, size_t *length)
{
    *length = b->text.length;
    return b->text.data ? b->text.data : "";
}

void pyckg_notebook_set_interrupt(pyckg_notebook *b, int (*interrupt)(void *), void *context)
{
    b->interrupt = interrupt;
    b->context = context;
    if (b->study.open)
        app_notebook_set_interrupt(&b->study.notebook, interrupt, context);
}

int pyckg_notebook_call(pyckg_notebook *b, const char *action, const char *in)
{
    const int status = pyckg_check_open(b);

    return status ? status : app_api_call(&b->study, action, in, &b->text);
}

/* The kind of figure at that place, NULL behind the last. */
static const struct app_figure_kind *plot_at(int index)
{
    for (int i = 0; app_figure_kinds[i]; i++)
        if (i == index)
            return app_figure_kinds[i];
    return NULL;
}

const char *pyckg_plot_name(int index)
{
    return plot_at(index) ? plot_at(index)->name : NULL;
}

const char *pyckg_plot_title(int index)
{
    return plot_at(index) ? plot_at(index)->title : NULL;
}

/* --- trials --- */

int pyckg_notebook_stands(pyckg_notebook *b, pyckg_standing *out)
{
    struct app_notebook *n = &b->study.notebook;
    int status = pyckg_check_open(b);

    if (!status)
        status = app_notebook_sync(n);
    if (status)
        return status;
    const struct app_trial *best = app_notebook_best(n);
    *out = (pyckg_standing){.count = n->count, .best = best ? best->number : 0};
    app_notebook_tally(n, out->tally);
    return CKG_OK;
}

int pyckg_notebook_trial(pyckg_notebook *b, int number, pyckg_trial *out)
{
    int status = pyckg_check_open(b);

    if (!status && (number < 1 || number > b->study.notebook.count))
        status = app_fail(&b->study.message, CKG_ERR_NOT_FOUND, "there is no trial %d; the last is %d",
                          number, b->study.notebook.count);
    if (status)
        return status;

    const struct app_trial *t = &b->study.notebook.trials[number - 1];
    *out = (pyckg_trial){.number = t->number,
                         .state = app_state_name(t->state),
                         .x = t->x,
                         .count = app_trial_values(t),
                         .measured = t->measured,
                         .feasible = t->feasible,
                         .origin = t->origin,
                         .why = t->why,
                         .seconds = t->seconds,
                         .chosen_by = t->chosen_by,
                         .reason = t->reason};
    return CKG_OK;
}

int pyckg_notebook_engine(pyckg_notebook *b, ckg_study **out)
{
    int status = pyckg_check_open(b);

    if (!status)
        status = app_notebook_sync(&b->study.notebook);
    return status ? status : app_notebook_engine(&b->study.notebook, out);
}

int pyckg_write_values(pyckg_notebook *b, int count, const ckg_measurement *measured, struct app_text *out)
{
    const int outcomes = app_constraints(&b->study.notebook.definition) + 1;

    for (int i = 0; i < count; i++)
        if (measured[i].outcome < 0 || measured[i].outcome >= outcomes)
            return app_fail(&b->study.message, CKG_ERR_INVALID, "there is no outcome %d",
                            measured[i].outcome);
    if (count)
        app_outcomes_write(&b->study.notebook.definition, count, measured, out);
    return out->failed ? pyckg_no_memory(b) : CKG_OK;
}

int pyckg_notebook_ask(pyckg_notebook *b, ckg_suggestion **out, int *number)
{
    struct app_asked asked = {0};
    int status = pyckg_begin(b);

    *out = NULL;
    if (!status)
        status = app_notebook_ask(&b->study.notebook, 1, &asked);
    if (!status) {
        *out = asked.suggestion[0];
        *number = asked.first;
        asked.suggestion[0] = NULL;
    }
    app_asked_free(&asked);
    return status;
}
