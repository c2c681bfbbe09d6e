/* Pausing, and finding out whether it is over. */
#include "run/run_outage.h"

#include <stdio.h>
#include <stdlib.h>

#include "actions/action_retry.h"
#include "run/run_study.h"

#include "actions/action_edit.h"

/* A line that is no trouble, for those who want to hear. */
static void say(struct app_run_study *r, const char *format, int trial)
{
    char line[128];

    snprintf(line, sizeof line, format, trial);
    if (r->progress.kind != APP_PROGRESS_NONE || r->progress.say)
        app_progress_say(&r->progress, r->n, line);
}

/* The failed trials of the pause with these numbers are pending again; their history says so. */
static int evaluate_again(struct app_run_study *r, int first, int last)
{
    struct app_study *n = r->n;
    int *numbers = calloc((size_t)(last - first) + 1, sizeof *numbers);
    int status = numbers ? CKG_OK : app_no_memory(n->message);
    int count = 0;

    for (int number = first; numbers && number <= last; number++)
        if (app_outage_has(&r->outage.outage, &n->trials[number - 1]))
            numbers[count++] = number;
    if (count)
        status = app_study_correct(n, count, numbers, "retry", app_correction_retry, NULL, "ckg run");
    free(numbers);

    /* Another run or a person was faster: what they made of it holds. */
    return status == CKG_ERR_STATE ? app_study_sync(n) : status;
}

int app_run_outage_begin(struct app_run_study *r)
{
    struct app_run_outage *o = &r->outage;

    if (!app_outage_find(r->n, &o->outage))
        return CKG_OK;
    app_fail(&o->why, 0, "%s", o->outage.why);
    o->probe = o->outage.first;
    say(r, "the study was paused: trial %d is tried again first", o->probe);
    return evaluate_again(r, o->probe, o->probe);
}

/* It failed again. In the same way, it is as before; otherwise the next one is tried, and the last decides.
 */
static int judge_failure(struct app_run_study *r)
{
    const struct app_study *n = r->n;
    struct app_run_outage *o = &r->outage;
    const char *why = n->trials[o->probe - 1].why;

    o->paused = app_same_reason(why ? why : "", o->why.text);
    if (o->paused)
        return CKG_OK;

    do
        o->probe++;
    while (o->probe <= o->outage.last && !app_outage_has(&o->outage, &n->trials[o->probe - 1]));
    if (o->probe <= o->outage.last)
        return evaluate_again(r, o->probe, o->probe);
    o->probe = 0;
    return CKG_OK;
}

/* What the second evaluation has shown, if it is over. */
static int judge_probe(struct app_run_study *r)
{
    struct app_run_outage *o = &r->outage;
    const int first = o->probe + 1;
    const enum app_state state = r->n->trials[o->probe - 1].state;

    if (state == APP_PENDING || state == APP_RUNNING)
        return CKG_OK;
    if (state == APP_FAILED_TRIAL)
        return judge_failure(r);

    /* The outage is over. */
    o->probe = 0;
    if (first > o->outage.last)
        return CKG_OK;
    say(r, "trial %d works now: what failed with it is evaluated again", first - 1);
    return evaluate_again(r, first, o->outage.last);
}

int app_run_outage_judge(struct app_run_study *r)
{
    struct app_outage outage;
    const int status = r->outage.probe ? judge_probe(r) : CKG_OK;

    if (!r->outage.probe)
        r->outage.paused = app_outage_find(r->n, &outage);
    return status;
}
