/*
 * Filling a struct of the caller's that may be of another version: a program that was compiled with an older
 * header has a shorter one, with a newer header a longer one.
 */
#ifndef CKG_BASE_SIZED_H
#define CKG_BASE_SIZED_H

#include <stddef.h>
#include <string.h>

/* The caller's `size` bytes at `out` become the `known` bytes at `from`, cut off or followed by zeros. */
static inline void ckg__fill_sized(void *out, size_t size, const void *from, size_t known)
{
    memcpy(out, from, size < known ? size : known);
    if (size > known)
        memset((char *)out + known, 0, size - known);
}

#endif
