/* ckg COMMAND …: finds the command's row and runs it. */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <ckg/ckg.h>

#include "base/reserve.h"
#include "base/visible.h"
#include "command.h"
#include "commands/names.h"
#include "store/secret.h"

/* The lines on one of the two outputs. */
static void print_overview(void (*say)(const char *format, ...))
{
    say("usage: ckg COMMAND …\n\nConstrained Bayesian optimisation: the best feasible design from "
        "the fewest evaluations.\n\n");
    for (const struct app_command *c = app_commands; c->name; c++)
        if (!(c->work->traits & APP_HIDDEN))
            say("  %-11s %s\n", c->name, c->title);
    say("\n`ckg new NAME` writes a problem file to start from; `ckg COMMAND --help` says more about "
        "a command.\n");
}

/*
 * Files that we open must not become standard input, output or error when we were started without one of
 * these.
 */
static void open_standard_files(void)
{
    int file;

    do
        file = open("/dev/null", O_RDWR);
    while (file >= 0 && file <= STDERR_FILENO);
    if (file > STDERR_FILENO)
        close(file);
}

/*
 * A file that the store shares between processes is looked at as memory. Where somebody cuts it meanwhile,
 * the look itself fails; nothing is lost, for that file is made anew when the store is opened.
 */
static void say_cut(int number, siginfo_t *info, void *context)
{
    static const char line[] =
        "the store's -shm file was cut short while it was in use; nothing is lost, run the "
        "same command again\n";

    (void)context;
    if (info->si_code == BUS_ADRERR && write(STDERR_FILENO, line, sizeof line - 1) >= 0)
        _exit(APP_FAILED);
    signal(number, SIG_DFL);
    raise(number);
}

/* CKG_CPU is for comparisons, and a comparison with another instruction set than it says would mislead. */
static int has_wanted_cpu(void)
{
    const char *wanted = getenv("CKG_CPU");
    const int known = wanted && (!strcmp(wanted, "base") || !strcmp(wanted, "v3") || !strcmp(wanted, "v4"));

    if (!wanted || !*wanted || !strcmp(wanted, ckg_cpu()))
        return 1;
    if (known)
        app_warn("ckg: this processor cannot run CKG_CPU=%s; the best that it can is %s\n", wanted,
                 ckg_cpu());
    else
        app_warn("ckg: CKG_CPU is '%s'; it can be base, v3 or v4\n", wanted);
    return 0;
}

int main(int argc, char **argv)
{
    const char *word = argc < 2 ? "" : argv[1];

    /* A password is in no list of processes, no message and no history of commands. */
    for (int i = 1; i < argc; i++)
        app_secret_take(argv[i]);

    open_standard_files();
    app_json_use_reserve();
    sigaction(SIGBUS, &(struct sigaction){.sa_sigaction = say_cut, .sa_flags = SA_SIGINFO}, NULL);
    signal(SIGXFSZ, SIG_IGN); /* a limit on the size of files is an error of the write that meets it */
    if (argc < 2) {
        print_overview(app_warn);
        return APP_WRONG;
    }
    if (!strcmp(word, "--help") || !strcmp(word, "-h") || !strcmp(word, "help")) {
        print_overview(app_say);
        return APP_DONE;
    }
    if (!strcmp(word, "--version")) {
        app_say("ckg %s\ninstruction set %s\n", ckg_version(), ckg_cpu());
        return APP_DONE;
    }
    if (!has_wanted_cpu())
        return APP_WRONG;

    const struct app_command *command = app_command_named(word);
    if (command)
        return app_command_execute(command, argc - 2, argv + 2);

    char hint[APP_MEANT];
    app_warn("ckg: there is no command '%s'%s; `ckg --help` lists them\n", word,
             app_names_meant(APP_COMMANDS, NULL, word, "", hint));
    return APP_WRONG;
}
