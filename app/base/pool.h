/*
 * Memory that is freed with its owner: who holds the pool gives everything back at once, so what is made in
 * it needs no function of its own that frees. A pool that is all zeroes is empty; one that is copied has
 * moved.
 */
#ifndef CKG_APP_POOL_H
#define CKG_APP_POOL_H

#include <stdarg.h>
#include <stddef.h>

struct app_pool {
    struct app_pool_block *last;
};

/* So many things of that size, all zeroes; NULL: no memory. */
void *app_pool_new(struct app_pool *pool, size_t count, size_t size);

/* A copy of the text, or of one that is put together; NULL: no memory. */
char *app_pool_copy(struct app_pool *pool, const char *text);
/* Puts a copy in the place of the text, NULL stays; 0: no memory. */
int app_pool_keep(struct app_pool *pool, const char **text);
char *app_pool_print(struct app_pool *pool, const char *format, ...) __attribute__((format(printf, 2, 3)));
char *app_pool_print_list(struct app_pool *pool, const char *format, va_list list)
    __attribute__((format(printf, 2, 0)));

/* What the other holds is held here from now on. */
void app_pool_join(struct app_pool *pool, struct app_pool *other);

/* Everything in it, which leaves it empty. */
void app_pool_free(struct app_pool *pool);

#endif
