/* ckg recommend: what to build, by all that was measured. */
#include "command.h"
#include "commands/what_if.h"

static const struct app_option options[] = {
    {"probability", 'p', "P",
     "the best predicted objective among designs that are feasible with probability P or more, 0 < P < 1", 0},
    {"evaluated", 0, NULL, "choose among the designs that were evaluated", 0},
    {"limit", 0, "NAME=VALUE…",
     "what if a constraint's limit were another; NAME.min=, NAME.max= where it has two", APP_LIST},
    {"exact", 0, NULL, "print the design with all its digits", 0},
    {0},
};

static int check(const struct app_arguments *a)
{
    double probability = 0.5;
    const int status = app_option_number(a, "probability", &probability);

    if (status)
        return status;
    return probability > 0 && probability < 1
               ? CKG_OK
               : app_wrong(a, "--probability must be above 0 and below 1, not %s",
                           app_option(a, "probability"));
}

static int run(const struct app_arguments *a, struct app_study *n)
{
    ckg_recommend_options how = CKG_RECOMMEND_OPTIONS_INIT;
    int status = app_option_number(a, "probability", &how.probability);

    if (!status)
        status = app_what_if(a, n);
    if (app_option(a, "probability"))
        how.rule = CKG_RULE_PROBABILITY;
    how.evaluated_only = app_option(a, "evaluated") != NULL;

    /* Without options the library's own rule holds, as at the end of a run. */
    const int asked = how.rule == CKG_RULE_PROBABILITY || how.evaluated_only;
    return status ? status : app_print_recommended(a, n, asked ? &how : NULL);
}

const struct app_work app_command_recommend = {
    .usage = "STUDY [-p P] [--evaluated] [--limit NAME=VALUE…]",
    .about = "The recommended design need not have been evaluated. The best one that was evaluated is\n"
             "shown beside it. The design is printed with as few digits as keep what is said of it true;\n"
             "--exact and --json give all of them.",
    .traits = APP_TAKES_STUDY | APP_HAS_JSON | APP_HAS_THREADS | APP_HAS_MODEL,
    .options = options,
    .check = check,
    .run_study = run,
};
