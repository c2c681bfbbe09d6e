/* ckg run: evaluates designs until the budget is spent, then recommends. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/visible.h"
#include "command.h"
#include "commands/serving.h"
#include "evaluate/program.h"
#include "actions/action_stop.h"
#include "present/statement.h"
#include "run/milestones.h"
#include "run/run.h"
#include "run/signals.h"

static const struct app_option options[] = {
    {"dry-run", 0, NULL,
     "print the next designs without evaluating anything; where noise is to be estimated, the last of the "
     "initial ones gives way to the best once more",
     0},
    {"serve", 0, "[ADDRESS:PORT]",
     "show the run to browsers meanwhile, as `ckg serve` does (default: 127.0.0.1:8080)", APP_MAYBE},
    {"steer", 0, NULL, "with --serve: with the token, the study may be changed", 0},
    {"token-file", 0, "FILE", "with --serve: ask for the token in the first line of this file", 0},
    {"verbose", 'v', NULL, "print a line for each evaluation", 0},
    {"no-stop", 0, NULL, "spend the whole budget, whatever `stop` says in the problem file", 0},
    {0},
};

/* --- a dry run --- */

enum { MOST_SHOWN = 100 };

static int print_design(const struct app_arguments *a, const struct app_definition *d, int number,
                        const double *x)
{
    struct app_text line = {0};

    if (!a->json)
        app_text_print(&line, "trial %d: ", number);
    app_design_write(d, x, &line);
    return app_print(a, &line);
}

/* What is left of the initial design, MOST_SHOWN at most; when nothing is, one design by the policy. */
static int dry_run(const struct app_arguments *a, struct app_study *n)
{
    const int spent = app_study_spent(n);
    ckg_study *engine;
    int status = app_study_engine(n, &engine);
    int initial = 1;

    if (!status && spent >= n->definition.budget && !a->quiet)
        app_warn(
            "the budget of %d evaluation%s is spent, so a run would evaluate nothing new; raise `budget` "
            "in the problem file to go on\n",
            n->definition.budget, n->definition.budget == 1 ? "" : "s");
    if (!n->id && !n->definition.has_seed && !a->quiet)
        app_warn("no seed is given: the run will draw one and start from other designs than these\n");

    for (int i = 0; !status && initial && i < MOST_SHOWN && spent + i < n->definition.budget; i++) {
        ckg_suggestion *s;
        status = ckg_study_ask(engine, &s);
        if (status)
            return app_study_fail(n, status);

        initial = app_is_initial(s);
        if (initial || !i)
            status = print_design(a, &n->definition, n->count + i + 1, s->x);
        ckg_suggestion_free(s);
    }
    return status;
}

/* --- a run --- */

static enum app_progress_kind choose_progress(const struct app_arguments *a)
{
    if (a->quiet)
        return APP_PROGRESS_NONE;
    if (a->json)
        return APP_PROGRESS_JSON;
    if (app_option(a, "verbose"))
        return APP_PROGRESS_LINES;

    /* Some terminals, as an editor's, cannot be drawn on. */
    const char *terminal = getenv("TERM");
    const int can_draw = terminal && *terminal && strcmp(terminal, "dumb") != 0;
    return isatty(STDOUT_FILENO) && can_draw ? APP_PROGRESS_BLOCK : APP_PROGRESS_NEWS;
}

/* What a person should know before the recommendation. */
static void print_notes(const struct app_study *n, enum app_run_end end, int pending)
{
    if (pending)
        app_warn("%d trial%s pending: `ckg tell` %s result%s\n", pending, pending > 1 ? "s are" : " is",
                 pending > 1 ? "their" : "its", pending > 1 ? "s" : "");
    if (end == APP_RUN_SPENT && app_study_spent(n) < n->definition.budget)
        app_warn("every possible design has been evaluated, so the run ends before its budget of %d\n",
                 n->definition.budget);
}

/* Failures in a row have ended the run: why, and how to go on. */
static int complain_of_pause(struct app_study *n, int evaluations)
{
    struct app_text line = {0};

    app_text_print(&line, "paused after %d of %d evaluations: ", evaluations, n->definition.budget);
    app_outage_text(n, &line);
    app_fail(n->message, 0, "%s", line.failed ? "paused: out of memory" : line.data);
    app_text_free(&line);
    return CKG_ERR_STATE;
}

/* How soon the best was found, and what going on is expected to gain: neither where it is not known. */
static int print_prospects(const struct app_arguments *a, struct app_study *n)
{
    struct app_stop_watch watch = {0};
    struct app_text out = {0};
    const int status = app_stop_standing(n, &watch);

    if (!status)
        app_prospects_text(n, app_evaluations_needed(n), &watch.gain, &out);
    app_stop_forget(&watch);
    return status || !out.length ? status : app_print(a, &out);
}

