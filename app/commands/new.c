/* ckg new: a problem file to begin with. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "command.h"

static const char starter[] =
    "goal: minimize                # or maximize\n"
    "budget: 30                    # evaluations in all, the initial design included\n"
    "# initial: 10                 # how many of these fill the space before the policy begins; standard "
    "max(10, 2(d+1))\n"
    "# policy: ckg                 # `ckg policies` lists them\n"
    "# seed: 1                     # the same seed gives the same designs; without it one is drawn and kept\n"
    "\n"
    "parameters:                   # what may be varied\n"
    "  width:    {type: real, low: 0.5, high: 20}\n"
    "  rate:     {type: real, low: 0.0001, high: 0.1, scale: log}\n"
    "  layers:   {type: integer, low: 1, high: 6}\n"
    "  material: {type: categorical, values: [steel, brass]}\n"
    "\n"
    "objective: {name: cost}       # noise: auto (standard, estimated) | none | a standard deviation\n"
    "\n"
    "constraints:                  # a design is feasible when min <= value <= max for each; leave this out "
    "for none\n"
    "  stress: {max: 100}\n"
    "\n"
    "evaluate:\n"
    "  # Gets {\"width\": 3.1, \"rate\": 0.01, ...} on standard input, and {width} in an argument is "
    "replaced by its value.\n"
    "  # Prints the answer as its last line: {\"cost\": 12.5, \"stress\": 88}\n"
    "  command: [python3, evaluate.py]   # words, never a shell; runs in this file's folder\n"
    "  # timeout: 600              # seconds\n"
    "  # parallel: 1               # how many at once\n"
    "  # retries: 0                # how often a failed evaluation is tried again\n"
    "\n"
    "# failures: model             # steer away from where evaluations fail; or ignore\n";

/* A name that can be a file's and stand bare in YAML. */
static int is_plain(const char *name)
{
    return name[0] && name[0] != '-' && name[0] != '.' &&
           strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-.") ==
               strlen(name) &&
           strlen(name) <= 200;
}

static int run(const struct app_arguments *arguments)
{
    char path[256];
    if (arguments->count != 1)
        return app_wrong(arguments, "one name is needed, such as spring");
    if (!is_plain(arguments->rest[0]))
        return app_wrong(arguments, "a name here is of letters, digits, '-', '_' and '.', not '%s'",
                         arguments->rest[0]);
    snprintf(path, sizeof path, "%s.yaml", arguments->rest[0]);
    const int file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    FILE *out = file >= 0 ? fdopen(file, "w") : NULL;
    if (!out) {
        const int there = errno == EEXIST;
        fprintf(stderr, "%s: %s%s\n", path, strerror(errno),
                there ? "; remove it or choose another name" : "");
        return there ? APP_WRONG : APP_FAILED;
    }
    const int failed = fprintf(out, "name: %s\n%s", arguments->rest[0], starter) < 0;
    if (fclose(out) || failed) {
        fprintf(stderr, "%s: %s\n", path, strerror(errno));
        unlink(path);
        return APP_FAILED;
    }
    if (!arguments->quiet)
        printf("%s is written: change it to your problem, then `ckg run %s`\n", path, path);
    return APP_DONE;
}

const struct app_command app_command_new = {
    .name = "new",
    .usage = "NAME",
    .title = "writes NAME.yaml, a commented problem file to begin with",
    .run = run,
};
