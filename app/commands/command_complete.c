/*
 * ckg complete -- WORD…: what the last of the words of a line may become, one candidate a line: commands,
 * options, and the values that options and words take, those of the study's own file and store included. The
 * scripts of `ckg completion` ask it. It never complains: what it does not know are files.
 */
#include <stdio.h>
#include <string.h>

#include "commands/names.h"

/* The line so far. */
struct line {
    const struct app_command *command;
    int count;
    char **word;      /* (count) behind the command; the last is being typed */
    const char *file; /* the study's problem file, NULL: none yet */
    int place;        /* how many words that are no options stand before the last, the study not counted */
};

/* --- candidates --- */

/* With what the typed word has before its last comma, for lists. */
static void offer(const struct line *l, const char *candidate, const char *behind)
{
    const char *typed = l->word[l->count - 1];
    const char *equals = typed[0] == '-' && typed[1] == '-' ? strchr(typed, '=') : NULL;
    const char *comma = strrchr(typed, ',');
    const char *keep = comma ? comma + 1 : equals ? equals + 1 : typed;

    printf("%.*s%s%s\n", (int)(keep - typed), typed, candidate, behind);
}

/* All names of a list; those of a study are in its problem file. */
static void offer_names(const struct line *l, enum app_names list, const char *behind)
{
    const int of_study = list == APP_PARAMETERS || list == APP_OUTCOMES;
    struct app_definition d = {0};
    struct app_message unheard;
    const char *name;

    if (of_study && (!l->file || app_definition_read(&d, l->file, &unheard)))
        return;
    for (int i = 0; (name = app_name_at(list, &d, i)); i++)
        offer(l, name, behind);
    if (of_study)
        app_definition_free(&d);
}

/* NAME=, and once a name is typed its words. */
static void offer_settings(const struct line *l)
{
    const char *typed = l->word[l->count - 1];
    ckg_option_info info;

    for (int i = 0; !ckg_option_at(i, &info); i++) {
        const size_t length = strlen(info.name);
        if (strncmp(typed, info.name, length) || typed[length] != '=')
            offer(l, info.name, "=");
        for (int k = 0; !strncmp(typed, info.name, length) && typed[length] == '=' && k < info.count; k++)
            if (*info.words[k])
                printf("%s=%s\n", info.name, info.words[k]);
    }
}

/* Whether a command may be given a trial in that state. */
static int wants(const char *command, enum app_state state)
{
    if (!strcmp(command, "tell"))
        return state == APP_PENDING || state == APP_RUNNING;
    if (!strcmp(command, "retry"))
        return state == APP_COMPLETE || state == APP_FAILED_TRIAL || state == APP_DISCARDED;
    return 1;
}

static void offer_trials(const struct line *l)
{
    const struct app_study_address place = {.file = l->file};
    struct app_message unheard;
    struct app_study n;

    if (!l->file || app_study_open(&n, &place, APP_COMPARE, &unheard))
        return;
    for (int i = 0; i < n.count; i++)
        if (wants(l->command->name, n.trials[i].state))
            printf("%d\n", n.trials[i].number);
    app_study_close(&n);
}

static void offer_options(const struct line *l)
{
    const struct app_option *o;

    for (int i = 0; (o = app_option_at(l->command, i)); i++)
        printf("--%s\n", o->name);
}

/* --- what the last word is --- */

/* The option that a word names, NULL: none. */
static const struct app_option *option_of(const struct app_command *c, const char *word)
{
    const struct app_option *o;
    const size_t length = strcspn(word + (word[0] == '-') + (word[0] == '-' && word[1] == '-'), "=");

    for (int i = 0; word[0] == '-' && word[1] && (o = app_option_at(c, i)); i++) {
        if (word[1] == '-' && strlen(o->name) == length && !strncmp(o->name, word + 2, length))
            return o;
        if (word[1] != '-' && o->letter == word[1])
            return o;
    }
    return NULL;
}

/* What words may become: the values of an option, or words that are none, of any command or of one. */
static const struct source {
    const char *command, *option;
    enum app_names list;
    const char *behind;
} sources[] = {
    {NULL, "policy", APP_POLICIES, ""},   {NULL, "problem", APP_PROBLEMS, ""},
    {NULL, "kind", APP_FIGURES, ""},      {NULL, "x", APP_PARAMETERS, ""},
    {NULL, "y", APP_PARAMETERS, ""},      {"ask", "at", APP_PARAMETERS, "="},
    {"tell", "at", APP_PARAMETERS, "="},  {NULL, "limit", APP_OUTCOMES, "="},
    {"ask", NULL, APP_PARAMETERS, "="},   {"tell", NULL, APP_OUTCOMES, "="},
    {"policies", NULL, APP_POLICIES, ""}, {"problems", NULL, APP_PROBLEMS, ""},
    {"manual", NULL, APP_COMMANDS, ""},
};

static void offer_from(const struct line *l, const char *option)
{
    for (size_t i = 0; i < sizeof sources / sizeof *sources; i++) {
        const struct source *s = &sources[i];
        const int same_option = option && s->option ? !strcmp(s->option, option) : !option && !s->option;

        if (same_option && (!s->command || !strcmp(s->command, l->command->name)))
            offer_names(l, s->list, s->behind);
    }
}

/* A word that is no option, by the command and its place. */
static void offer_word(const struct line *l)
{
    const char *name = l->command->name;
    const int first = l->place == 0 && (!strcmp(name, "trials") || !strcmp(name, "tell"));

    if (first || !strcmp(name, "discard") || !strcmp(name, "retry"))
        offer_trials(l);
    else if (!strcmp(name, "completion"))
        printf("bash\nfish\nzsh\n");
    else
        offer_from(l, NULL);
}

/* Walks over the words before the last: options with their values, the study, other words. */
static void read_line(struct line *l)
{
    const int studies = l->command->work->traits & APP_TAKES_STUDY;

    for (int i = 0; i + 1 < l->count; i++) {
        const struct app_option *o = option_of(l->command, l->word[i]);
        if (o && o->argument && !strchr(l->word[i], '='))
            i++;
        else if (l->word[i][0] == '-')
            continue;
        else if (studies && !l->file)
            l->file = l->word[i];
        else
            l->place++;
    }
}

static int run(const struct app_arguments *a)
{
    struct line l = {.count = a->count - 1, .word = a->rest + 1};

    /* The command itself. */
    if (a->count < 2) {
        l = (struct line){.count = 1, .word = a->count ? a->rest : (char *[]){""}};
        offer_names(&l, APP_COMMANDS, "");
        return CKG_OK;
    }
    l.command = app_command_named(a->rest[0]);
    if (!l.command)
        return CKG_OK;

    /* What it takes there. */
    read_line(&l);
    const char *typed = l.word[l.count - 1];
    const struct app_option *before = l.count > 1 ? option_of(l.command, l.word[l.count - 2]) : NULL;
    const struct app_option *option = strchr(typed, '=') ? option_of(l.command, typed) : NULL;
    if (!option && before && before->argument && !strchr(l.word[l.count - 2], '='))
        option = before;
    if (option && !strcmp(option->name, "model"))
        offer_settings(&l);
    else if (option)
        offer_from(&l, option->name);
    else if (typed[0] == '-')
        offer_options(&l);
    else
        offer_word(&l);
    return CKG_OK;
}

const struct app_work app_command_complete = {
    .usage = "-- WORD…",
    .about = "What the last word may become, one candidate a line. The scripts of `ckg completion` ask it.",
    .traits = APP_HIDDEN,
    .words = APP_ANY_WORDS,
    .run = run,
};
