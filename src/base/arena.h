/*
 * Scratch memory with mark and release. A numerical routine takes a mark, takes what it needs, and releases
 * the mark: the memory stays in the arena, so that the second pass of the same size allocates nothing.
 */
#ifndef CKG_BASE_ARENA_H
#define CKG_BASE_ARENA_H

#include <stddef.h>

struct ckg__arena_block;

struct ckg__arena {
    /* a chain of blocks, each at least as large as the one before */
    struct ckg__arena_block *first, *current;
    size_t used; /* bytes used in `current` */
};

struct ckg__arena_mark {
    struct ckg__arena_block *block;
    size_t used;
};

void ckg__arena_init(struct ckg__arena *arena);
void ckg__arena_free(struct ckg__arena *arena);

/* count*size bytes aligned to 64, not cleared; NULL (and the out-of-memory message) on failure. */
void *ckg__arena_get(struct ckg__arena *arena, size_t count, size_t size);
double *ckg__arena_doubles(struct ckg__arena *arena, size_t count);
int *ckg__arena_ints(struct ckg__arena *arena, size_t count);

struct ckg__arena_mark ckg__arena_mark(const struct ckg__arena *arena);
void ckg__arena_release(struct ckg__arena *arena, struct ckg__arena_mark mark);

#endif
