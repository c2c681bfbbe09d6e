/* Placeholders replaced, words quoted; variables named. */
#include "evaluate/command_line.h"

#include <stdlib.h>
#include <string.h>

#include <unistd.h>

#include "definition/substitute.h"

extern char **environ;

/* --- words --- */

/* The word with its values; the program of a command that has a folder of its own, as seen from there. */
static char *expand_word(struct app_pool *pool, const struct app_definition *d, const char *word,
                         const double *x, const char *folder)
{
    struct app_text text = {0};
    char *out = NULL;

    app_substitute_word(d, word, x, &text);
    if (!text.failed && folder && d->evaluate.workspace.used && text.data[0] != '/' &&
        strchr(text.data, '/')) {
        char *real = realpath(folder, NULL);
        out = app_pool_print(pool, "%s/%s", real ? real : folder, text.data);
        free(real);
    } else if (!text.failed)
        out = app_pool_copy(pool, text.data);
    app_text_free(&text);
    return out;
}

/* The words of one command, the last NULL. */
static char **expand(struct app_pool *pool, const struct app_definition *d, int count, char *const *command,
                     const char *folder, const double *x)
{
    char **words = app_pool_new(pool, (size_t)count + 1, sizeof *words);

    for (int i = 0; words && i < count; i++) {
        words[i] = expand_word(pool, d, command[i], x, i ? NULL : folder);
        if (!words[i])
            return NULL;
    }
    return words;
}

/* SHELL -c SCRIPT NAME WORDS…; takes the script. */
static char **call_shell(struct app_pool *pool, const char *shell, struct app_text *script,
                         char *const *words)
{
    enum { SHELL_WORDS = 4 };
    size_t count = 0;

    while (words && words[count])
        count++;
    char **out = app_pool_new(pool, SHELL_WORDS + count + 1, sizeof *out);
    if (out) {
        out[0] = app_pool_copy(pool, shell);
        out[1] = app_pool_copy(pool, "-c");
        out[2] = script->failed ? NULL : app_pool_copy(pool, script->data);
        out[3] = app_pool_copy(pool, strrchr(shell, '/') + 1);
        for (size_t i = 0; i < count; i++)
            out[SHELL_WORDS + i] = words[i];
    }
    app_text_free(script);
    return out && out[0] && out[1] && out[2] && out[3] ? out : NULL;
}

/* --- commands of single outcomes --- */

/* What the part measures of what is wanted; 0: nothing. */
static int find_share(const struct app_definition *d, const struct app_part *part,
                      const struct app_wants *wants, struct app_wants *share)
{
    const int group = ckg_problem_group(d->problem, part->outcome);
    int count = 0;

    *share = (struct app_wants){.given = 1};
    for (int j = 0; j <= app_constraints(d); j++) {
        const int ours = j == part->outcome || (group >= 0 && ckg_problem_group(d->problem, j) == group);
        share->has[j] = ours && (!wants || !wants->given || wants->has[j]);
        count += share->has[j];
    }
    return count;
}

/*
 * A line of the script: the part's command on the design, or the script ends with its status. By env, so that
 * no name is one of the shell's own.
 */
static void add_line(const struct app_definition *d, const struct app_wants *share, char *const *words,
                     struct app_text *out)
{
    struct app_text names = {0};

    app_wants_words(d, share, &names);
    app_text_print(out, "printf '%%s\\n' \"$design\" | env CKG_MEASURE=");
    app_word_quote(out, names.data ? names.data : "");
    for (; *words; words++) {
        app_text_add(out, " ", 1);
        app_word_quote(out, *words);
    }
    app_text_print(out, " || exit\n");
    out->failed |= names.failed;
    app_text_free(&names);
}

/* The commands of the parts that are wanted, one after another, with a line of its own between two answers.
 */
