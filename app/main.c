/* ckg COMMAND …: finds the command's row and runs it. */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <ckg/ckg.h>

#include "command.h"

static void print_overview(FILE *out)
{
    fprintf(out, "usage: ckg COMMAND …\n\nConstrained Bayesian optimisation: the best feasible design from "
                 "the fewest evaluations.\n\n");
    for (int i = 0; app_commands[i]; i++)
        if (!(app_commands[i]->traits & APP_HIDDEN))
            fprintf(out, "  %-10s %s\n", app_commands[i]->name, app_commands[i]->title);
    fprintf(out, "\n`ckg new NAME` writes a problem file to begin with, `ckg COMMAND --help` says more.\n");
}

static int run(const struct app_command *command, int argc, char **argv)
{
    struct app_arguments arguments;
    int status = app_arguments_read(&arguments, command, argc, argv);
    if (!status && arguments.command)
        status = command->run(&arguments);
    if (fflush(stdout) || ferror(stdout)) {
        perror("ckg: standard output");
        return status ? status : APP_FAILED;
    }
    return status;
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

int main(int argc, char **argv)
{
    open_standard_files();
    if (argc < 2) {
        print_overview(stderr);
        return APP_WRONG;
    }
    if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h") || !strcmp(argv[1], "help")) {
        print_overview(stdout);
        return APP_DONE;
    }
    if (!strcmp(argv[1], "--version")) {
        printf("ckg %s\n", ckg_version());
        return APP_DONE;
    }
    for (int i = 0; app_commands[i]; i++)
        if (!strcmp(app_commands[i]->name, argv[1]))
            return run(app_commands[i], argc - 2, argv + 2);
    fprintf(stderr, "ckg: there is no command '%s'; `ckg --help` lists them\n", argv[1]);
    return APP_WRONG;
}
