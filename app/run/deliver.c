/* From the spool into the store, each answer once. */
#include "run/deliver.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int no_memory(struct app_message *message)
{
    return app_fail(message, CKG_ERR_NOMEM, "out of memory");
}

/* 1 when it is an answer to this trial as it stands in the store: with the same design. */
static int is_of(const struct app_notebook *n, const struct app_trial *result)
{
    struct app_text design = {0};

    if (result->number > n->count)
        return 0;
    app_task_write(&n->definition, n->trials[result->number - 1].x, &n->trials[result->number - 1].wants,
                   &design);
    const int same = !design.failed && !strcmp(design.data, result->parameters);
    app_text_free(&design);
    return same;
}

/* There is no such trial any longer: the answer is for people. */
static int set_aside(struct app_steps *r, const struct app_spooled *answer)
{
    struct app_text to = {0};
    struct app_text line = {0};

    app_text_print(&to, "%s.unused", answer->path);
    app_text_print(&line, "an answer to trial %d is not used, as the trial is another by now: it is in %s",
                   answer->result.number, to.data ? to.data : "");
    const int made = to.data && line.data && !rename(answer->path, to.data);
    if (made)
        app_progress_say(&r->progress, r->n, line.data);
    app_text_free(&line);
    app_text_free(&to);
    return made ? CKG_OK : no_memory(r->n->message);
}

/* What a person sees of it. */
static void show(struct app_steps *r, const struct app_trial *result, int kept)
{
    struct app_text line = {0};

    r->unseen = 1;
    if (kept == APP_KEPT)
        app_progress_ended(&r->progress, r->n, result->number);
    if (kept == APP_KEPT_BESIDE)
        app_text_print(&line, "an answer to trial %d came late, as it has another: it is in its notes",
                       result->number);
    if (line.data)
        app_progress_say(&r->progress, r->n, line.data);
    app_text_free(&line);
}

/* A failure of a trial that is another's by now is nobody's any longer; what was measured is kept somewhere.
 */
static int bring(void *context, const struct app_spooled *answer)
{
    struct app_steps *r = context;
    const struct app_trial *result = &answer->result;
    int kept;

    if (strcmp(answer->study, r->n->definition.name) != 0)
        return CKG_OK;
    if (!is_of(r->n, result))
        return set_aside(r, answer);
    int status = app_store_finish(r->n->store, r->n->study, result, answer->worker.id, &kept, r->n->message);
    if (status)
        return status;

    /* The store has it: the file is no longer needed. */
    unlink(answer->path);
    status = app_notebook_sync(r->n);
    if (!status)
        show(r, result, kept);
    return status;
}

int app_deliver(struct app_spool *spool, struct app_steps *r)
{
    return app_spool_each(spool, bring, r);
}
