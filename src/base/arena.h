/*
 * Scratch memory with mark and release. A numerical routine takes a mark, takes what it needs, and releases
 * the mark: the memory stays in the arena, so that the second pass of the same size allocates nothing.
 */
#ifndef CKG_BASE_ARENA_H
#define CKG_BASE_ARENA_H

#include <stddef.h>
#include <string.h>

#include <ckg/status.h>

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

/* A pointer that is to get room for so many elements; to be made by CKG__ROOM. */
struct ckg__room {
    void *pointer;
    size_t count, size;
};

/*
 * Room for several pointers at once: CKG__TAKE(arena, CKG__ROOM(x, n), CKG__ROOM(y, 2 * n)) is CKG_OK, or
 * CKG_ERR_NOMEM where one of them has got none.
 */
#define CKG__ROOM(pointer, count) ((struct ckg__room){&(pointer), (size_t)(count), sizeof *(pointer)})
#define CKG__TAKE(arena, ...) ckg__arena_take(arena, (const struct ckg__room[]){__VA_ARGS__, {0}})

static inline int ckg__arena_take(struct ckg__arena *arena, const struct ckg__room *room)
{
    for (; room->pointer; room++) {
        void *memory = ckg__arena_get(arena, room->count, room->size);
        if (!memory)
            return CKG_ERR_NOMEM;
        memcpy(room->pointer, &memory, sizeof memory);
    }
    return CKG_OK;
}

struct ckg__arena_mark ckg__arena_mark(const struct ckg__arena *arena);
void ckg__arena_release(struct ckg__arena *arena, struct ckg__arena_mark mark);

#endif
