/*
 * An allocation that fails, preloaded in front of the system's: CKG_TEST_ALLOC=n lets the n-th fail, -n the
 * n-th and all that follow; CKG_TEST_ALLOC_COUNT is a file that gets their number at the end. The process's
 * children are spared.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

void *__libc_malloc(size_t);
void *__libc_calloc(size_t, size_t);
void *__libc_realloc(void *, size_t);
void *__libc_memalign(size_t, size_t);

static long wanted;
static int counting;
static atomic_long count;

static void stop_counting(void)
{
    counting = 0;
}

__attribute__((constructor)) static void begin(void)
{
    const char *text = getenv("CKG_TEST_ALLOC");

    wanted = text ? atol(text) : 0;
    unsetenv("LD_PRELOAD");
    pthread_atfork(NULL, NULL, stop_counting);
    counting = 1;
}

__attribute__((destructor)) static void end(void)
{
    const char *path = getenv("CKG_TEST_ALLOC_COUNT");
    const int file = counting && path ? open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600) : -1;
    char text[32];

    counting = 0;
    if (file < 0)
        return;
    const int length = snprintf(text, sizeof text, "%ld\n", count);
    if (write(file, text, (size_t)length) != length)
        _exit(99);
    close(file);
}

static int fails(void)
{
    if (!counting)
        return 0;
    const long number = ++count;
    const int now = wanted > 0 ? number == wanted : wanted < 0 && number >= -wanted;

    if (now)
        errno = ENOMEM;
    return now;
}

void *malloc(size_t size)
{
    return fails() ? NULL : __libc_malloc(size);
}

void *calloc(size_t number, size_t size)
{
    return fails() ? NULL : __libc_calloc(number, size);
}

void *realloc(void *block, size_t size)
{
    return fails() ? NULL : __libc_realloc(block, size);
}

void *memalign(size_t alignment, size_t size)
{
    return fails() ? NULL : __libc_memalign(alignment, size);
}

void *aligned_alloc(size_t alignment, size_t size)
{
    return fails() ? NULL : __libc_memalign(alignment, size);
}

int posix_memalign(void **out, size_t alignment, size_t size)
{
    void *block = fails() ? NULL : __libc_memalign(alignment, size);

    if (!block)
        return ENOMEM;
    *out = block;
    return 0;
}
