/* The command line, by what the commands declare. */
#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/visible.h"
#include "command.h"
#include "commands/key_page.h"
#include "commands/names.h"

/* --- the options --- */

static const struct app_option of_studies[] = {
    {"store", 0, "URL",
     "where the study is kept: " APP_STORE_URLS
     "; default: the problem file's path with the ending " APP_STORE_ENDING,
     0},
    {"study", 0, "NAME",
     "the study's name in the store, instead of a problem file or where a store has several", 0},
    {0},
};

static const struct app_option of_json[] = {
    {"json", 0, NULL, "print JSON; a list is one object per line", 0},
    {0},
};

static const struct app_option of_threads[] = {
    {"threads", 0, "N", "how many threads to compute with; default: one per core", 0},
    {0},
};

static const struct app_option of_models[] = {
    {"model", 'm', "NAME=VALUE", "a setting of the models, for this command alone; repeat it for several",
     APP_REPEATED},
    {0},
};

static const struct app_option of_all[] = {
    {"quiet", 'q', NULL, "print nothing but results and errors", 0},
    {"help", 'h', NULL, "print this help", 0},
    {0},
};

const struct app_option *app_option_at(const struct app_command *command, int index)
{
    const int traits = command->work->traits;
    const struct app_option *const tables[] = {
        command->work->options,
        traits & APP_TAKES_STUDY ? of_studies : NULL,
        traits & APP_HAS_JSON ? of_json : NULL,
        traits & APP_HAS_THREADS ? of_threads : NULL,
        traits & APP_HAS_MODEL ? of_models : NULL,
        of_all,
    };

    for (size_t k = 0; k < sizeof tables / sizeof *tables; k++)
        for (const struct app_option *o = tables[k]; o && o->name; o++)
            if (index-- == 0)
                return o;
    return NULL;
}

/* --- help --- */

static void print_option(const struct app_option *o)
{
    char left[64];
    const char *argument = o->argument ? o->argument : "";

    if (o->letter)
        snprintf(left, sizeof left, "-%c, --%s %s", o->letter, o->name, argument);
    else
        snprintf(left, sizeof left, "    --%s %s", o->name, argument);
    app_say("  %-24s %s\n", left, o->help);
}

static void print_setting(const struct app_key *key)
{
    app_say("  %-14s %s\n", key->name, key->meaning);
    app_say("  %-14s %s; default: %s\n", "", key->values, key->standard);
}

static void print_help(const struct app_command *command)
{
    const struct app_option *o;

    app_say("usage: ckg %s %s\n\n%s\n", command->name, command->work->usage, command->title);
    if (command->work->traits & APP_TAKES_STUDY)
        app_say("\nSTUDY is a problem file, a store such as spring.db, or --store URL --study NAME.\n");
    if (command->work->about)
        app_say("\n%s\n", command->work->about);

    app_say("\noptions:\n");
    for (int i = 0; (o = app_option_at(command, i)); i++)
        print_option(o);
    if (command->work->traits & APP_HAS_MODEL) {
        app_say("\nsettings of the models, in a problem file `model: {NAME: VALUE, …}`:\n");
        app_settings_each(print_setting);
    }
}

/* --- reading --- */

int app_wrong(const struct app_arguments *a, const char *format, ...)
{
    const char *name = a->command->name;
    char text[900];

    va_list list;

    va_start(list, format);
    vsnprintf(text, sizeof text, format, list);
    va_end(list);
    return app_fail(a->message, CKG_ERR_INVALID, "ckg %s: %s; see `ckg %s --help`", name, text, name);
}

/* Which option it is, by name (length bytes) or by letter (not 0); -1: none. */
static int find_option(const struct app_command *command, const char *name, size_t length, char letter)
{
    const struct app_option *o;

    for (int i = 0; (o = app_option_at(command, i)); i++)
        if (letter ? o->letter == letter : strlen(o->name) == length && !strncmp(o->name, name, length))
            return i;
    return -1;
}

