/*
 * The options that say how outcomes are modelled and designs are searched for, as text: what each may be, set
 * and read back by name. They are members of ckg_options under the same names. This is the only list: the
 * `model` of a problem file and the option --model of the program are made from it.
 */
#ifndef CKG_OPTION_H
#define CKG_OPTION_H

#include <stddef.h>

#include <ckg/study.h>

#ifdef __cplusplus
extern "C" {
#endif

/* An option, and what it may be: one of some words, a number in a range, or either. */
typedef struct ckg_option_info {
    const char *name;
    int count;
    const char *const *words; /* (count) static; one may be empty */
    int number;               /* 1: it may be a number */
    int integer;              /* 1: an integer, if it is a number */
    double low, high;         /* the range of the number, including both ends */
    const char *help;         /* one line */
} ckg_option_info;

/* How many options there are. */
CKG_API int ckg_option_count(void);

/* Option number `index`, counted from 0: ckg_option_at(index, &info). */
CKG_API int ckg_option_at_sized(int index, ckg_option_info *out, size_t size);
#define ckg_option_at(index, out) ckg_option_at_sized(index, out, sizeof(ckg_option_info))

/*
 * What it may be, in words, such as "rbf, matern52, matern32 or auto" or "auto or a number from -1 to 1".
 * Fills text (size), cut off if it does not fit, and returns it.
 */
CKG_API const char *ckg_option_values_text(const ckg_option_info *option, char *text, size_t size);

/*
 * Sets the option of that name to what the text says: a word, or a number written out. Strings that come into
 * *options this way are static. CKG_ERR_NOT_FOUND if there is no such option, CKG_ERR_INVALID if it cannot be
 * that; *options is as before then.
 */
CKG_API int ckg_options_set(ckg_options *options, const char *name, const char *value);

/* The value of the option of that name as ckg_options_set takes it, into text (size), cut off if too long. */
CKG_API int ckg_options_get(const ckg_options *options, const char *name, char *text, size_t size);

#ifdef __cplusplus
}
#endif
#endif
