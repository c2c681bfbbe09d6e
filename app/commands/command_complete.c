/*
 * ckg complete -- WORD…: what the last of the words of a line may become, one candidate a line: commands,
 * options, and the values that options and words take, those of the study's own file and store included. The
 * scripts of `ckg completion` ask it. It never complains: what it does not know are files.
 */
#include <stdio.h>
#include <string.h>

#include "command.h"
#include "problems/problems.h"
#include "figure/figure.h"

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

static void offer_policies(const struct line *l)
{
    ckg_policy_info policy;

    for (int i = 0; !ckg_policy_at(i, &policy); i++)
        offer(l, policy.name, "");
}

static void offer_problems(const struct line *l)
{
    for (int i = 0; app_problems[i]; i++)
        offer(l, app_problems[i]->name, "");
}

static void offer_kinds(const struct line *l)
{
    for (int i = 0; app_plots[i]; i++)
        offer(l, app_plots[i]->name, "");
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

/* Names of the study's parameters (outcomes 0) or outcomes. */
static void offer_names(const struct line *l, int outcomes, const char *behind)
{
    struct app_definition d;
    struct app_message unheard;

    if (!l->file || app_definition_read(&d, l->file, &unheard))
        return;
    for (int i = 0; !outcomes && i < app_dimension(&d); i++)
        offer(l, app_parameter_name(&d, i), behind);
    for (int j = 0; outcomes && j <= app_constraints(&d); j++)
        offer(l, app_outcome_name(&d, j), behind);
    app_definition_free(&d);
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
    const struct app_study_place place = {.file = l->file};
    struct app_message unheard;
    struct app_notebook n;

    if (!l->file || app_notebook_open(&n, &place, APP_COMPARE, &unheard))
        return;
    for (int i = 0; i < n.count; i++)
        if (wants(l->command->name, n.trials[i].state))
            printf("%d\n", n.trials[i].number);
    app_notebook_close(&n);
}

static void offer_commands(const struct line *l)
{
    for (const struct app_command *c = app_commands; c->name; c++)
        if (!(c->work->traits & APP_HIDDEN))
            offer(l, c->name, "");
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

/* Values of an option, by its name. */
static void offer_values(const struct line *l, const struct app_option *o)
{
    if (!strcmp(o->name, "policy"))
        offer_policies(l);
    else if (!strcmp(o->name, "problem"))
        offer_problems(l);
    else if (!strcmp(o->name, "kind"))
        offer_kinds(l);
    else if (!strcmp(o->name, "model"))
        offer_settings(l);
    else if (!strcmp(o->name, "x") || !strcmp(o->name, "y"))
        offer_names(l, 0, "");
    else if (!strcmp(o->name, "at") && !strncmp(o->argument, "NAME", 4))
        offer_names(l, 0, "=");
    else if (!strcmp(o->name, "limit"))
        offer_names(l, 1, "=");
}

/* A word that is no option, by the command and its place. */
static void offer_word(const struct line *l)
{
    const char *name = l->command->name;
    const int trials = !strcmp(name, "trials") || !strcmp(name, "tell");

    if ((trials && l->place == 0 && l->file) || !strcmp(name, "discard") || !strcmp(name, "retry"))
        offer_trials(l);
    else if (!strcmp(name, "tell") && l->place > 0)
        offer_names(l, 1, "=");
    else if (!strcmp(name, "ask") && l->file)
        offer_names(l, 0, "=");
    else if (!strcmp(name, "policies"))
        offer_policies(l);
    else if (!strcmp(name, "problems"))
        offer_problems(l);
    else if (!strcmp(name, "completion"))
        printf("bash\nfish\nzsh\n");
    else if (!strcmp(name, "manual"))
        offer_commands(l);
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
        offer_commands(&(struct line){.count = 1, .word = a->count ? a->rest : (char *[]){""}});
        return CKG_OK;
    }
    l.command = app_command_named(a->rest[0]);
    if (!l.command)
        return CKG_OK;

    /* What it takes there. */
    read_line(&l);
    const char *typed = l.word[l.count - 1];
    const struct app_option *before = l.count > 1 ? option_of(l.command, l.word[l.count - 2]) : NULL;
    const struct app_option *here = strchr(typed, '=') ? option_of(l.command, typed) : NULL;
    if (here || (before && before->argument && !strchr(l.word[l.count - 2], '=')))
        offer_values(&l, here ? here : before);
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
