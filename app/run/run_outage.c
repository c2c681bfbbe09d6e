/* Pausing, and finding out whether it is over. */
#include "run/run_outage.h"

#include <math.h>
#include <stdio.h>

#include "actions/action_edit.h"

/* A line that is no trouble, for those who want to hear. */
static void say(struct app_notebook *n, struct app_progress *progress, const char *line)
{
    if (progress->kind != APP_PROGRESS_NONE || progress->say)
        app_progress_say(progress, n, line);
}

/* As if it had just been asked for. */
static int add_again(struct app_edit *edit, const struct app_trial *failed)
{
    struct app_trial t = *failed;

    t.state = APP_PENDING;
    t.why = NULL;
    t.log = NULL;
    t.answer = NULL;
    t.extra = NULL;
    t.seconds = NAN;
    t.failures = 0;
    return app_edit_trial(edit, &t);
}

/* The failed trials of the pause with these numbers are pending again; their history says so. */
static int evaluate_again(const struct app_outage *o, struct app_notebook *n, int first, int last)
{
    struct app_edit edit = {.notebook = n};
    int status = CKG_OK;

    for (int number = first; !status && number <= last; number++)
        if (app_pause_has(&o->pause, &n->trials[number - 1]))
            status = add_again(&edit, &n->trials[number - 1]);
    if (!status && edit.count)
        status = app_edit_make(&edit, "retry", "ckg run", NULL);
    app_edit_free(&edit);

    /* Another run or a person was faster: what they made of it holds. */
    return status == CKG_ERR_STATE ? app_notebook_sync(n) : status;
}

int app_outage_begin(struct app_outage *o, struct app_notebook *n, struct app_progress *progress)
{
    char line[128];

    if (!app_pause_find(n, &o->pause))
        return CKG_OK;
    app_fail(&o->why, 0, "%s", o->pause.why);
    o->probe = o->pause.first;
    snprintf(line, sizeof line, "the study was paused: trial %d is tried again first", o->probe);
    say(n, progress, line);
    return evaluate_again(o, n, o->probe, o->probe);
}

/* It failed again. In the same way, it is as before; otherwise the next one is tried, and the last decides.
 */
static int judge_failure(struct app_outage *o, struct app_notebook *n)
{
    const char *why = n->trials[o->probe - 1].why;

    o->paused = app_same_reason(why ? why : "", o->why.text);
    if (o->paused)
        return CKG_OK;

    do
        o->probe++;
    while (o->probe <= o->pause.last && !app_pause_has(&o->pause, &n->trials[o->probe - 1]));
    if (o->probe <= o->pause.last)
        return evaluate_again(o, n, o->probe, o->probe);
    o->probe = 0;
    return CKG_OK;
}

/* What the second evaluation has shown, if it is over. */
static int judge_probe(struct app_outage *o, struct app_notebook *n, struct app_progress *progress)
{
    const int first = o->probe + 1;
    const enum app_state state = n->trials[o->probe - 1].state;
    char line[128];

    if (state == APP_PENDING || state == APP_RUNNING)
        return CKG_OK;
    if (state == APP_FAILED_TRIAL)
        return judge_failure(o, n);

    /* The outage is over. */
    o->probe = 0;
    if (first > o->pause.last)
        return CKG_OK;
    snprintf(line, sizeof line, "trial %d works now: what failed with it is evaluated again", first - 1);
    say(n, progress, line);
    return evaluate_again(o, n, first, o->pause.last);
}

int app_outage_judge(struct app_outage *o, struct app_notebook *n, struct app_progress *progress)
{
    struct app_pause pause;
    const int status = o->probe ? judge_probe(o, n, progress) : CKG_OK;

    if (!o->probe)
        o->paused = app_pause_find(n, &pause);
    return status;
}