/* After the loop: the recommendation, or what to do next. */
static int conclude(const struct app_arguments *a, struct app_study *n, enum app_run_end end)
{
    const int ended = app_study_ended(n);
    int tally[APP_STATES];

    app_study_tally(n, tally);
    if (end == APP_RUN_INTERRUPTED)
        return app_fail(n->message, CKG_ERR_STATE,
                        "interrupted after %d of %d evaluations; run the same command to continue", ended,
                        n->definition.budget);

    if (end == APP_RUN_ENDED)
        return app_fail(n->message, CKG_ERR_STATE,
                        "stopped by %.127s after %d of %d evaluations; run the same command to continue",
                        n->pause.by[0] ? n->pause.by : "somebody", ended, n->definition.budget);
    if (end == APP_RUN_PAUSED)
        return complain_of_pause(n, ended);

    print_notes(n, end, tally[APP_PENDING]);
    if (!tally[APP_COMPLETE] && tally[APP_FAILED_TRIAL])
        return app_fail(n->message, CKG_ERR_STATE,
                        "every evaluation failed, so there is nothing to recommend; mend what `ckg trials` "
                        "shows, then `ckg retry --failed` has them evaluated again by the next run");
    const int status = app_print_recommended(a, n, NULL);
    return status || a->json || a->quiet ? status : print_prospects(a, n);
}

/* The process exists for this run alone; signals ask it to stop. */
static int run_alone(const struct app_arguments *a, struct app_study *n)
{
    struct app_signals signals;
    const int status = app_signals_listen(&signals, APP_STOP_KILL, n->message);

    if (status)
        return status;
    const struct app_runner_options options = {.study = n,
                                               .shown = choose_progress(a),
                                               .alone = 1,
                                               .to_the_end = app_option(a, "no-stop") != NULL,
                                               .stop = signals.stop};
    enum app_run_end end;
    app_runner_work(&options, &end, n->message);
    app_signals_forget(&signals);
    return end == APP_RUN_BROKEN ? CKG_ERR_SYSTEM : conclude(a, n, end);
}

/* What is wrong with the server that is wanted is said before anything runs. */
static int check(const struct app_arguments *a)
{
    struct app_server server = {0};

    if (!app_option(a, "serve"))
        return app_option(a, "steer") || app_option(a, "token-file")
                   ? app_wrong(a, "--steer and --token-file go with --serve")
                   : CKG_OK;
    if (app_serve_lacking)
        return app_fail(a->message, CKG_ERR_SYSTEM, "%s", app_serve_lacking);
    return app_auth_open(a, app_serve_address(a), &server);
}

static int run(const struct app_arguments *a, struct app_study *n)
{
    /* What is probably not meant is said, and what cannot work is refused, before anything is spent. */
    if (n->definition.warnings && a->place.file && !a->quiet)
        app_warn("%s\n", n->definition.warnings);
    if (app_option(a, "dry-run"))
        return dry_run(a, n);
    if (!n->definition.evaluate.count)
        return app_wrong(
            a, a->place.file ? "the problem has no `evaluate: {command: […]}`; add one, or use `ckg ask` and "
                               "`ckg tell`"
                             : "the study has no command to evaluate with; go on where it was made, or use "
                               "`ckg ask` and `ckg tell`");
    if (!a->place.file && !*app_store_file(n->url))
        return app_wrong(
            a, "a command is not taken from a database that others write to; give the problem file");
    if (!n->definition.budget)
        return app_wrong(a, "the study has no budget; give it one where it was made");

    int status = app_program_check(&n->definition, n->folder, a->place.file, n->message);
    if (status)
        return status;

    /* It was opened to look first: what cannot run must not leave a store behind. */
    app_study_close(n);
    if (app_option(a, "serve"))
        app_serve_run(a);
    status = app_open(n, a, APP_COMPARE, 1);
    return status ? status : run_alone(a, n);
}

const struct app_work app_command_run = {
    .usage = "STUDY [--serve [ADDRESS:PORT] [--steer]]",
    .about = "If it is interrupted or killed, the same command continues where it stopped. Several\n"
             "processes may run the same study at once. Ctrl-C waits for the evaluations under way; a\n"
             "second Ctrl-C kills them, and the next run evaluates their designs. With `stop` in the\n"
             "problem file it ends when the rest of the budget is expected to gain too little.",
    .traits = APP_TAKES_STUDY | APP_HAS_JSON | APP_HAS_THREADS | APP_HAS_MODEL,
    .options = options,
    .check = check,
    .run_study = run,
};
