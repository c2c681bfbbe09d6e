/* Opening a study, its trials, and what people say of them. */
#include "bridge/study.h"

#include <stdlib.h>
#include <string.h>

#include "bridge/inside.h"
#include "figure/figure.h"

/* --- opening --- */

static pyckg_study *new_record(pyckg_study **out, int threads)
{
    pyckg_study *b = calloc(1, sizeof *b);

    *out = b;
    if (b) {
        b->threads = threads;
        b->study.from = "Python";
        b->study.record.message = &b->study.message;
    }
    return b;
}

/* The study of that place, and what the record does not know of itself. */
static int open_slot(pyckg_study *b, const struct app_study_address *slot, enum app_open mode)
{
    struct app_study *n = &b->study.record;
    const int status = app_study_open(n, slot, mode, &b->study.message);

    if (!status) {
        n->threads = b->threads;
        app_study_set_interrupt(n, b->interrupt, b->context);
    }
    b->study.open = !status;
    return status;
}

int pyckg_study_open(pyckg_study **out, const char *study, const char *store, const char *name, int threads)
{
    pyckg_study *b = new_record(out, threads);
    struct app_study_address slot = {.store = store, .name = name};
    int status = !b      ? CKG_ERR_NOMEM
                 : study ? app_study_address_take(&slot, study, &b->study.message)
                         : CKG_OK;

    if (!status && !slot.file && !slot.store)
        status = app_fail(&b->study.message, CKG_ERR_INVALID, "which study? Give a problem file or a store");
    return status ? status : open_slot(b, &slot, APP_COMPARE);
}

int pyckg_study_define(pyckg_study **out, const char *definition, const char *store, int threads)
{
    pyckg_study *b = new_record(out, threads);
    const struct app_study_address slot = {.definition = definition, .store = store};
    const int status = b ? open_slot(b, &slot, APP_LOOK) : CKG_ERR_NOMEM;

    return status || !store ? status : app_study_begin(&b->study.record);
}

void pyckg_study_close(pyckg_study *b)
{
    if (!b)
        return;
    if (b->study.open) {
        pyckg_leave(b);
        app_study_close(&b->study.record);
    }
    app_text_free(&b->text);
    free(b);
}

void pyckg_study_forked(pyckg_study *b)
{
    if (b->study.open && b->study.record.store)
        app_store_forked(b->study.record.store);
}

int pyckg_begin(pyckg_study *b)
{
    int status = pyckg_check_open(b);

    if (!status && b->study.record.url)
        status = app_study_begin(&b->study.record);
    return status ? status : app_api_check_stored(&b->study.record);
}

int pyckg_check_open(pyckg_study *b)
{
    b->study.message.text[0] = 0;
    if (b->text.failed)
        app_text_free(&b->text);
    b->text.length = 0;
    return b->study.open ? CKG_OK : app_fail(&b->study.message, CKG_ERR_STATE, "the study is not open");
}

/* --- what comes back --- */

const char *pyckg_study_message(const pyckg_study *b)
{
    return b ? b->study.message.text : "out of memory";
}

const char *pyckg_study_note(pyckg_study *b)
{
    b->noted = b->study.record.note;
    b->study.record.note.text[0] = 0;
    return b->noted.text;
}

const char *pyckg_study_text(const pyckg_study *b, size_t *length)
{
    *length = b->text.length;
    return b->text.data ? b->text.data : "";
}

void pyckg_study_set_interrupt(pyckg_study *b, int (*interrupt)(void *), void *context)
{
    b->interrupt = interrupt;
    b->context = context;
    if (b->study.open)
        app_study_set_interrupt(&b->study.record, interrupt, context);
}

int pyckg_study_call(pyckg_study *b, const char *action, const char *in)
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

int pyckg_study_stands(pyckg_study *b, pyckg_standing *out)
{
    struct app_study *n = &b->study.record;
    int status = pyckg_check_open(b);

    if (!status)
        status = app_study_sync(n);
    if (status)
        return status;
    const struct app_trial *best = app_study_best(n);
    *out = (pyckg_standing){.count = n->count, .best = best ? best->number : 0};
    app_study_tally(n, out->tally);
    return CKG_OK;
}

int pyckg_study_trial(pyckg_study *b, int number, pyckg_trial *out)
{
    const int status = pyckg_check_open(b);
    const struct app_trial *t = status ? NULL : app_api_trial(&b->study.record, number);

    if (!t)
        return status ? status : CKG_ERR_NOT_FOUND;
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

int pyckg_study_engine(pyckg_study *b, ckg_study **out)
{
    int status = pyckg_check_open(b);

    if (!status)
        status = app_study_sync(&b->study.record);
    return status ? status : app_study_engine(&b->study.record, out);
}

int pyckg_write_values(pyckg_study *b, int count, const ckg_measurement *measured, struct app_text *out)
{
    const int outcomes = app_constraints(&b->study.record.definition) + 1;

    for (int i = 0; i < count; i++)
        if (measured[i].outcome < 0 || measured[i].outcome >= outcomes)
            return app_fail(&b->study.message, CKG_ERR_INVALID, "there is no outcome %d",
                            measured[i].outcome);
    if (count)
        app_outcomes_write(&b->study.record.definition, count, measured, out);
    return out->failed ? app_no_memory(&b->study.message) : CKG_OK;
}

int pyckg_study_ask(pyckg_study *b, ckg_suggestion **out, int *number)
{
    struct app_asked asked = {0};
    int status = pyckg_begin(b);

    *out = NULL;
    if (!status)
        status = app_study_ask(&b->study.record, 1, &asked);
    if (!status) {
        *out = asked.suggestion[0];
        *number = asked.first;
        asked.suggestion[0] = NULL;
    }
    app_asked_free(&asked);
    return status;
}
