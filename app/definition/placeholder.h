/*
 * Words of the command in which values stand: {radius} becomes the parameter's value, {{radius}} the text
 * {radius}. Any other brace is only a brace, so that scripts in an argument stay as they are.
 */
#ifndef CKG_APP_PLACEHOLDER_H
#define CKG_APP_PLACEHOLDER_H

#include "definition/definition.h"

/* What begins at a place of a word. */
struct app_placeholder {
    size_t length;    /* 0: no placeholder */
    int parameter;    /* -1: it stands for text */
    int carried;      /* 1 + the column of the list of designs whose text it stands for, 0: none */
    const char *text; /* (text_length) borrowed from the word or the definition */
    size_t text_length;
};

struct app_placeholder app_placeholder_at(const struct app_definition *definition, const char *word);

/*
 * The first {name} of the word that is neither a parameter nor part of a script, as far as one can tell: a
 * plain name, with no $ before it. Its length without the braces; 0: there is none. *name points into the
 * word.
 */
size_t app_placeholder_stray(const struct app_definition *definition, const char *word, const char **name);

#endif