/* There is no such option, but perhaps one that is nearly so. */
static int refuse_option(const struct app_arguments *a, const char *word)
{
    const char *name = word + strspn(word, "-");
    char typed[64];
    char hint[APP_MEANT];

    snprintf(typed, sizeof typed, "%.*s", (int)strcspn(name, "="), name);
    return app_wrong(a, "there is no option '%s'%s", word,
                     app_names_meant(APP_OPTIONS, a->command, typed, "--", hint));
}

/* Another value of the option that may be repeated. */
static int keep_repeated(struct app_arguments *a, const struct app_option *option, const char *value)
{
    if (a->repeated == APP_MAX_REPEATED)
        return app_wrong(a, "--%s is given more than %d times", option->name, APP_MAX_REPEATED);
    a->each[a->repeated++] = value;
    return CKG_OK;
}

/* NAME=VALUE, and the words behind it that are such too. *at moves on with them. */
static int keep_list(struct app_arguments *a, const struct app_option *option, const char *value, int argc,
                     char **argv, int *at)
{
    for (;;) {
        if (a->listed == APP_MAX_LISTED)
            return app_wrong(a, "--%s has more than %d values", option->name, APP_MAX_LISTED);
        a->list[a->listed++] = value;
        if (*at + 1 >= argc || argv[*at + 1][0] == '-' || !strchr(argv[*at + 1], '='))
            return CKG_OK;
        value = argv[++*at];
    }
}

/* 1 for 127.0.0.1:8080, 8080 or [::1]:8080. */
static int is_address(const char *word)
{
    return (*word >= '0' && *word <= '9') || *word == '[';
}

/* One word that begins with a dash. *at moves on when the value is the next word. */
static int read_option(struct app_arguments *a, int argc, char **argv, int *at)
{
    const char *word = argv[*at];
    const char *value = NULL;
    int index;

    /* --name, --name=value, -n or -nvalue */
    if (word[1] == '-') {
        const size_t length = strcspn(word + 2, "=");
        index = find_option(a->command, word + 2, length, 0);
        value = word[2 + length] ? word + 2 + length + 1 : NULL;
    } else {
        index = find_option(a->command, NULL, 0, word[1]);
        value = word[2] ? word + 2 : NULL;
    }
    if (index < 0)
        return refuse_option(a, word);
    assert(index < APP_MAX_OPTIONS);

    /* A value where one belongs, and none elsewhere. */
    const struct app_option *option = app_option_at(a->command, index);
    if (!option->argument && value)
        return app_wrong(a, "--%s takes no value", option->name);
    if (option->use == APP_MAYBE && !value && (*at + 1 >= argc || !is_address(argv[*at + 1])))
        value = "";
    if (option->argument && !value && *at + 1 >= argc)
        return app_wrong(a, "--%s needs a value", option->name);
    if (option->argument && !value)
        value = argv[++*at];

    if (a->value[index] && option->use != APP_REPEATED)
        return app_wrong(a, "--%s is given twice", option->name);
    a->value[index] = option->argument ? value : "";
    if (option->use == APP_LIST)
        return keep_list(a, option, value, argc, argv, at);
    return option->use == APP_REPEATED ? keep_repeated(a, option, value) : CKG_OK;
}

/* One of --model, NAME=VALUE, into the definition. */
static int apply_model(const struct app_arguments *a, const char *word, struct app_definition *d)
{
    const size_t length = strcspn(word, "=");
    char name[64];

    if (!word[length] || length >= sizeof name)
        return app_wrong(a, "--model takes NAME=VALUE, not '%s'", word);
    snprintf(name, sizeof name, "%.*s", (int)length, word);
    return app_model_set(d, name, word + length + 1) ? app_wrong(a, "--model: %s", ckg_error_message())
                                                     : CKG_OK;
}

int app_models_apply(const struct app_arguments *a, struct app_definition *d)
{
    int status = CKG_OK;

    for (int i = 0; !status && i < a->repeated; i++)
        status = apply_model(a, a->each[i], d);
    return status;
}

