/*
 * The program's commands: one file in commands/ and one row each. A row declares its options; parsing, help,
 * manual pages and completion all read them from there.
 */
#ifndef CKG_APP_COMMAND_H
#define CKG_APP_COMMAND_H

#include "base/text.h"
#include "notebook/notebook.h"

/* Exit statuses. */
enum { APP_DONE = 0, APP_FAILED = 1, APP_WRONG = 2 };

struct app_option {
    const char *name;     /* without the dashes */
    char letter;          /* the short form, 0: none */
    const char *argument; /* what stands for its value in the help; NULL: it takes none */
    const char *help;     /* one line */
};

enum app_command_traits {
    APP_TAKES_STUDY = 1, /* STUDY first, with --store and --study */
    APP_HAS_JSON = 2,
    APP_HAS_THREADS = 4,
    APP_HIDDEN = 8 /* not in the overview */
};

enum { APP_MAX_OPTIONS = 24 };

struct app_command;

/* A command line taken apart. */
struct app_arguments {
    const struct app_command *command;
    /* of the row's options in order; "" for one given without a value, NULL for one not given */
    const char *value[APP_MAX_OPTIONS];
    int quiet, json, threads;
    struct app_study_place place;
    int count;
    char **rest; /* (count) what is no option, the study left out */
};

struct app_command {
    const char *name;
    const char *usage; /* what follows the name, without the common options */
    const char *title; /* one line */
    const char *about; /* a paragraph or more for the help and the manual page */
    int traits;
    const struct app_option *options;                  /* ends with an empty name */
    int (*run)(const struct app_arguments *arguments); /* returns the exit status */
};

/* Every command, NULL at the end. */
extern const struct app_command *const app_commands[];

/* Options that commands with these traits share, in the order of the help; ends with an empty name. */
const struct app_option *app_common_options(int traits);

/* Takes the line apart. APP_DONE and arguments->command set: run it; NULL: it was answered here (--help). */
int app_arguments_read(struct app_arguments *out, const struct app_command *command, int argc, char **argv);

/* The value of the row's option of that name, NULL when it was not given. */
const char *app_option(const struct app_arguments *arguments, const char *name);

/*
 * The value as a whole number in low … high; `standard` when it was not given. 0 and a complaint when it is
 * none.
 */
int app_option_whole(const struct app_arguments *arguments, const char *name, int low, int high, int standard,
                     int *out);

/* Complains in one line and returns APP_WRONG. */
int app_wrong(const struct app_arguments *arguments, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Says the message on standard error; the exit status that goes with the library's status. */
int app_report_failure(const struct app_message *message, int status);

/* Opens the study of the command line; APP_DONE or the exit status, with the complaint said. */
int app_open(struct app_notebook *notebook, const struct app_arguments *arguments, enum app_access access,
             struct app_message *message);

/* Prints the text with a newline on standard output, and frees it. */
int app_print(struct app_text *text);

#endif
