/*
 * Tables of designs, as `predict` and `score` read them: CSV or JSON lines from a file. A refusal is one line
 * with its place; what is accepted are designs that a study takes, or refuses with a line of its own.
 */
#include <math.h>

#include <sys/mman.h>
#include <unistd.h>

#include "fuzz.h"
#include "actions/action_import.h"

static const char problem[] =
    "{name: s, goal: minimize, budget: 5, seed: 1, parameters: {x: {type: real, low: -1, high: 1},"
    " n: {type: integer, low: 0, high: 3}, trial: {type: real, low: 1, high: 10, scale: log},"
    " 'a,\"b\"': {type: categorical, values: [u, 'v,\"w\"', ' é ']}}, rules: [x + n <= 3], objective: {name: "
    "y}}";

enum { PARAMETERS = 4 };

static void check_refusal(const char *text, const char *path)
{
    const size_t length = strlen(path);

    fuzz_require(!strncmp(text, path, length) && text[length] == ':' && text[length + 1] >= '1' &&
                     text[length + 1] <= '9',
                 "a complaint without its place", text);
    for (const unsigned char *c = (const unsigned char *)text; *c; c++)
        fuzz_require(*c >= ' ' && *c != 127, "a control character", text);
}

/* What is read is a number everywhere, and the engine takes it or says why not. */
static void check_accepted(const struct app_definition *definition, int count, const double *X)
{
    ckg_study *study;
    int trial;

    for (int i = 0; i < count * PARAMETERS; i++)
        fuzz_require(isfinite(X[i]), "a design that is no number", "");
    fuzz_require(!ckg_study_new(&study, definition->problem, NULL), ckg_error_message(), "");
    for (int p = 0; p < count; p++)
        if (ckg_study_add(study, X + p * PARAMETERS, &trial))
            fuzz_require(ckg_error_message()[0] && !strchr(ckg_error_message(), '\n'), "not one line", "");
    ckg_study_free(study);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const struct app_definition *definition = fuzz_definition(problem);
    struct app_message message;
    char path[64];
    double *X;
    int count;
    const int file = memfd_create("points", MFD_CLOEXEC);

    fuzz_require(file >= 0 && write(file, data, size) == (ssize_t)size, "no file", "");
    snprintf(path, sizeof path, "/proc/self/fd/%d", file);
    if (app_points_read(definition, path, &X, &count, &message))
        check_refusal(message.text, path);
    else
        check_accepted(definition, count, X);
    free(X);
    close(file);
    return 0;
}
