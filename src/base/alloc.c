/*
 * Checked, aligned allocation on top of aligned_alloc. C has no aligned realloc, so that resizing copies.
 */
#include "base/alloc.h"

#include "base/error.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { ALIGNMENT = 64 };

static int (*allocation_hook)(size_t bytes, void *context);
static void *allocation_context;

void ckg__alloc_set_hook(int (*hook)(size_t bytes, void *context), void *context)
{
    allocation_hook = hook;
    allocation_context = context;
}

/* The bytes of count*size rounded up to a multiple of the alignment, at least one; 0 when that overflows. */
static size_t rounded_bytes(size_t count, size_t size)
{
    size_t bytes;

    if (size > 0 && count > (SIZE_MAX - ALIGNMENT) / size)
        return 0;
    bytes = count * size;
    return bytes == 0 ? ALIGNMENT : (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
}

void *ckg__alloc(size_t count, size_t size)
{
    size_t bytes = rounded_bytes(count, size);
    void *block = NULL;

    if (bytes > 0 && (!allocation_hook || allocation_hook(count * size, allocation_context)))
        block = aligned_alloc(ALIGNMENT, bytes);
    if (!block)
        ckg__fail_nomem();
    return block;
}

void *ckg__alloc_zero(size_t count, size_t size)
{
    void *block = ckg__alloc(count, size);

    if (block)
        memset(block, 0, count * size);
    return block;
}

void *ckg__alloc_resize(void *block, size_t used, size_t count, size_t size)
{
    void *resized = ckg__alloc(count, size);

    if (!resized)
        return NULL;
    if (used > 0)
        memcpy(resized, block, used < count * size ? used : count * size);
    ckg__free(block);
    return resized;
}

char *ckg__alloc_string(const char *text)
{
    size_t bytes = strlen(text) + 1;
    char *copy = ckg__alloc(bytes, 1);

    if (copy)
        memcpy(copy, text, bytes);
    return copy;
}

void ckg__free(void *block)
{
    free(block);
}