/* The settings make sense, and each is given once. */
static int check_models(const struct app_arguments *a)
{
    struct app_definition unused = {0};
    const int status = app_models_apply(a, &unused);

    app_definition_free(&unused);
    for (int i = 0; !status && i < a->repeated; i++)
        for (int k = 0; k < i; k++) {
            const size_t length = strcspn(a->each[i], "=") + 1;
            if (!strncmp(a->each[i], a->each[k], length))
                return app_wrong(a, "--model %.*s is given twice", (int)length - 1, a->each[i]);
        }
    return status;
}

/* Which study it is: a problem file, a store, or a name in a store. */
static int read_place(struct app_arguments *a)
{
    a->place.store = app_option(a, "store");
    a->place.name = app_option(a, "study");
    if (a->place.name && a->place.store)
        return CKG_OK;

    if (!a->count && a->place.name)
        return app_wrong(a, "--study needs --store, or a store in the place of STUDY");
    if (!a->count)
        return app_wrong(a, "which study? Give a problem file, a store, or --store URL --study NAME");

    struct app_message why;
    if (app_study_address_take(&a->place, a->rest[0], &why))
        return app_wrong(a, "%s", why.text);
    a->rest++;
    a->count--;
    return CKG_OK;
}

/* What the row asks for is there, and nothing that it does not know. */
static int check_complete(const struct app_arguments *a)
{
    const struct app_option *o;

    if (a->count > a->command->work->words)
        return app_wrong(a, "unexpected argument '%s'", a->rest[a->command->work->words]);
    for (int i = 0; (o = app_option_at(a->command, i)); i++)
        if (o->use == APP_NEEDED && !a->value[i])
            return app_wrong(a, "--%s %s is missing", o->name, o->argument);
    return CKG_OK;
}

int app_arguments_read(struct app_arguments *a, const struct app_command *command, int argc, char **argv,
                       struct app_message *message)
{
    int status = CKG_OK;
    int options_over = 0;

    /* Options and words; what follows -- is words. */
    *a = (struct app_arguments){.command = command, .rest = argv, .message = message};
    for (int i = 0; !status && i < argc; i++) {
        if (options_over || argv[i][0] != '-' || !argv[i][1])
            a->rest[a->count++] = argv[i];
        else if (!strcmp(argv[i], "--"))
            options_over = 1;
        else
            status = read_option(a, argc, argv, &i);
    }
    if (status)
        return status;

    if (app_option(a, "help")) {
        print_help(command);
        a->command = NULL;
        return CKG_OK;
    }

    /* What they mean. */
    a->quiet = app_option(a, "quiet") != NULL;
    a->json = app_option(a, "json") != NULL;
    status = app_option_integer(a, "threads", 0, 256, 0, &a->threads);
    if (!status && command->work->traits & APP_HAS_MODEL)
        status = check_models(a);
    if (!status && command->work->traits & APP_TAKES_STUDY)
        status = read_place(a);
    return status ? status : check_complete(a);
}

/* --- values --- */

const char *app_option(const struct app_arguments *a, const char *name)
{
    const int index = find_option(a->command, name, strlen(name), 0);

    return index < 0 ? NULL : a->value[index];
}

int app_option_integer(const struct app_arguments *a, const char *name, int low, int high, int otherwise,
                       int *out)
{
    const char *text = app_option(a, name);
    char *stop;

    *out = otherwise;
    if (!text)
        return CKG_OK;

    const long value = strtol(text, &stop, 10);
    if (stop == text || *stop || value < low || value > high)
        return app_wrong(a, "--%s must be an integer from %d to %d, not '%s'", name, low, high, text);
    *out = (int)value;
    return CKG_OK;
}

int app_option_number(const struct app_arguments *a, const char *name, double *out)
{
    const char *text = app_option(a, name);
    char *stop;

    if (!text)
        return CKG_OK;
    *out = strtod(text, &stop);
    return stop == text || *stop ? app_wrong(a, "--%s must be a number, not '%s'", name, text) : CKG_OK;
}
