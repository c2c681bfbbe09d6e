/* Memory that is handed out from its start, and all free again when all of it came back. */
#include "base/reserve.h"

#include <jansson.h>
#include <pthread.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include "base/memory.h"

enum { RESERVE = 1 << 18 };

static struct {
    pthread_mutex_t lock;
    size_t used, living; /* bytes handed out; blocks that have not come back */
    _Alignas(max_align_t) char bytes[RESERVE];
} reserve = {.lock = PTHREAD_MUTEX_INITIALIZER};

static void *take_from_reserve(size_t size)
{
    const size_t unit = _Alignof(max_align_t);
    void *block = NULL;

    pthread_mutex_lock(&reserve.lock);
    if (size <= RESERVE - reserve.used - unit) {
        block = reserve.bytes + reserve.used;
        reserve.used += (size + unit - 1) / unit * unit;
        reserve.living++;
    }
    pthread_mutex_unlock(&reserve.lock);
    return block;
}

static void *json_take(size_t size)
{
    void *block = malloc(size);

    if (!block)
        block = take_from_reserve(size);
    if (!block)
        app_memory_failed();
    return block;
}

static int is_in_reserve(const void *block)
{
    const uintptr_t at = (uintptr_t)block;
    const uintptr_t start = (uintptr_t)reserve.bytes;

    return at >= start && at < start + RESERVE;
}

void app_json_free(void *block)
{
    if (!is_in_reserve(block)) {
        free(block);
        return;
    }

    pthread_mutex_lock(&reserve.lock);
    if (!--reserve.living)
        reserve.used = 0;
    pthread_mutex_unlock(&reserve.lock);
}

void app_json_use_reserve(void)
{
    json_set_alloc_funcs(json_take, app_json_free);
}
