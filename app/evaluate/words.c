/* Placeholders replaced, words quoted. */
#include "evaluate/words.h"

#include <stdlib.h>
#include <string.h>

#include "definition/placeholder.h"

char *app_word_expand(const struct app_definition *d, const char *word, const double *x)
{
    struct app_text out = {0};

    app_text_add(&out, "", 0);
    while (*word) {
        const struct app_placeholder p = app_placeholder_at(d, word);

        if (p.length && p.parameter >= 0)
            app_design_write_text(d, p.parameter, x[p.parameter], &out);
        else if (p.carried)
            app_text_print(&out, "%s",
                           app_carried_text(d, p.carried - 1, x) ? app_carried_text(d, p.carried - 1, x)
                                                                 : "");
        else
            app_text_add(&out, p.length ? p.text : word, p.length ? p.text_length : 1);
        word += p.length ? p.length : 1;
    }
    if (out.failed)
        app_text_free(&out);
    return out.data;
}

void app_words_free(char **words)
{
    for (char **word = words; word && *word; word++)
        free(*word);
    free(words);
}

/* The program seen from elsewhere, where the command has a folder of its own. */
static char *find_from_elsewhere(const struct app_definition *d, const char *folder, char *program)
{
    struct app_text path = {0};

    if (!program || !d->evaluate.workspace.used || program[0] == '/' || !strchr(program, '/'))
        return program;
    char *real = realpath(folder, NULL);
    app_text_print(&path, "%s/%s", real ? real : folder, program);
    free(real);
    free(program);
    if (path.failed)
        app_text_free(&path);
    return path.data;
}

/* The words of one command, the last NULL. */
static char **expand(const struct app_definition *d, int count, char *const *command, const char *folder,
                     const double *x)
{
    char **words = calloc((size_t)count + 1, sizeof *words);

    for (int i = 0; words && i < count; i++) {
        words[i] = app_word_expand(d, command[i], x);
        if (!i)
            words[i] = find_from_elsewhere(d, folder, words[i]);
        if (!words[i]) {
            app_words_free(words);
            return NULL;
        }
    }
    return words;
}

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
static void add_parts(const struct app_definition *d, const char *folder, const struct app_wants *wants,
                      const double *x, struct app_text *out)
{
    int begun = 0;

    app_text_print(out, "design=$(cat)\n");
    for (int i = 0; i < d->evaluate.part_count; i++) {
        const struct app_part *part = &d->evaluate.parts[i];
        struct app_wants share;
        if (!find_share(d, part, wants, &share))
            continue;
        char **words = expand(d, part->count, part->command, folder, x);
        if (begun++)
            app_text_print(out, "printf '\\n\\036\\n'\n");
        if (words)
            add_line(d, &share, words, out);
        out->failed |= !words;
        app_words_free(words);
    }
}

/* sh -c SCRIPT sh */
static char **make_script(const struct app_definition *d, const char *folder, const struct app_wants *wants,
                          const double *x)
{
    struct app_text script = {0};
    char **out = calloc(5, sizeof *out);

    add_parts(d, folder, wants, x, &script);
    if (out && !script.failed) {
        out[0] = app_copy("/bin/sh");
        out[1] = app_copy("-c");
        out[2] = script.data;
        out[3] = app_copy("sh");
        if (out[0] && out[1] && out[3])
            return out;
        free(out[0]);
        free(out[1]);
        free(out[3]);
    }
    app_text_free(&script);
    free(out);
    return NULL;
}

char **app_words_make(const struct app_definition *d, const char *folder, const struct app_wants *wants,
                      const double *x)
{
    return d->evaluate.part_count ? make_script(d, folder, wants, x)
                                  : expand(d, d->evaluate.count, d->evaluate.command, folder, x);
}

void app_before_write(const struct app_definition *d, struct app_text *out)
{
    /* What they print is no answer. */
    app_text_print(out, "before() {\n");
    for (int i = 0; i < d->evaluate.before_count; i++)
        app_text_print(out, "{ %s\n} >&2 || return\n", d->evaluate.before[i]);
    app_text_print(out, "}\n");
}

char **app_words_wrap(const struct app_definition *d, char **words)
{
    enum { SHELL_WORDS = 4 };
    struct app_text script = {0};
    size_t count = 0;

    if (!d->evaluate.before_count || !words)
        return words;
    while (words[count])
        count++;
    app_before_write(d, &script);
    app_text_print(&script, "before || exit\nexec \"$@\"\n");

    /* bash -c SCRIPT bash WORDS… */
    char **out = calloc(count + SHELL_WORDS + 1, sizeof *out);
    if (out && !script.failed) {
        out[0] = app_copy("/bin/bash");
        out[1] = app_copy("-c");
        out[2] = script.data;
        out[3] = app_copy("bash");
        if (out[0] && out[1] && out[3]) {
            memcpy(out + SHELL_WORDS, words, count * sizeof *words);
            free(words);
            return out;
        }
        free(out[0]);
        free(out[1]);
        free(out[3]);
    }
    app_text_free(&script);
    free(out);
    app_words_free(words);
    return NULL;
}

void app_word_quote(struct app_text *out, const char *word)
{
    app_text_add(out, "'", 1);
    for (; *word; word++)
        app_text_add(out, *word == '\'' ? "'\\''" : word, *word == '\'' ? 4 : 1);
    app_text_add(out, "'", 1);
}
