/* A list of blocks, the newest first; each is an allocation of its own, so that sanitizers see its ends. */
#include "base/pool.h"

#include <stdalign.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct app_pool_block {
    struct app_pool_block *before;
    alignas(max_align_t) unsigned char bytes[];
};

void *app_pool_new(struct app_pool *pool, size_t count, size_t size)
{
    if (size && count > (SIZE_MAX - sizeof(struct app_pool_block)) / size)
        return NULL;
    struct app_pool_block *block = calloc(1, sizeof *block + count * size);

    if (!block)
        return NULL;
    block->before = pool->last;
    pool->last = block;
    return block->bytes;
}

char *app_pool_copy(struct app_pool *pool, const char *text)
{
    const size_t size = strlen(text) + 1;
    char *copy = app_pool_new(pool, size, 1);

    return copy ? memcpy(copy, text, size) : NULL;
}

char *app_pool_print_list(struct app_pool *pool, const char *format, va_list list)
{
    va_list again;

    va_copy(again, list);
    const int length = vsnprintf(NULL, 0, format, list);
    char *text = length < 0 ? NULL : app_pool_new(pool, (size_t)length + 1, 1);
    if (text)
        vsnprintf(text, (size_t)length + 1, format, again);
    va_end(again);
    return text;
}

int app_pool_keep(struct app_pool *pool, const char **text)
{
    const char *copy = *text ? app_pool_copy(pool, *text) : NULL;
    const int kept = !*text == !copy;

    *text = copy;
    return kept;
}

char *app_pool_print(struct app_pool *pool, const char *format, ...)
{
    va_list list;

    va_start(list, format);
    char *text = app_pool_print_list(pool, format, list);
    va_end(list);
    return text;
}

void app_pool_join(struct app_pool *pool, struct app_pool *other)
{
    struct app_pool_block **end = &other->last;

    while (*end)
        end = &(*end)->before;
    *end = pool->last;
    *pool = *other;
    *other = (struct app_pool){0};
}

void app_pool_free(struct app_pool *pool)
{
    while (pool->last) {
        struct app_pool_block *block = pool->last;

        pool->last = block->before;
        free(block);
    }
}
