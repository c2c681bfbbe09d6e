/* ckg ask: designs for evaluations that people or other programs make. */
#include "api/shapes.h"
#include "base/visible.h"
#include "actions/action_queue.h"
#include "command.h"
#include "commands/assignments.h"
#include "present/trial_text.h"

static const struct app_option options[] = {
    {"at", 0, "NAME=VALUE…", "queue a design of your own instead: every parameter, one after the other", 0},
    {"number", 'n', "Q", "how many designs; default: 1", 0},
    {0},
};

static int print_trial(const struct app_arguments *a, const struct app_study *n,
                       const ckg_suggestion *suggestion, int number)
{
    struct app_text line = {0};

    if (a->json)
        app_trial_write(&n->definition, &n->trials[number - 1], &line);
    else
        app_trial_asked_text(n, &n->trials[number - 1], suggestion, a->quiet, &line);
    return app_print(a, &line);
}

/* So many designs, suggested, recorded and printed. */
static int ask_for(const struct app_arguments *a, struct app_study *n, int wanted)
{
    struct app_asked asked;
    int status = app_study_ask(n, wanted, &asked);

    for (int i = 0; !status && i < asked.count; i++)
        status = print_trial(a, n, asked.suggestion[i], asked.first + i);
    app_asked_free(&asked);
    return status;
}

/* --- a design of the user's own --- */

/* x (d) ← what the command line says. */
static int read_own(const struct app_arguments *a, const struct app_study *n, double *x)
{
    json_t *design = json_object();
    int status = design ? CKG_OK : app_no_memory(n->message);

    for (int i = -1; !status && i < a->count; i++) {
        const char *word = i < 0 ? app_option(a, "at") : a->rest[i];
        status = app_assign(&n->definition, word, design, NULL, n->message);
        if (status == CKG_ERR_NOT_FOUND)
            status = app_fail(n->message, CKG_ERR_INVALID,
                              "'%.200s' is not NAME=VALUE with the name of a parameter", word);
    }
    if (!status)
        status = app_design_read(&n->definition, design, x, n->message);
    json_decref(design);
    return status;
}

/* Queues it, and says what is known of it already. */
static int ask_at(const struct app_arguments *a, struct app_study *n)
{
    double x[CKG_MAX_PARAMETERS];
    struct app_queued queued;
    int status = read_own(a, n, x);

    if (!status)
        status = app_study_queue(n, x, a->line, &queued);
    if (status)
        return status;
    if (queued.why && !a->quiet)
        app_warn("note: trial %d has the same design and %s\n", queued.known, queued.why);
    return print_trial(a, n, NULL, queued.number);
}

static int read_number(const struct app_arguments *a, int *out)
{
    return app_option_integer(a, "number", 1, 100000, 1, out);
}

static int check(const struct app_arguments *a)
{
    int wanted;
    const int status = read_number(a, &wanted);

    if (!status && a->count && !app_option(a, "at"))
        return app_wrong(a, "unexpected argument '%.200s'; --at NAME=VALUE… queues a design of your own",
                         a->rest[0]);
    if (!status && app_option(a, "at") && app_option(a, "number"))
        return app_wrong(a, "--at queues one design; it does not go with --number");
    return status;
}

static int run(const struct app_arguments *a, struct app_study *n)
{
    int wanted;
    const int status = read_number(a, &wanted);

    if (status)
        return status;
    return app_option(a, "at") ? ask_at(a, n) : ask_for(a, n, wanted);
}

const struct app_work app_command_ask = {
    .usage = "STUDY [-n Q | --at NAME=VALUE…]",
    .about = "The designs are pending until `ckg tell` brings their results. Later suggestions take\n"
             "pending designs into account. The `designs` of the problem file come first.\n\n"
             "With --at a design of your own is queued: `ckg run` evaluates it before its next\n"
             "suggestion, or `ckg tell` brings its result. Name every parameter:\n"
             "  ckg ask spring.yaml --at wire=0.3 coils=7 alloy=steel",
    .traits = APP_TAKES_STUDY | APP_BEGINS_STUDY | APP_HAS_JSON | APP_HAS_THREADS | APP_HAS_MODEL,
    .words = APP_ANY_WORDS,
    .options = options,
    .check = check,
    .run_study = run,
};
