/* Command lines of the benchmarks: pairs of --option and value, and flags. */
#ifndef CKG_BENCH_OPTIONS_H
#define CKG_BENCH_OPTIONS_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct bench_option {
    const char *name;
    enum { BENCH_FLAG, BENCH_INTEGER, BENCH_REAL, BENCH_WORD } type;
    void *value; /* int *, which a flag adds one to, int *, double * or const char ** */
};

static inline void bench_option_set(const struct bench_option *option, const char *word)
{
    if (option->type == BENCH_FLAG)
        ++*(int *)option->value;
    else if (option->type == BENCH_INTEGER)
        *(int *)option->value = atoi(word);
    else if (option->type == BENCH_REAL)
        *(double *)option->value = atof(word);
    else
        *(const char **)option->value = word;
}

/* Sets the values by the command line; options end with one without a name. What is none of them ends the
 * program. */
static inline void bench_options_read(int argc, char **argv, const struct bench_option *options)
{
    for (int i = 1; i < argc; i++) {
        const struct bench_option *option = options;
        while (option->name && (strncmp(argv[i], "--", 2) != 0 || strcmp(argv[i] + 2, option->name) != 0))
            option++;
        if (!option->name) {
            fprintf(stderr, "%s: unknown option %s\n", argv[0], argv[i]);
            exit(2);
        }
        if (option->type != BENCH_FLAG && ++i == argc) {
            fprintf(stderr, "%s: --%s needs a value\n", argv[0], option->name);
            exit(2);
        }
        bench_option_set(option, argv[i]);
    }
}

#endif
