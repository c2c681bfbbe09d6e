/* ckg worker: evaluates for the studies of a store. */
#include <stdlib.h>
#include <string.h>

#include "base/visible.h"
#include "command.h"
#include "run/run.h"
#include "run/signals.h"

static const struct app_option options[] = {
    {"store", 0, "URL", "where the studies are kept: " APP_STORE_URLS, 0},
    {"study", 0, "NAME", "work for this study alone; repeat it for several", APP_REPEATED},
    {"slots", 0, "N", "how many evaluations at once; default: 1; 0: choose designs for others, evaluate none",
     0},
    {"label", 0, "NAME=VALUE…", "what this worker has, for studies with `needs` in `evaluate`", APP_LIST},
    {"drain", 0, NULL, "choose no designs; end when nothing waits any longer", 0},
    {"until-idle", 0, NULL, "end when there is nothing left to do, here or elsewhere", 0},
    {"begin", 0, NULL, "begin the studies of the problem files that the store does not have", 0},
    {"grace", 0, "SECONDS", "after SIGTERM, wait so long for evaluations to end; default: 20", 0},
    {"spool", 0, "FOLDER",
     "where answers wait while the store is away; default: $XDG_STATE_HOME/ckg/spool, or "
     "~/.local/state/ckg/spool",
     0},
    {0},
};

enum { MOST_SLOTS = 1000 };

static void say_line(const char *line)
{
    app_warn("%s\n", line);
}

static void say_nothing(const char *line)
{
    (void)line;
}

/* Labels are as they are compared, and nothing else is made of them. */
static int check(const struct app_arguments *a)
{
    for (int i = 0; i < a->listed; i++)
        if (!strchr(a->list[i], '=') || a->list[i][0] == '=')
            return app_wrong(a, "--label takes NAME=VALUE, not '%s'", a->list[i]);
    if (app_option(a, "drain") && app_option(a, "until-idle"))
        return app_wrong(a, "--drain and --until-idle exclude each other");
    return CKG_OK;
}

/* The problem files of the line, or those of the folder where we are; which of them is first. */
static int gather(const struct app_arguments *a, int first, struct app_evaluators *out)
{
    void (*say)(const char *) = a->quiet ? say_nothing : say_line;
    int status = CKG_OK;

    for (int i = first; !status && i < a->count; i++)
        status = app_evaluators_add(out, a->rest[i], say, a->message);
    if (!status && first == a->count)
        status = app_evaluators_add(out, ".", say, a->message);

    for (int i = 0; !status && i < a->repeated; i++)
        if (!app_evaluators_find(out, a->each[i]))
            return app_wrong(a, "there is no problem file for the study '%s' here", a->each[i]);
    if (!status && !out->count)
        return app_wrong(a, "there is no problem file to evaluate by: give one, or a folder of them");
    return status;
}

/* 1 when all problem files have one store. */
static int have_one_store(const struct app_evaluators *evaluators)
{
    for (int i = 1; i < evaluators->count; i++)
        if (strcmp(evaluators->each[i].url, evaluators->each[0].url) != 0)
            return 0;
    return 1;
}

/* The store of the line, or that of the problem files. */
static int find_url(const struct app_arguments *a, const struct app_evaluators *evaluators, const char *word,
                    char **out)
{
    const char *given = app_option(a, "store");

    if (given && word)
        return app_wrong(a, "%s is a store, and so is %s: give one of them", word, given);
    if (!given && !word && !have_one_store(evaluators))
        return app_wrong(a, "which store? %d problem files have several; --store URL names it",
                         evaluators->count);
    *out = given || word ? app_store_url(given ? given : word, NULL) : app_copy(evaluators->each[0].url);
    return *out ? CKG_OK : app_no_memory(a->message);
}

static int read_options(const struct app_arguments *a, struct app_runner_options *out)
{
    int status = app_option_integer(a, "slots", 0, MOST_SLOTS, 1, &out->slots);

    out->grace = 20;
    if (!status)
        status = app_option_number(a, "grace", &out->grace);
    if (!status && !(out->grace >= 0))
        status = app_wrong(a, "--grace must be a number of seconds, 0 or more");

    out->study_count = a->repeated;
    out->studies = a->each;
    out->label_count = a->listed;
    out->labels = a->list;
    out->drain = app_option(a, "drain") != NULL;
    out->until_idle = app_option(a, "until-idle") != NULL;
    out->begin = app_option(a, "begin") != NULL;
    out->spool = app_option(a, "spool");
    out->threads = a->threads;
    out->shown = a->quiet ? APP_PROGRESS_NONE : a->json ? APP_PROGRESS_JSON : APP_PROGRESS_LINES;
    return status;
}

static int run(const struct app_arguments *a)
{
    struct app_evaluators evaluators = {0};
    struct app_runner_options options = {.evaluators = &evaluators, .alone = 1};
    enum app_run_end end;
    struct app_signals signals;
    const char *word = a->count && app_store_is(a->rest[0]) ? a->rest[0] : NULL;
    char *url = NULL;

    /* What can be evaluated, where, and how. */
    int status = read_options(a, &options);
    if (!status)
        status = gather(a, word != NULL, &evaluators);
    if (!status)
        status = find_url(a, &evaluators, word, &url);

    /* Until it is asked to stop. */
    if (!status)
        status = app_signals_listen(&signals, APP_STOP_SOON, a->message);
    if (!status) {
        options.url = url;
        options.stop = signals.stop;
        status = app_runner_work(&options, &end, a->message);
        app_signals_forget(&signals);
    }
    app_evaluators_free(&evaluators);
    free(url);
    return status;
}

const struct app_work app_command_worker = {
    .usage = "[STORE] [PROBLEM…]",
    .about =
        "It takes up trials that wait, chooses designs where none does, and records what the evaluations\n"
        "answer, for every study of the store that it has a problem file for: those that are named, or\n"
        "all of a folder; without any, those of the current folder. Only their commands are ever run,\n"
        "whatever the store says. Budget and policy are those of the store. Without STORE it is the one "
        "that\n"
        "all problem files have.\n\n"
        "An answer is written to a local spool before the store hears of it, so none is lost when the\n"
        "store is away or the process dies: the next worker here delivers it. SIGTERM lets evaluations\n"
        "end for as long as --grace says, then hands them back; Ctrl-C waits for them, a second one\n"
        "hands them back at once.",
    .traits = APP_HAS_JSON | APP_HAS_THREADS,
    .words = APP_ANY_WORDS,
    .options = options,
    .check = check,
    .run = run,
};