static char **run_parts(struct app_pool *pool, const struct app_definition *d, const char *folder,
                        const struct app_wants *wants, const double *x)
{
    struct app_text script = {0};
    int begun = 0;

    app_text_print(&script, "design=$(cat)\n");
    for (int i = 0; i < d->evaluate.part_count; i++) {
        const struct app_part *part = &d->evaluate.parts[i];
        struct app_wants share;
        if (!find_share(d, part, wants, &share))
            continue;
        char **words = expand(pool, d, part->count, part->command, folder, x);
        if (begun++)
            app_text_print(&script, "printf '\\n\\036\\n'\n");
        if (words)
            add_line(d, &share, words, &script);
        script.failed |= !words;
    }
    return call_shell(pool, "/bin/sh", &script, NULL);
}

/* --- all of it --- */

char **app_command_line(struct app_pool *pool, const struct app_definition *d, const char *folder,
                        const struct app_wants *wants, const double *x)
{
    return d->evaluate.part_count ? run_parts(pool, d, folder, wants, x)
                                  : expand(pool, d, d->evaluate.count, d->evaluate.command, folder, x);
}

void app_before_write(const struct app_definition *d, struct app_text *out)
{
    /* What they print is no answer. */
    app_text_print(out, "before() {\n");
    for (int i = 0; i < d->evaluate.before.count; i++)
        app_text_print(out, "{ %s\n} >&2 || return\n", d->evaluate.before.word[i]);
    app_text_print(out, "}\n");
}

char **app_command_line_after(struct app_pool *pool, const struct app_definition *d, char **words)
{
    struct app_text script = {0};

    if (!d->evaluate.before.count || !words)
        return words;
    app_before_write(d, &script);
    app_text_print(&script, "before || exit\nexec \"$@\"\n");
    return call_shell(pool, "/bin/bash", &script, words);
}

void app_word_quote(struct app_text *out, const char *word)
{
    app_text_add(out, "'", 1);
    for (; *word; word++)
        app_text_add(out, *word == '\'' ? "'\\''" : word, *word == '\'' ? 4 : 1);
    app_text_add(out, "'", 1);
}

/* --- environment --- */

/* 1 where both entries are the same variable. */
static int is_same(const char *entry, const char *other)
{
    return !strncmp(entry, other, strcspn(other, "=") + 1);
}

char **app_environment_make(struct app_pool *pool, const struct app_definition *d, int trial,
                            const char *worker, const struct app_wants *wants)
{
    static const struct app_wants everything;
    const struct app_evaluate *e = &d->evaluate;
    struct app_text measure = {0};
    size_t count = 0;
    int own = 0;

    /* Room for all. */
    while (environ[count])
        count++;
    char **out = app_pool_new(pool, count + (size_t)e->environment.count + 5, sizeof *out);
    if (!out)
        return NULL;

    /* Our own, then the problem file's. */
    out[own++] = app_pool_print(pool, "CKG_STUDY=%s", d->name);
    out[own++] = app_pool_print(pool, "CKG_TRIAL=%d", trial);
    out[own++] = app_pool_print(pool, "CKG_WORKER=%s", worker);
    for (int i = 0; i < e->environment.count; i++)
        out[own++] = app_pool_print(pool, "%s=%s", e->environment.pair[i].name, e->environment.pair[i].value);
    if (ckg_problem_separate(d->problem) == 1) {
        app_wants_words(d, wants ? wants : &everything, &measure);
        out[own++] = measure.failed
                         ? NULL
                         : app_pool_print(pool, "CKG_MEASURE=%s", measure.data ? measure.data : "");
        app_text_free(&measure);
    }
    for (int i = 0; i < own; i++)
        if (!out[i])
            return NULL;

    /* All others of the process. */
    for (size_t i = 0, at = (size_t)own; i < count; i++) {
        int ours = is_same(environ[i], "CKG_MEASURE=");
        for (int k = 0; k < own; k++)
            ours |= is_same(environ[i], out[k]);
        if (!ours)
            out[at++] = environ[i];
    }
    return out;
}
