/* The command line, by the tables of the commands. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"

/* --- what is shared --- */

static const struct app_option everywhere[] = {
    {"quiet", 'q', NULL, "print nothing but results and errors"},
    {"help", 'h', NULL, "print this"},
    {0},
};

static const struct app_option of_studies[] = {
    {"store", 0, "URL",
     "where the study is kept: sqlite:PATH; standard: beside the problem file, with the ending .db"},
    {"study", 0, "NAME", "the study's name in the store, instead of a problem file"},
    {0},
};

static const struct app_option of_json[] = {{"json", 0, NULL, "print JSON, a list as one object per line"},
                                            {0}};

static const struct app_option of_threads[] = {
    {"threads", 0, "N", "how many threads compute; standard: one per core"}, {0}};

const struct app_option *app_common_options(int traits)
{
    return traits == APP_TAKES_STUDY   ? of_studies
           : traits == APP_HAS_JSON    ? of_json
           : traits == APP_HAS_THREADS ? of_threads
                                       : everywhere;
}

/* --- help --- */

static void print_options(const struct app_option *options)
{
    for (; options->name; options++) {
        char left[64];
        snprintf(left, sizeof left, "%s%c%s --%s%s%s", options->letter ? "-" : " ",
                 options->letter ? options->letter : ' ', options->letter ? "," : " ", options->name,
                 options->argument ? " " : "", options->argument ? options->argument : "");
        printf("  %-24s %s\n", left, options->help);
    }
}

static void print_help(const struct app_command *command)
{
    printf("usage: ckg %s %s\n\n%s\n", command->name, command->usage, command->title);
    if (command->about)
        printf("\n%s\n", command->about);
    printf("\noptions:\n");
    if (command->options)
        print_options(command->options);
    for (int trait = APP_TAKES_STUDY; trait <= APP_HAS_THREADS; trait *= 2)
        if (command->traits & trait)
            print_options(app_common_options(trait));
    print_options(app_common_options(0));
}

/* --- reading --- */

int app_wrong(const struct app_arguments *arguments, const char *format, ...)
{
    struct app_message message;
    char text[sizeof message.text];
    va_list list;
    va_start(list, format);
    vsnprintf(text, sizeof text, format, list);
    va_end(list);
    app_fail(&message, 0, "%s", text);
    fprintf(stderr, "ckg %s: %s; see `ckg %s --help`\n", arguments->command->name, message.text,
            arguments->command->name);
    return APP_WRONG;
}

/* Where the option's value is to go; NULL: there is no such option. *option is its row. */
static const char **find_option(struct app_arguments *a, const char *name, size_t length, char letter,
                                const struct app_option **option, const char **common)
{
    const struct app_option *tables[] = {
        a->command->options, a->command->traits & APP_TAKES_STUDY ? of_studies : NULL,
        a->command->traits & APP_HAS_JSON ? of_json : NULL,
        a->command->traits & APP_HAS_THREADS ? of_threads : NULL, everywhere};
    for (size_t k = 0, at = 0; k < sizeof tables / sizeof *tables; k++)
        for (const struct app_option *o = tables[k]; o && o->name; o++, at++)
            if (letter ? o->letter == letter : strlen(o->name) == length && !strncmp(o->name, name, length)) {
                *option = o;
                return k ? &common[at] : &a->value[o - a->command->options];
            }
    return NULL;
}

/* One word that begins with a dash. *at moves on when the value is the next word. */
static int read_option(struct app_arguments *a, int argc, char **argv, int *at, const char **common)
{
    const char *word = argv[*at], *equals = strchr(word, '='), *value = NULL;
    const struct app_option *option = NULL;
    const int longer = word[1] == '-';
    const size_t length = longer ? (equals ? (size_t)(equals - word) : strlen(word)) - 2 : 1;
    const char **to = find_option(a, word + 2, length, longer ? 0 : word[1], &option, common);
    if (!to)
        return app_wrong(a, "there is no option '%s'", word);
    if (longer && equals)
        value = equals + 1;
    else if (!longer && word[2])
        value = word + 2;
    if (!option->argument && value)
        return app_wrong(a, "--%s takes no value", option->name);
    if (option->argument && !value) {
        if (*at + 1 >= argc)
            return app_wrong(a, "--%s needs a value", option->name);
        value = argv[++*at];
    }
    if (*to)
        return app_wrong(a, "--%s stands twice", option->name);
    *to = option->argument ? value : "";
    return APP_DONE;
}

