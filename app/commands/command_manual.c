/* ckg manual: the manual pages, from what the commands declare. The build writes them to files. */
#include <stdio.h>
#include <string.h>

#include "base/visible.h"
#include "command.h"
#include "commands/key_page.h"
#include "commands/names.h"

static void print_option(const struct app_option *o)
{
    app_say(".TP\n");
    if (o->letter)
        app_say("\\fB\\-%c\\fR, ", o->letter);
    app_say("\\fB\\-\\-");
    app_print_roff(o->name);
    app_say("\\fR");
    if (o->argument)
        app_say(" \\fI%s\\fR", o->argument);
    app_say("\n");
    app_print_roff(o->help);
    app_say("\n");
}

static void print_head(const char *page, int chapter, const char *title)
{
    app_say(".TH %s %d \"\" \"ckg %s\" \"ckg manual\"\n.SH NAME\n%s \\- ", page, chapter, ckg_version(),
            page);
    app_print_roff(title);
    app_say("\n");
}

static void print_exit(void)
{
    app_say(".SH EXIT STATUS\n0: done; 1: it failed while running; 2: the command line or a file is wrong. "
            "Errors are one line on standard error.\n");
}

static void print_command(const struct app_command *c)
{
    const struct app_option *o;
    char page[64];

    /* What it is and what it does. */
    snprintf(page, sizeof page, "ckg-%s", c->name);
    print_head(page, 1, c->title);
    app_say(".SH SYNOPSIS\n\\fBckg %s\\fR ", c->name);
    app_print_roff(c->work->usage);
    app_say("\n.SH DESCRIPTION\n");
    app_print_roff(c->work->about ? c->work->about : c->title);
    app_say("\n");
    if (c->work->traits & APP_TAKES_STUDY)
        app_say(".PP\n\\fISTUDY\\fR is a problem file, a store such as spring.db, or \\fB\\-\\-store\\fR "
                "\\fIURL\\fR \\fB\\-\\-study\\fR "
                "\\fINAME\\fR.\n");

    /* What it takes and how it ends. */
    app_say(".SH OPTIONS\n");
    for (int i = 0; (o = app_option_at(c, i)); i++)
        print_option(o);
    if (c->work->traits & APP_HAS_MODEL) {
        app_say(".SH SETTINGS OF THE MODELS\nIn a problem file "
                "\\fBmodel: {\\fINAME\\fB: \\fIVALUE\\fB, …}\\fR.\n");
        app_settings_roff();
    }
    print_exit();
    app_say(".SH SEE ALSO\n\\fBckg\\fR(1)\n");
}

static void print_overview(void)
{
    print_head("ckg", 1, "constrained Bayesian optimisation");
    app_say(".SH SYNOPSIS\n\\fBckg\\fR \\fICOMMAND\\fR …\n"
            ".SH DESCRIPTION\n"
            "Finds the best feasible design when each evaluation is expensive and the constraints are\n"
            "known only by evaluating. A problem file in YAML says which parameters may be varied, which\n"
            "outcome to minimize or maximize, which limits the others must keep, and which command\n"
            "evaluates a design; \\fBckg run\\fR does the rest, and can be interrupted at any moment.\n"
            ".SH COMMANDS\n");
    for (const struct app_command *c = app_commands; c->name; c++) {
        if (c->work->traits & APP_HIDDEN)
            continue;
        app_say(".TP\n\\fBckg\\-%s\\fR(1)\n", c->name);
        app_print_roff(c->title);
        app_say("\n");
    }

    print_exit();
    app_say(".SH SEE ALSO\n\\fBckg\\-problem\\fR(5), every key of a problem file\n");
}

static void print_problem(void)
{
    print_head("ckg-problem", 5, "the problem file of ckg, key by key");
    app_say(".SH DESCRIPTION\n"
            "A problem file says what may be varied, what is wanted, which limits hold, and how a design\n"
            "is evaluated. It is YAML, or JSON of the same shape. \\fBckg new\\fR \\fINAME\\fR writes one to "
            "start\n"
            "from. A key that does not exist, or a value that makes no sense, is refused with its line and\n"
            "column before anything runs.\n"
            ".SH EXAMPLE\n.nf\n");
    app_print_roff("name: spring\n"
                   "goal: minimize\n"
                   "budget: 60\n"
                   "parameters:\n"
                   "  wire:  {type: real, low: 0.05, high: 2.0, scale: log}\n"
                   "  coils: {type: integer, low: 2, high: 15}\n"
                   "  alloy: {type: categorical, values: [steel, brass]}\n"
                   "objective: {name: weight, noise: none}\n"
                   "constraints:\n"
                   "  stress: {max: 5}\n"
                   "evaluate:\n"
                   "  command: [python3, spring.py]\n");
    app_say(".fi\n");
    app_problem_page_roff();
    app_say(".SH SEE ALSO\n\\fBckg\\fR(1), \\fBckg\\-new\\fR(1), \\fBckg\\-policies\\fR(1)\n");
}

static int run(const struct app_arguments *a)
{
    const struct app_command *command = a->count ? app_command_named(a->rest[0]) : NULL;
    const int problem = a->count && !strcmp(a->rest[0], "problem");

    /* The file's page, which is no command's. */
    if (problem) {
        if (app_option(a, "markdown"))
            app_problem_page_markdown();
        else
            print_problem();
        return CKG_OK;
    }

    char hint[APP_MEANT];
    if (a->count && !command)
        return app_wrong(a, "there is no command '%s'%s", a->rest[0],
                         app_names_meant(APP_COMMANDS, NULL, a->rest[0], "", hint));
    if (command)
        print_command(command);
    else
        print_overview();
    return CKG_OK;
}

static const struct app_option options[] = {
    {"markdown", 0, NULL, "the keys of a problem file as tables of Markdown", 0},
    {0},
};

const struct app_work app_command_manual = {
    .usage = "[COMMAND | problem]",
    .traits = APP_HIDDEN,
    .words = 1,
    .options = options,
    .run = run,
};
