/*
 * A chain of blocks, filled in order. Nothing is given back before ckg__arena_free, and the same requests
 * after the same mark walk the same way through the chain: that is why a second pass allocates nothing.
 */
#include "base/arena.h"

#include "base/alloc.h"
#include "base/error.h"

#include <stdint.h>

enum { ALIGNMENT = 64, HEADER_BYTES = 64, FIRST_BLOCK_BYTES = 1 << 16 };

/*
 * The header of a block; its memory follows HEADER_BYTES after the block's beginning, so that it is aligned
 * too.
 */
struct ckg__arena_block {
    struct ckg__arena_block *next;
    size_t bytes;
};

void ckg__arena_init(struct ckg__arena *arena)
{
    arena->first = NULL;
    arena->current = NULL;
    arena->used = 0;
}

void ckg__arena_free(struct ckg__arena *arena)
{
    struct ckg__arena_block *block = arena->first;

    while (block) {
        struct ckg__arena_block *next = block->next;

        ckg__free(block);
        block = next;
    }
    ckg__arena_init(arena);
}

/* A new block after `last` (NULL: the first), twice as large at least, so that a chain stays short. */
static struct ckg__arena_block *append_block(struct ckg__arena *arena, struct ckg__arena_block *last,
                                             size_t bytes)
{
    size_t capacity = last ? 2 * last->bytes : FIRST_BLOCK_BYTES;
    struct ckg__arena_block *block;

    if (capacity < bytes)
        capacity = bytes;
    block = ckg__alloc(HEADER_BYTES + capacity, 1);
    if (!block)
        return NULL;
    block->next = NULL;
    block->bytes = capacity;
    if (last)
        last->next = block;
    else
        arena->first = block;
    return block;
}

/*
 * Makes the first block after the current one that holds `bytes` the current one; 0 when there is no memory
 * for it.
 */
static int advance(struct ckg__arena *arena, size_t bytes)
{
    struct ckg__arena_block *last = arena->current;
    struct ckg__arena_block *block = last ? last->next : arena->first;

    while (block && block->bytes < bytes) {
        last = block;
        block = block->next;
    }
    if (!block)
        block = append_block(arena, last, bytes);
    if (!block)
        return 0;
    arena->current = block;
    arena->used = 0;
    return 1;
}

void *ckg__arena_get(struct ckg__arena *arena, size_t count, size_t size)
{
    size_t bytes;
    char *memory;

    if (size > 0 && count > (SIZE_MAX / 4) / size) {
        ckg__fail_nomem();
        return NULL;
    }
    bytes = (count * size + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    if ((!arena->current || arena->current->bytes - arena->used < bytes) && !advance(arena, bytes))
        return NULL;
    memory = (char *)arena->current + HEADER_BYTES + arena->used;
    arena->used += bytes;
    return memory;
}

double *ckg__arena_doubles(struct ckg__arena *arena, size_t count)
{
    return ckg__arena_get(arena, count, sizeof(double));
}

int *ckg__arena_ints(struct ckg__arena *arena, size_t count)
{
    return ckg__arena_get(arena, count, sizeof(int));
}

struct ckg__arena_mark ckg__arena_mark(const struct ckg__arena *arena)
{
    return (struct ckg__arena_mark){arena->current, arena->used};
}

void ckg__arena_release(struct ckg__arena *arena, struct ckg__arena_mark mark)
{
    arena->current = mark.block;
    arena->used = mark.used;
}
