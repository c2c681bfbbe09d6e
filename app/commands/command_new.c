/* ckg new: a problem file to start from. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/visible.h"
#include "command.h"

static const char starter[] =
    "goal: minimize                # or maximize\n"
    "budget: 30                    # evaluations in all, the initial design included\n"
    "# initial: 10                 # designs that fill the space first; default: max(10, 2(d+1))\n"
    "# policy: auto                # `ckg policies` lists them\n"
    "# seed: 1                     # same seed, same designs; without it one is drawn and recorded\n"
    "\n"
    "parameters:                   # what may be varied\n"
    "  width:    {type: real, low: 0.5, high: 20}\n"
    "  rate:     {type: real, low: 0.0001, high: 0.1, scale: log}\n"
    "  layers:   {type: integer, low: 1, high: 6}\n"
    "  material: {type: categorical, values: [steel, brass]}\n"
    "\n"
    "objective: {name: cost}       # noise: auto (default: estimated) | varying | none | its sd\n"
    "\n"
    "constraints:                  # feasible when min <= value <= max for each; leave out if none\n"
    "  stress: {max: 100}\n"
    "\n"
    "evaluate:\n"
    "  # Gets {\"width\": 3.1, \"rate\": 0.01, ...} on standard input; {width} in an argument becomes\n"
    "  # its value. Prints the answer as its last line: {\"cost\": 12.5, \"stress\": 88}\n"
    "  command: [python3, evaluate.py]   # a list of words, not a shell line; runs in this file's folder\n"
    "  # timeout: 600              # seconds\n"
    "  # parallel: 1               # how many at once\n"
    "  # retries: 0                # how often a failed evaluation is tried again\n"
    "\n"
    "# failures: model             # steer away from where evaluations fail; or ignore\n"
    "# model: {kernel: auto}       # how outcomes are modelled; `ckg model --help` has the settings\n";

/* A name that can be a file's and stand bare in YAML. */
static int is_plain(const char *name)
{
    return name[0] && name[0] != '-' && name[0] != '.' &&
           strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-.") ==
               strlen(name) &&
           strlen(name) <= 200;
}

/* Writes the file; an errno, 0 when it is there. */
static int write_starter(const char *path, const char *name)
{
    const int file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    FILE *out = file >= 0 ? fdopen(file, "w") : NULL;

    if (!out)
        return errno;
    const int failed = fprintf(out, "name: %s\n%s", name, starter) < 0;
    if (!fclose(out) && !failed)
        return 0;

    const int why = errno;
    unlink(path);
    return why;
}

static int check(const struct app_arguments *a)
{
    if (!a->count)
        return app_wrong(a, "what is the problem's name?");
    if (!is_plain(a->rest[0]))
        return app_wrong(a, "a name may have letters, digits, '-', '_' and '.', not '%s'", a->rest[0]);
    return CKG_OK;
}

static int run(const struct app_arguments *a)
{
    const char *name = a->rest[0];
    char path[256];

    snprintf(path, sizeof path, "%s.yaml", name);
    const int why = write_starter(path, name);
    if (why == EEXIST)
        return app_fail(a->message, CKG_ERR_INVALID, "%s: %s; remove it or choose another name", path,
                        strerror(why));
    if (why)
        return app_fail(a->message, CKG_ERR_SYSTEM, "%s: %s", path, strerror(why));

    if (!a->quiet)
        app_say("wrote %s: edit it to describe your problem, then `ckg run %s`\n", path, path);
    return CKG_OK;
}

const struct app_work app_command_new = {
    .usage = "NAME",
    .words = 1,
    .check = check,
    .run = run,
};
