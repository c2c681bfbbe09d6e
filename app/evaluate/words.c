/* Placeholders replaced, words quoted. */
#include "evaluate/words.h"

#include <stdlib.h>

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

char **app_words_make(const struct app_definition *d, const double *x)
{
    char **words = calloc((size_t)d->evaluate.count + 1, sizeof *words);

    for (int i = 0; words && i < d->evaluate.count; i++) {
        words[i] = app_word_expand(d, d->evaluate.command[i], x);
        if (!words[i]) {
            app_words_free(words);
            return NULL;
        }
    }
    return words;
}

void app_word_quote(struct app_text *out, const char *word)
{
    app_text_add(out, "'", 1);
    for (; *word; word++)
        app_text_add(out, *word == '\'' ? "'\\''" : word, *word == '\'' ? 4 : 1);
    app_text_add(out, "'", 1);
}
