/* ckg recommend: what to build, by all that was measured. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "command.h"
#include "notebook/recommend.h"

static const struct app_option options[] = {
    {"probability", 'p', "P",
     "the best predicted objective among designs that are feasible with probability P or more"},
    {"evaluated", 0, NULL, "only designs that were evaluated"},
    {0},
};

static int run(const struct app_arguments *arguments)
{
    ckg_recommend_options how = CKG_RECOMMEND_OPTIONS_INIT;
    const char *probability = app_option(arguments, "probability");
    struct app_message message;
    struct app_notebook n;
    if (probability) {
        char *stop;
        how.rule = CKG_RULE_PROBABILITY;
        how.probability = strtod(probability, &stop);
        if (stop == probability || *stop || !(how.probability >= 0 && how.probability <= 1))
            return app_wrong(arguments, "--probability is a number from 0 to 1, not '%s'", probability);
    }
    how.evaluated_only = app_option(arguments, "evaluated") != NULL;
    if (arguments->count)
        return app_wrong(arguments, "'%s' is one word too many", arguments->rest[0]);
    int status = app_open(&n, arguments, APP_READ, &message);
    if (status)
        return status;
    const int failed = app_recommend_print(&n, &how, arguments->json);
    if (failed)
        status = app_report_failure(&message, failed);
    app_notebook_close(&n);
    return status;
}

const struct app_command app_command_recommend = {
    .name = "recommend",
    .usage = "STUDY",
    .title = "the recommended design with its prediction and its probability of being feasible",
    .about = "The design need not have been evaluated. The best one that was stands beside it.",
    .traits = APP_TAKES_STUDY | APP_HAS_JSON | APP_HAS_THREADS,
    .options = options,
    .run = run,
};
