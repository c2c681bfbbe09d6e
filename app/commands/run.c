/* ckg run: evaluates designs until the budget is spent, then recommends. */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "command.h"
#include "notebook/recommend.h"
#include "run/run.h"
#include "run/signals.h"

static const struct app_option options[] = {
    {"dry-run", 0, NULL, "print the next designs and evaluate nothing"},
    {0},
};

/*
 * The designs that would be evaluated next: what is left of the initial design, a hundred at most, else one
 * by the policy.
 */
static int dry_run(struct app_notebook *n, int json)
{
    const struct app_definition *d = &n->definition;
    ckg_study *engine;
    int status = app_notebook_engine(n, &engine), more = 1;
    for (int shown = 0; !status && more && shown < 100 && n->count + shown < d->budget; shown++) {
        struct app_text line = {0};
        ckg_suggestion *s;
        status = ckg_study_ask(engine, &s);
        if (status)
            return app_notebook_fail(n, status);
        more = !strcmp(s->path, "design");
        if (!json)
            app_text_print(&line, "trial %d: ", n->count + shown + 1);
        app_design_write(d, s->x, &line);
        if (more || !shown)
            app_print(&line);
        app_text_free(&line);
        ckg_suggestion_free(s);
    }
    return status;
}

/* After the loop: the recommendation, or what to do next. */
static int conclude(struct app_notebook *n, enum app_run_end end, int json)
{
    int tally[APP_STATES];
    app_notebook_tally(n, tally);
    if (end == APP_RUN_INTERRUPTED) {
        fprintf(stderr, "interrupted after %d of %d evaluations; the same command goes on\n",
                tally[APP_COMPLETE] + tally[APP_FAILED_TRIAL], n->definition.budget);
        return APP_FAILED;
    }
    if (tally[APP_PENDING])
        fprintf(stderr, "%d trial%s pending: `ckg tell` %s result%s\n", tally[APP_PENDING],
                tally[APP_PENDING] > 1 ? "s are" : " is", tally[APP_PENDING] > 1 ? "their" : "its",
                tally[APP_PENDING] > 1 ? "s" : "");
    if (n->count < n->definition.budget)
        fprintf(stderr, "no design is left to be evaluated, so the run ends before its budget of %d\n",
                n->definition.budget);
    if (!tally[APP_COMPLETE] && tally[APP_FAILED_TRIAL]) {
        fprintf(stderr,
                "every evaluation failed, so nothing can be recommended; correct what `ckg trials` shows, "
                "remove the store %s and run again\n",
                n->url);
        return APP_FAILED;
    }
    const int failed = app_recommend_print(n, NULL, json);
    return failed ? app_report_failure(n->message, failed) : APP_DONE;
}

static int run_study(const struct app_arguments *arguments)
{
    struct app_message message;
    struct app_notebook n;
    struct app_signals signals;
    const enum app_progress_kind kind = arguments->quiet        ? APP_PROGRESS_NONE
                                        : arguments->json       ? APP_PROGRESS_JSON
                                        : isatty(STDOUT_FILENO) ? APP_PROGRESS_BLOCK
                                                                : APP_PROGRESS_LINES;
    int status = app_open(&n, arguments, APP_WRITE, &message);
    if (status)
        return status;
    status = app_signals_listen(&signals, &message);
    if (status) {
        app_notebook_close(&n);
        return app_report_failure(&message, status);
    }
    const struct app_run_host host = {.shown = kind, .alone = 1, .stop = signals.stop};
    const enum app_run_end end = app_run(&n, &host);
    app_signals_forget(&signals);
    status = end != APP_RUN_BROKEN ? conclude(&n, end, arguments->json) : APP_FAILED;
    if (end == APP_RUN_BROKEN && message.text[0])
        app_report_failure(&message, CKG_ERR_SYSTEM);
    app_notebook_close(&n);
    return status;
}

/* A look first: what cannot run must not leave a store behind. */
static int run(const struct app_arguments *arguments)
{
    struct app_message message;
    struct app_notebook n;
    const int dry = app_option(arguments, "dry-run") != NULL;
    if (arguments->count)
        return app_wrong(arguments, "'%s' is one word too many", arguments->rest[0]);
    int status = app_open(&n, arguments, APP_READ, &message);
    if (status)
        return status;
    if (dry) {
        if (!n.study && !n.definition.has_seed && !arguments->quiet)
            fprintf(stderr,
                    "no seed is given, so the run will draw one and begin with other designs than these\n");
        const int failed = dry_run(&n, arguments->json);
        status = failed ? app_report_failure(&message, failed) : APP_DONE;
    } else if (!n.definition.evaluate.count)
        status = app_wrong(
            arguments,
            "the problem has no `evaluate: {command: […]}`; use `ckg ask` and `ckg tell`, or add one");
    app_notebook_close(&n);
    return status || dry ? status : run_study(arguments);
}

const struct app_command app_command_run = {
    .name = "run",
    .usage = "STUDY",
    .title = "evaluates designs until the budget is spent, then recommends one",
    .about = "Interrupted or killed, the same command goes on where it stopped. Several processes may run "
             "the same study at once. Ctrl-C waits\n"
             "for the evaluations that are running, a second Ctrl-C kills them; their designs are evaluated "
             "by the next run.",
    .traits = APP_TAKES_STUDY | APP_HAS_JSON | APP_HAS_THREADS,
    .options = options,
    .run = run,
};
