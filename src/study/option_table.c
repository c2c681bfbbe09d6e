/*
 * The options of models and search in one table: what each may be, in words or numbers. Whoever checks, sets,
 * prints or documents them reads it there.
 */
#include <assert.h>
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/sized.h"
#include "study/study.h"

/* How the option is kept in ckg_options. */
enum kind {
    WORD,   /* const char *: one of the words; NULL where the first is empty */
    FLAG,   /* int: what the word means */
    WHOLE,  /* int: a number */
    NUMBER, /* double: a number; NAN for the word, where there is one */
};

struct row {
    ckg_option_info info;
    enum kind kind;
    size_t offset;
    const int *meaning; /* (count) of a flag's words */
};

/* In the order of enum ckg__kernel, then the data's choice. */
static const char *const kernels[] = {CKG__KERNEL_NAMES, "auto"};
_Static_assert(sizeof kernels / sizeof *kernels == CKG__KERNELS + 1, "every kernel has its word");

/* In the order of enum ckg__fit_method. */
static const char *const fits[] = {"ml", "map", "sample", "auto"};

/* Of words that mean the same, the last is what it is read back as. */
static const char *const warps[] = {"false", "true", "auto"};
static const int warp_meaning[] = {0, 1, 1};

static const char *const automatic[] = {"auto"};
static const char *const presets[] = {"default", "paper"};

#define POLICY_NAME(name) #name,
static const char *const policies[] = {"", CKG__POLICY_LIST(POLICY_NAME)};
#undef POLICY_NAME

#define WORDS(list) .count = (int)(sizeof list / sizeof *list), .words = list
#define AT(member) .offset = offsetof(ckg_options, member)

static const struct row rows[] = {
    {{.name = "kernel", WORDS(kernels), .help = "how smooth outcomes are; auto: as the data say, for each"},
     .kind = WORD,
     AT(kernel)},
    {{.name = "fit",
      WORDS(fits),
      .help = "the likeliest hyperparameters (ml), with a prior (map), or samples of them; auto: "
              "sample under noise, else map"},
     .kind = WORD,
     AT(fit)},
    {{.name = "samples",
      .number = 1,
      .integer = 1,
      .low = 1,
      .high = CKG__MAX_SAMPLES,
      .help = "hyperparameter samples to average over"},
     .kind = WHOLE,
     AT(samples)},
    {{.name = "warp",
      WORDS(warps),
      .help = "may an outcome be modelled on another scale; auto: as the data say"},
     .kind = FLAG,
     AT(warp),
     .meaning = warp_meaning},
    {{.name = "penalty",
      WORDS(automatic),
      .number = 1,
      .low = -1e150,
      .high = 1e150,
      .help = "M, what an infeasible design is worth in the objective's units"},
     .kind = NUMBER,
     AT(penalty)},
    {{.name = "preset", WORDS(presets), .help = "paper: the settings of the paper's authors"},
     .kind = WORD,
     AT(preset)},
    {{.name = "time_limit",
      .number = 1,
      .high = 1e9,
      .help = "seconds for a suggestion, which then depends on the machine; 0: no limit"},
     .kind = NUMBER,
     AT(time_limit)},
    {{.name = "final_policy",
      WORDS(policies),
      .help = "chooses the last design of the budget; empty: the policy"},
     .kind = WORD,
     AT(final_policy)},
};

enum { ROWS = sizeof rows / sizeof *rows };

/* --- the list --- */

int ckg_option_count(void)
{
    return ROWS;
}

int ckg_option_at_sized(int index, ckg_option_info *out, size_t size)
{
    ckg__error_clear();
    if (!out)
        return ckg__fail(CKG_ERR_INVALID, "ckg_option_at: out is NULL");
    if (index < 0 || index >= ROWS)
        return ckg__fail(CKG_ERR_NOT_FOUND, "there is no option number %d", index);
    ckg__fill_sized(out, size, &rows[index].info, sizeof rows[index].info);
    return CKG_OK;
}

/* Adds to the text (size), which stays cut off once it is full. */
static void add(char *text, size_t size, const char *more)
{
    const size_t length = strlen(text);

    if (length + 1 < size)
        snprintf(text + length, size - length, "%s", more);
}

const char *ckg_option_values_text(const ckg_option_info *option, char *text, size_t size)
{
    const int parts = option->count + (option->number != 0);
    char range[96];

    assert(size > 0);
    snprintf(range, sizeof range, "%s from %g to %g", option->integer ? "an integer" : "a number",
             option->low, option->high);

    /* The words in their order, an empty one described, then the range. */
    text[0] = 0;
    for (int i = 0; i < parts; i++) {
        const char *word = i < option->count ? option->words[i] : range;
        if (i)
            add(text, size, i + 1 < parts ? ", " : " or ");
        add(text, size, *word ? word : "empty");
    }
    return text;
}

/* --- by name --- */

