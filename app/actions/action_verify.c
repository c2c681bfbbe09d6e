/* A study that may be damaged: what the store's examination finds, and the trials that are whole. */
#include "actions/action_verify.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct patient {
    struct app_verification *verification;
    struct app_study *record;
};

static int add_finding(struct app_verification *c, const char *part, int number, int harmless,
                       const char *text)
{
    if (c->count == c->capacity) {
        const int capacity = 2 * c->capacity + 16;
        struct app_finding *findings = realloc(c->findings, (size_t)capacity * sizeof *findings);

        if (!findings)
            return CKG_ERR_NOMEM;
        c->findings = findings;
        c->capacity = capacity;
    }
    struct app_finding *f = &c->findings[c->count++];
    *f = (struct app_finding){.number = number, .harmless = harmless};
    snprintf(f->part, sizeof f->part, "%s", part);
    snprintf(f->text, sizeof f->text, "%s", text);
    c->damaged += !harmless;
    return CKG_OK;
}

static int take_trouble(void *context, const struct app_trouble *t)
{
    const struct patient *p = context;
    const int status = add_finding(p->verification, t->part, (int)t->number, t->harmless, t->text);

    return status ? app_fail(p->record->message, status, "out of memory") : CKG_OK;
}

/* The problem, by which the trials are read. */
static int take_study(void *context, const struct app_study_record *study)
{
    const struct patient *p = context;
    struct app_study *n = p->record;
    struct app_definition stored;

    p->verification->trials = study->last;
    p->verification->unknown = !study->definition && !n->file;
    if (!study->definition)
        return CKG_OK;
    const int status = app_definition_parse(&stored, study->definition, strlen(study->definition),
                                            "the store's definition", n->message);

    if (status)
        return status;
    app_definition_free(&n->definition);
    n->definition = stored;
    return CKG_OK;
}

static int take_trial(void *context, const struct app_trial *trial)
{
    const struct patient *p = context;
    struct app_study *n = p->record;

    if (p->verification->unknown)
        return CKG_OK;
    const int status = app_study_salvage(n, trial);
    if (!status || status == CKG_ERR_NOMEM)
        return status;

    /* It is what was written, and no trial of this problem. */
    n->message->text[0] = 0;
    return add_finding(p->verification, "trial", trial->number, 0, "not a trial of this problem");
}

int app_verification_make(struct app_verification *out, struct app_study *n,
                          const struct app_study_address *place, struct app_message *message)
{
    const struct patient patient = {out, n};
    const struct app_examiner examiner = {
        .trouble = take_trouble, .study = take_study, .trial = take_trial, .context = (void *)&patient};
    int status = CKG_OK;

    *out = (struct app_verification){0};
    *n = (struct app_study){.message = message};

    /* Where it is. */
    if (place->file) {
        n->file = app_copy(place->file);
        status = app_definition_read(&n->definition, place->file, message);
    }
    if (!status)
        n->url = app_study_address_url(place, &n->definition);
    if (!status && (!n->url || (place->file && !n->file)))
        status = app_no_memory(message);

    /* What it is. */
    if (!status)
        status = app_store_open(&n->store, n->url, 0, message);
    if (!status)
        status = app_store_examine(n->store, place->file ? n->definition.name : place->name, &examiner,
                                   message);
    if (status) {
        app_study_close(n);
        app_verification_free(out);
    }
    return status;
}

void app_verification_free(struct app_verification *verification)
{
    free(verification->findings);
    *verification = (struct app_verification){0};
}
