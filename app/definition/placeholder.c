/* Values in the words of a command. */
#include "definition/placeholder.h"

#include <string.h>

/* The parameter whose name is these bytes, -1: none. */
static int find_parameter(const struct app_definition *d, const char *name, size_t length)
{
    for (int i = 0; i < app_dimension(d); i++)
        if (!strncmp(app_parameter_name(d, i), name, length) && !app_parameter_name(d, i)[length])
            return i;
    return -1;
}

/* How many bytes at `text` can be a name that needs no quotes. */
static size_t plain_length(const char *text)
{
    static const char first[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_";
    static const char all[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789-.";

    return *text && strchr(first, *text) ? strspn(text, all) : 0;
}

/* {{name}}, of a parameter or any plain one. */
static struct app_placeholder find_literal(const struct app_definition *d, const char *word)
{
    struct app_placeholder none = {.parameter = -1};
    const char *end = strncmp(word, "{{", 2) == 0 ? strstr(word, "}}") : NULL;
    const size_t length = end ? (size_t)(end - word) - 2 : 0;

    if (!length || (find_parameter(d, word + 2, length) < 0 && plain_length(word + 2) != length))
        return none;
    return (struct app_placeholder){
        .length = length + 4, .parameter = -1, .text = word + 1, .text_length = length + 2};
}

struct app_placeholder app_placeholder_at(const struct app_definition *d, const char *word)
{
    struct app_placeholder found = {.parameter = -1};

    /* Names may hold braces themselves, so each is compared whole, and first. */
    for (int i = 0; !found.length && *word == '{' && i < app_dimension(d); i++) {
        const char *name = app_parameter_name(d, i);
        const size_t length = strlen(name);
        if (!strncmp(word + 1, name, length) && word[1 + length] == '}')
            found = (struct app_placeholder){.length = length + 2, .parameter = i};
    }
    for (int i = 0; !found.length && *word == '{' && i < d->fixed_count; i++) {
        const struct app_fixed *fixed = &d->fixed[i];
        const size_t length = strlen(fixed->name);
        if (!strncmp(word + 1, fixed->name, length) && word[1 + length] == '}')
            found = (struct app_placeholder){.length = length + 2,
                                             .parameter = -1,
                                             .text = fixed->text,
                                             .text_length = strlen(fixed->text)};
    }
    for (int i = 0; !found.length && *word == '{' && i < d->carried_count; i++) {
        const size_t length = strlen(d->carried[i].name);
        if (!strncmp(word + 1, d->carried[i].name, length) && word[1 + length] == '}')
            found = (struct app_placeholder){.length = length + 2, .parameter = -1, .carried = i + 1};
    }
    if (!found.length)
        found = find_literal(d, word);
    return found;
}

size_t app_placeholder_stray(const struct app_definition *d, const char *word, const char **name)
{
    for (const char *at = word; *at;) {
        const struct app_placeholder p = app_placeholder_at(d, at);
        const size_t length = *at == '{' && !p.length ? plain_length(at + 1) : 0;

        if (length && at[1 + length] == '}' && (at == word || at[-1] != '$')) {
            *name = at + 1;
            return length;
        }
        at += p.length ? p.length : 1;
    }
    return 0;
}
