/* ckg manual: the manual pages, from what the commands declare. The build writes them to files. */
#include <stdio.h>
#include <string.h>

#include "command.h"

/* Text for roff: no line of it becomes a request, and a backslash stays one. */
static void print_roff(const char *text)
{
    for (int start = 1; *text; start = *text++ == '\n') {
        if (start && (*text == '.' || *text == '\''))
            printf("\\&");
        if (*text == '\\')
            printf("\\e");
        else if (*text == '-')
            printf("\\-");
        else
            putchar(*text);
    }
}

static void print_option(const struct app_option *o)
{
    printf(".TP\n");
    if (o->letter)
        printf("\\fB\\-%c\\fR, ", o->letter);
    printf("\\fB\\-\\-");
    print_roff(o->name);
    printf("\\fR");
    if (o->argument)
        printf(" \\fI%s\\fR", o->argument);
    printf("\n");
    print_roff(o->help);
    printf("\n");
}

/* What --model takes, by the library's list. */
static void print_settings(void)
{
    ckg_option_info info;

    printf(
        ".SH SETTINGS OF THE MODELS\nIn a problem file \\fBmodel: {\\fINAME\\fB: \\fIVALUE\\fB, …}\\fR.\n");
    for (int i = 0; !ckg_option_at(i, &info); i++) {
        char values[256];
        printf(".TP\n\\fB%s\\fR\n", info.name);
        print_roff(ckg_option_values_text(&info, values, sizeof values));
        printf(": ");
        print_roff(info.help);
        printf("\n");
    }
}

static void print_head(const char *page, const char *title)
{
    printf(".TH %s 1 \"\" \"ckg %s\" \"ckg manual\"\n.SH NAME\n%s \\- ", page, ckg_version(), page);
    print_roff(title);
    printf("\n");
}

static void print_exit(void)
{
    printf(".SH EXIT STATUS\n0: done; 1: it failed while running; 2: the command line or a file is wrong. "
           "Errors are one line on standard error.\n");
}

static void print_command(const struct app_command *c)
{
    const struct app_option *o;
    char page[64];

    /* What it is and what it does. */
    snprintf(page, sizeof page, "ckg-%s", c->name);
    print_head(page, c->title);
    printf(".SH SYNOPSIS\n\\fBckg %s\\fR ", c->name);
    print_roff(c->work->usage);
    printf("\n.SH DESCRIPTION\n");
    print_roff(c->work->about ? c->work->about : c->title);
    printf("\n");
    if (c->work->traits & APP_TAKES_STUDY)
        printf(".PP\n\\fISTUDY\\fR is a problem file, or \\fB\\-\\-store\\fR \\fIURL\\fR \\fB\\-\\-study\\fR "
               "\\fINAME\\fR.\n");

    /* What it takes and how it ends. */
    printf(".SH OPTIONS\n");
    for (int i = 0; (o = app_option_at(c, i)); i++)
        print_option(o);
    if (c->work->traits & APP_HAS_MODEL)
        print_settings();
    print_exit();
    printf(".SH SEE ALSO\n\\fBckg\\fR(1)\n");
}

static void print_overview(void)
{
    print_head("ckg", "constrained Bayesian optimisation");
    printf(".SH SYNOPSIS\n\\fBckg\\fR \\fICOMMAND\\fR …\n"
           ".SH DESCRIPTION\n"
           "Finds the best feasible design when each evaluation is expensive and the constraints are\n"
           "known only by evaluating. A problem file in YAML says which parameters may be varied, which\n"
           "outcome to minimize or maximize, which limits the others must keep, and which command\n"
           "evaluates a design; \\fBckg run\\fR does the rest, and can be interrupted at any moment.\n"
           ".SH COMMANDS\n");
    for (const struct app_command *c = app_commands; c->name; c++) {
        if (c->work->traits & APP_HIDDEN)
            continue;
        printf(".TP\n\\fBckg\\-%s\\fR(1)\n", c->name);
        print_roff(c->title);
        printf("\n");
    }

    print_exit();
}

static int run(const struct app_arguments *a)
{
    const struct app_command *command = a->count ? app_command_named(a->rest[0]) : NULL;

    if (a->count && !command)
        return app_wrong(a, "there is no command '%s'", a->rest[0]);
    if (command)
        print_command(command);
    else
        print_overview();
    return CKG_OK;
}

const struct app_work app_command_manual = {
    .usage = "[COMMAND]",
    .traits = APP_HIDDEN,
    .words = 1,
    .run = run,
};