static const char *common_value(const struct app_arguments *a, const char *name, const char *const *common)
{
    const struct app_option *option;
    const char **to = find_option((struct app_arguments *)a, name, strlen(name), 0, &option,
                                  (const char **)common);
    return to ? *to : NULL;
}

static int read_whole(const char *text, int low, int high, int *out)
{
    char *stop;
    const long value = strtol(text, &stop, 10);
    *out = (int)value;
    return stop != text && !*stop && value >= low && value <= high;
}

/* What the common options say. */
static int read_common(struct app_arguments *a, const char *const *common)
{
    const char *threads = a->command->traits & APP_HAS_THREADS ? common_value(a, "threads", common) : NULL;
    a->quiet = common_value(a, "quiet", common) != NULL;
    a->json = a->command->traits & APP_HAS_JSON && common_value(a, "json", common);
    if (threads && !read_whole(threads, 0, 256, &a->threads))
        return app_wrong(a, "--threads is a number from 0 to 256, not '%s'", threads);
    if (!(a->command->traits & APP_TAKES_STUDY))
        return APP_DONE;
    a->place.store = common_value(a, "store", common);
    a->place.name = common_value(a, "study", common);
    if (a->place.name && !a->place.store)
        return app_wrong(a, "--study needs --store");
    if (a->place.name)
        return APP_DONE;
    if (!a->count)
        return app_wrong(a, "which study? A problem file, or --store URL --study NAME");
    a->place.file = a->rest[0];
    a->rest++;
    a->count--;
    return APP_DONE;
}

int app_arguments_read(struct app_arguments *a, const struct app_command *command, int argc, char **argv)
{
    const char *common[APP_MAX_OPTIONS + 16] = {NULL};
    int status = APP_DONE, options_over = 0;
    *a = (struct app_arguments){.command = command, .rest = argv};
    for (int i = 0; !status && i < argc; i++) {
        if (options_over || argv[i][0] != '-' || !argv[i][1])
            a->rest[a->count++] = argv[i];
        else if (!strcmp(argv[i], "--"))
            options_over = 1;
        else
            status = read_option(a, argc, argv, &i, common);
    }
    if (!status && common_value(a, "help", common)) {
        print_help(command);
        a->command = NULL;
        return APP_DONE;
    }
    return status ? status : read_common(a, common);
}

const char *app_option(const struct app_arguments *a, const char *name)
{
    for (const struct app_option *o = a->command->options; o && o->name; o++)
        if (!strcmp(o->name, name))
            return a->value[o - a->command->options];
    return NULL;
}

int app_option_whole(const struct app_arguments *a, const char *name, int low, int high, int standard,
                     int *out)
{
    const char *value = app_option(a, name);
    *out = standard;
    if (!value || read_whole(value, low, high, out))
        return 1;
    app_wrong(a, "--%s is a whole number from %d to %d, not '%s'", name, low, high, value);
    return 0;
}

/* --- what commands share --- */

int app_report_failure(const struct app_message *message, int status)
{
    fprintf(stderr, "%s\n", message->text);
    return status == CKG_ERR_INVALID ? APP_WRONG : APP_FAILED;
}

int app_open(struct app_notebook *notebook, const struct app_arguments *arguments, enum app_access access,
             struct app_message *message)
{
    const int status = app_notebook_open(notebook, &arguments->place, access, message);
    notebook->threads = arguments->threads;
    return status ? app_report_failure(message, status) : APP_DONE;
}

int app_print(struct app_text *text)
{
    const int failed = text->failed;
    if (failed)
        fprintf(stderr, "out of memory\n");
    else
        printf("%s\n", text->data ? text->data : "");
    app_text_free(text);
    return failed ? APP_FAILED : APP_DONE;
}
