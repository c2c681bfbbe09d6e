/* Opening a study, its trials, and what people say of them. */
#include "bridge/notebook.h"

#include <stdlib.h>
#include <string.h>

#include "bridge/inside.h"
#include "actions/action_edit.h"
#include "actions/action_tell.h"

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

    /* A problem file was opened to look: now its study begins, or its record follows the file. */
    if (!status && b->study.notebook.file && !b->begun) {
        status = app_notebook_begin(&b->study.notebook);
        b->begun = !status;
    }
    return status ? status : pyckg_check_kept(b);
}

int pyckg_check_open(pyckg_notebook *b)
{
    b->study.message.text[0] = 0;
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

int pyckg_give(pyckg_notebook *b, int status)
{
    if (!status && b->text.failed) {
        app_text_free(&b->text);
        return pyckg_no_memory(b);
    }
    return status;
}

void pyckg_notebook_set_interrupt(pyckg_notebook *b, int (*interrupt)(void *), void *context)
{
    b->interrupt = interrupt;
    b->context = context;
    if (b->study.open)
        app_notebook_set_interrupt(&b->study.notebook, interrupt, context);
}

int pyckg_notebook_definition(pyckg_notebook *b)
{
    const int status = pyckg_check_open(b);

    if (!status)
        app_definition_write(&b->study.notebook.definition, b->study.notebook.seed, &b->text);
    return pyckg_give(b, status);
}

int pyckg_notebook_redefine(pyckg_notebook *b, const char *definition)
{
    const int status = pyckg_begin(b);

    return status ? status : app_notebook_redefine(&b->study.notebook, definition);
}

int pyckg_notebook_store(pyckg_notebook *b)
{
    const int status = pyckg_check_open(b);

    if (!status)
        app_text_print(&b->text, "%s", b->study.notebook.url ? b->study.notebook.url : "");
    return pyckg_give(b, status);
}

/* --- trials --- */

int pyckg_notebook_count(pyckg_notebook *b, int *out)
{
    int status = pyckg_check_open(b);

    if (!status)
        status = app_notebook_sync(&b->study.notebook);
    *out = b->study.notebook.count;
    return status;
}

int pyckg_check_trial(pyckg_notebook *b, int number)
{
    return number >= 1 && number <= b->study.notebook.count
               ? CKG_OK
               : app_fail(&b->study.message, CKG_ERR_NOT_FOUND, "there is no trial %d; the last is %d",
                          number, b->study.notebook.count);
}

int pyckg_notebook_trial(pyckg_notebook *b, int number, pyckg_trial *out)
{
    int status = pyckg_check_open(b);

    if (!status)
        status = pyckg_check_trial(b, number);
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

int pyckg_notebook_tally(pyckg_notebook *b, int tally[5])
{
    int status = pyckg_check_open(b);

    if (!status)
        status = app_notebook_sync(&b->study.notebook);
    app_notebook_tally(&b->study.notebook, tally);
    return status;
}

int pyckg_notebook_best(pyckg_notebook *b, int *number)
{
    int status = pyckg_check_open(b);

    if (!status)
        status = app_notebook_sync(&b->study.notebook);
    const struct app_trial *best = status ? NULL : app_notebook_best(&b->study.notebook);
    *number = best ? best->number : 0;
    return status;
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

int pyckg_notebook_put(pyckg_notebook *b, const pyckg_trial *t)
{
    struct app_text design = {0};
    struct app_text values = {0};
    int status = pyckg_check_open(b);

    if (!status && b->study.notebook.study)
        status = app_fail(&b->study.message, CKG_ERR_STATE,
                          "the study is kept in a store, which has its trials");
    if (!status)
        status = pyckg_write_values(b, t->count, t->measured, &values);
    if (!status) {
        app_design_write(&b->study.notebook.definition, t->x, &design);
        const struct app_trial record = {.number = b->study.notebook.count + 1,
                                         .state = app_state_named(t->state),
                                         .origin = t->origin,
                                         .parameters = design.data,
                                         .outcomes = values.data,
                                         .why = t->why,
                                         .seconds = t->seconds,
                                         .chosen_by = t->chosen_by,
                                         .reason = t->reason};
        status = design.failed ? pyckg_no_memory(b) : app_notebook_take(&b->study.notebook, &record);
    }
    app_text_free(&design);
    app_text_free(&values);
    return status;
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

int pyckg_notebook_add(pyckg_notebook *b, const double *x, int queued, int *number)
{
    int status = pyckg_begin(b);

    if (!status)
        status = app_design_check(&b->study.notebook.definition, x, &b->study.message);
    if (!status)
        status = app_notebook_turn(&b->study.notebook);
    if (status)
        return status;
    status = app_notebook_room(&b->study.notebook, 1);
    if (!status)
        status = app_notebook_add(&b->study.notebook, x, 0, queued, number);
    app_notebook_turn_give(&b->study.notebook);
    return status;
}

/* --- what people say --- */

/* The trial exists, as the store has it now, and does not run. */
static int prepare(pyckg_notebook *b, int number)
{
    int status = app_notebook_sync(&b->study.notebook);

    if (!status)
        status = pyckg_check_trial(b, number);
    return status ? status : app_notebook_release_patiently(&b->study.notebook, number, NULL);
}

static int take_values(pyckg_notebook *b, struct app_told *told, int count, const ckg_measurement *measured)
{
    struct app_text checked = {0};
    int status = pyckg_write_values(b, count, measured, &checked);

    app_text_free(&checked);
    for (int i = 0; !status && i < count; i++)
        status = app_told_add(&b->study.notebook, told, measured[i].outcome, 1, &measured[i]);
    return status;
}

int pyckg_notebook_tell(pyckg_notebook *b, int number, int count, const ckg_measurement *measured,
                        const char *why, int replace, const char *note)
{
    struct app_told told = {0};
    struct app_text command = {0};
    int status = pyckg_check_open(b);

    /* Of which trial. */
    if (!status)
        status = pyckg_check_kept(b);
    if (!status)
        status = prepare(b, number);
    if (!status)
        status = app_told_new(&told, &b->study.notebook, number);
    if (status)
        return status;

    /* What is said, for the trial and for the history. */
    told.why = why;
    told.replace = replace;
    told.note = note;
    status = take_values(b, &told, count, measured);
    app_told_words(&b->study.notebook, number, &told, "Python", &command);

    if (!status)
        status = command.failed ? pyckg_no_memory(b)
                                : app_told_record(&b->study.notebook, number, &told, command.data);
    app_text_free(&command);
    app_told_free(&told);
    return status;
}