static const struct row *find_row(const char *name)
{
    for (int i = 0; i < ROWS; i++)
        if (!strcmp(rows[i].info.name, name))
            return &rows[i];
    return NULL;
}

/* Which of the row's words it is; -1: none. */
static int find_word(const struct row *row, const char *word)
{
    for (int i = 0; i < row->info.count; i++)
        if (!strcmp(row->info.words[i], word))
            return i;
    return -1;
}

int ckg__option_word(const char *name, const char *word)
{
    const struct row *row = find_row(name);

    assert(row);
    return word ? find_word(row, word) : -1;
}

/* The status of a name that is no option's. */
static int refuse_name(const char *name)
{
    char names[256] = "";

    for (int i = 0; i < ROWS; i++) {
        add(names, sizeof names, i ? ", " : "");
        add(names, sizeof names, rows[i].info.name);
    }
    return ckg__fail(CKG_ERR_NOT_FOUND, "there is no option '%s'; choose from %s", name, names);
}

/* The status of a value that the option cannot be. */
static int refuse_value(const struct row *row, const char *value)
{
    char wanted[256];

    return ckg__fail(CKG_ERR_INVALID, "options: %s must be %s, not '%s'", row->info.name,
                     ckg_option_values_text(&row->info, wanted, sizeof wanted), value);
}

static int in_range(const struct row *row, double value)
{
    return value >= row->info.low && value <= row->info.high;
}

/* --- set --- */

/* A number that is written out: no blanks, and neither an infinity nor a NAN by name. */
static int read_number(const struct row *row, const char *text, double *out)
{
    char *stop;

    if (!row->info.number || !(isdigit((unsigned char)*text) || strchr("+-.", *text)))
        return 0;
    *out = strtod(text, &stop);
    return stop != text && !*stop && in_range(row, *out) && (!row->info.integer || *out == floor(*out));
}

/* The member of the options becomes what the text says; 0 where it cannot be that. */
static int put(const struct row *row, const char *text, ckg_options *options)
{
    void *at = (char *)options + row->offset;
    const int word = find_word(row, text);
    double number = NAN;

    if (word < 0 && !read_number(row, text, &number))
        return 0;
    switch (row->kind) {
    case WORD:
        *(const char **)at = row->info.words[word];
        break;
    case FLAG:
        *(int *)at = row->meaning[word];
        break;
    case WHOLE:
        *(int *)at = (int)number;
        break;
    case NUMBER:
        *(double *)at = number;
        break;
    }
    return 1;
}

int ckg_options_set(ckg_options *options, const char *name, const char *value)
{
    ckg__error_clear();
    if (!options || !name || !value)
        return ckg__fail(CKG_ERR_INVALID, "ckg_options_set: a NULL argument");

    const struct row *row = find_row(name);
    if (!row)
        return refuse_name(name);
    return put(row, value, options) ? CKG_OK : refuse_value(row, value);
}

/* --- read back --- */

/* A flag's word; of several with one meaning the last. NULL: no word means this. */
static const char *flag_word(const struct row *row, int value)
{
    for (int i = row->info.count - 1; i >= 0; i--)
        if (row->meaning[i] == value)
            return row->info.words[i];
    return NULL;
}

/* The member as text, into text (size), right or wrong. */
static void show(const struct row *row, const ckg_options *options, char *text, size_t size)
{
    const void *at = (const char *)options + row->offset;
    const char *word = NULL;

    switch (row->kind) {
    case WORD:
        word = *(const char *const *)at;
        snprintf(text, size, "%s", word ? word : *row->info.words[0] ? "(null)" : "");
        break;
    case FLAG:
        word = flag_word(row, *(const int *)at);
        if (word)
            snprintf(text, size, "%s", word);
        else
            snprintf(text, size, "%d", *(const int *)at);
        break;
    case WHOLE:
        snprintf(text, size, "%d", *(const int *)at);
        break;
    case NUMBER:
        if (isnan(*(const double *)at) && row->info.count)
            snprintf(text, size, "%s", row->info.words[0]);
        else
            snprintf(text, size, "%.17g", *(const double *)at);
        break;
    }
}

int ckg_options_get(const ckg_options *options, const char *name, char *text, size_t size)
{
    ckg__error_clear();
    if (!options || !name || !text || !size)
        return ckg__fail(CKG_ERR_INVALID, "ckg_options_get: a NULL argument");

    const struct row *row = find_row(name);
    if (!row)
        return refuse_name(name);
    show(row, options, text, size);
    return CKG_OK;
}

/* --- checked --- */

int ckg__options_check(const ckg_options *options)
{
    char text[128];

    for (int i = 0; i < ROWS; i++) {
        ckg_options unused;
        show(&rows[i], options, text, sizeof text);
        if (!put(&rows[i], text, &unused))
            return refuse_value(&rows[i], text);
    }
    return CKG_OK;
}
