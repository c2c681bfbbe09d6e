/* Did you mean: the nearest of the names, by the slips that fingers make. */
#include "base/meant.h"

#include <ctype.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

static size_t least(size_t a, size_t b, size_t c)
{
    return a < b ? (a < c ? a : c) : b < c ? b : c;
}

static int same_letter(char a, char b)
{
    return tolower((unsigned char)a) == tolower((unsigned char)b);
}

/*
 * How many letters must be changed, added, left out or swapped with their neighbour to make one word of the
 * other, whatever their case (Damerau's distance where no letter is touched twice). Words of over 31 bytes
 * are as far as can be.
 */
static size_t distance(const char *a, const char *b)
{
    enum { LONGEST = 31 };
    const size_t n = strlen(a);
    const size_t m = strlen(b);
    size_t row[3][LONGEST + 1];
    if (n > LONGEST || m > LONGEST)
        return SIZE_MAX;
    for (size_t j = 0; j <= m; j++)
        row[0][j] = j;
    for (size_t i = 1; i <= n; i++) {
        size_t *now = row[i % 3];
        size_t *before = row[(i + 2) % 3];
        size_t *earlier = row[(i + 1) % 3];
        now[0] = i;
        for (size_t j = 1; j <= m; j++) {
            const int swapped = i > 1 && j > 1 && same_letter(a[i - 1], b[j - 2]) &&
                                same_letter(a[i - 2], b[j - 1]);
            now[j] = least(now[j - 1] + 1, before[j] + 1, before[j - 1] + !same_letter(a[i - 1], b[j - 1]));
            if (swapped && earlier[j - 2] + 1 < now[j])
                now[j] = earlier[j - 2] + 1;
        }
    }
    return row[n % 3][m];
}

const char *app_meant(const char *word, int count, const char *const *names)
{
    const char *best = NULL;
    size_t nearest = strlen(word) > 4 ? 3 : 2;

    for (int i = 0; i < count; i++)
        if (distance(word, names[i]) < nearest) {
            nearest = distance(word, names[i]);
            best = names[i];
        }
    return best;
}

const char *app_meant_text(const char *word, const char *mark, int count, const char *const *names,
                           char out[APP_MEANT])
{
    const char *meant = app_meant(word, count, names);

    out[0] = 0;
    if (meant)
        snprintf(out, APP_MEANT, " (did you mean %s%s?)", mark, meant);
    return out;
}
