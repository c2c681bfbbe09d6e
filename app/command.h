/*
 * The program's commands: one file in commands/ and one row in its list each. The file declares what the
 * command takes; reading the line, opening the study, complaining, help, manual pages and completion all
 * follow from that.
 *
 * Everything here returns CKG_OK, or one of the library's statuses with a complaint of one line in the
 * message, which the program prints once, at its end.
 */
#ifndef CKG_APP_COMMAND_H
#define CKG_APP_COMMAND_H

#include "base/meant.h"
#include "base/text.h"
#include "study/record.h"

/* Exit statuses. */
enum { APP_DONE = 0, APP_FAILED = 1, APP_WRONG = 2 };

struct app_option {
    const char *name;     /* without the dashes */
    char letter;          /* the short form, 0: none */
    const char *argument; /* what stands for its value in the help; NULL: it takes none */
    const char *help;     /* one line */
    int use;              /* enum app_option_use */
};

enum app_option_use {
    APP_OPTIONAL,
    APP_NEEDED,   /* the command makes no sense without it */
    APP_REPEATED, /* it may be given several times; one option of a command at most */
    /* it takes NAME=VALUE, and so does each word behind it that has an equals sign; one at most, once */
    APP_LIST,
    APP_MAYBE /* its value may be left out: a word behind it is one where it begins as an address does */
};

enum app_command_traits {
    APP_TAKES_STUDY = 1, /* STUDY first, with --store and --study */
    APP_HAS_JSON = 2,
    APP_HAS_THREADS = 4,
    APP_HIDDEN = 8,        /* not in the overview */
    APP_BEGINS_STUDY = 16, /* the study is written to, and begun where there is none */
    APP_AS_STORED = 64,    /* the problem is the store's, whatever the file says */
    APP_HAS_MODEL = 32     /* the study's models are asked, so their settings may be given */
};

enum { APP_MAX_OPTIONS = 24, APP_MAX_REPEATED = 32, APP_MAX_LISTED = 200, APP_ANY_WORDS = 1000000 };

struct app_command;
struct app_api_study;

/* A command line taken apart. */
struct app_arguments {
    const struct app_command *command;
    /* of app_option_at; "" for an option given without a value, NULL for one not given */
    const char *value[APP_MAX_OPTIONS];
    int repeated; /* how often the option was given that may be repeated */
    const char *each[APP_MAX_REPEATED];
    int listed; /* how many NAME=VALUE the option has that takes a list */
    const char *list[APP_MAX_LISTED];
    int quiet, json, threads;
    struct app_study_address place;
    struct app_api_study *study; /* of APP_TAKES_STUDY, while it is open */
    int count;
    char **rest;                 /* (count) what is no option, the study left out */
    const char *line;            /* all of it as it was typed, the program's name left out */
    struct app_message *message; /* where complaints go */
};

/* What a command takes and does; in its own file. */
struct app_work {
    const char *usage; /* what follows the name, without the common options */
    const char *about; /* a paragraph or more for the help and the manual page, or NULL */
    int traits;
    int words;                        /* how many words may follow, the study and options not counted */
    const struct app_option *options; /* ends with an empty name */

    /* Looks at the line before a study is opened; NULL: there is nothing to check. */
    int (*check)(const struct app_arguments *arguments);

    /* Does the work, one of the two: with the study of APP_TAKES_STUDY, or without any. */
    int (*run_study)(const struct app_arguments *arguments, struct app_study *record);
    int (*run)(const struct app_arguments *arguments);

    /* Or it is a question to a study: in words, and with --json the query of that name (api/api.h). */
    const char *query;
    int (*text)(struct app_study *record, struct app_text *out);
};

/* A command; its row in the list. */
struct app_command {
    const char *name;
    const char *title; /* one line */
    const struct app_work *work;
};

/* Every command; the last row has no name. */
extern const struct app_command app_commands[];

/* The command of that name, or NULL. */
const struct app_command *app_command_named(const char *name);

/* Reads the line, does the work, says what went wrong; the exit status. */
int app_command_execute(const struct app_command *command, int argc, char **argv);

/* --- the command line --- */

/* Option number `index` of all that the command takes, its own first; NULL behind the last. */
const struct app_option *app_option_at(const struct app_command *command, int index);

/* Takes the line apart. arguments->command is NULL when it was answered here (--help). */
int app_arguments_read(struct app_arguments *out, const struct app_command *command, int argc, char **argv,
                       struct app_message *message);

/* The value of the option of that name, NULL when it was not given. */
const char *app_option(const struct app_arguments *arguments, const char *name);

/* The value as an integer from low to high; `otherwise` when it was not given. */
int app_option_integer(const struct app_arguments *arguments, const char *name, int low, int high,
                       int otherwise, int *out);

/* The value as a number; *out stays as it is when it was not given. */
int app_option_number(const struct app_arguments *arguments, const char *name, double *out);

/* Sets what --model gives in the definition of a study. */
int app_models_apply(const struct app_arguments *arguments, struct app_definition *definition);

/* Complains about the command line, and says where help is. */
int app_wrong(const struct app_arguments *arguments, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* --- what commands share --- */

/* Opens the study of the command line, and begins it where that is wanted. */
int app_open(struct app_study *record, const struct app_arguments *arguments, enum app_open mode, int begins);

/* The policy of that name. */
int app_find_policy(const struct app_arguments *arguments, const char *name, ckg_policy_info *out);

/* There is no built-in test problem of that name. */
int app_refuse_problem(const struct app_arguments *arguments, const char *word);

/* Prints the text on standard output, with a newline at its end, and frees it. */
int app_print(const struct app_arguments *arguments, struct app_text *text);

/* Prints what the query of that name answers for the study that is open; input: an object of JSON, NULL:
 * none. */
int app_print_query(const struct app_arguments *arguments, const char *query, const char *input);

/* Prints what is recommended, for people or as JSON; how NULL: by the library's own rule. */
int app_print_recommended(const struct app_arguments *arguments, struct app_study *record,
                          const ckg_recommend_options *how);

#endif
