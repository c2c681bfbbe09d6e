/* Placeholders replaced, words quoted. */
#include "evaluate/words.h"

#include <stdlib.h>
#include <string.h>

#include "define/placeholder.h"

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

char **app_words_make(const struct app_definition *d, const char *folder, const double *x)
{
    char **words = calloc((size_t)d->evaluate.count + 1, sizeof *words);

    for (int i = 0; words && i < d->evaluate.count; i++) {
        words[i] = app_word_expand(d, d->evaluate.command[i], x);
        if (!i)
            words[i] = find_from_elsewhere(d, folder, words[i]);
        if (!words[i]) {
            app_words_free(words);
            return NULL;
        }
    }
    return words;
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
