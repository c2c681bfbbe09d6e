/*
 * The library's only way to memory. Blocks are aligned to 64 bytes. Tests install a hook that counts
 * allocations or makes the n-th one fail; in production there is none.
 */
#ifndef CKG_BASE_ALLOC_H
#define CKG_BASE_ALLOC_H

#include <stddef.h>

/*
 * Each returns NULL and records CKG_ERR_NOMEM's message when there is no memory; count*size may not overflow.
 */
void *ckg__alloc(size_t count, size_t size);
void *ckg__alloc_zero(size_t count, size_t size);
/*
 * Grows or shrinks a block whose first `used` bytes are to be kept; on failure the old block stays as it was.
 */
void *ckg__alloc_resize(void *block, size_t used, size_t count, size_t size);
/* A copy of a string; NULL on failure. */
char *ckg__alloc_string(const char *text);
void ckg__free(void *block);

/*
 * For tests alone: called before every allocation; returning 0 makes it fail. NULL removes the hook. Not
 * thread-safe: set it while no other thread is in the library.
 */
void ckg__alloc_set_hook(int (*hook)(size_t bytes, void *context), void *context);

#endif
