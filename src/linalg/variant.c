/*
 * Which compiled variant of the hot files this processor runs. The feature lists are the x86-64 psABI levels
 * v3 and v4 as far as the compilers use them in numerical code; __builtin_cpu_supports also checks that the
 * operating system saves the registers.
 */
#include "linalg/variant.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include <ckg/version.h>

static const char *const names[] = {"base", "v3", "v4"};

#if defined(CKG_HAVE_X86_VARIANTS)

static int runs_v3(void)
{
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi") &&
           __builtin_cpu_supports("bmi2") && __builtin_cpu_supports("popcnt");
}

static int runs_v4(void)
{
    return runs_v3() && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
           __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl") &&
           __builtin_cpu_supports("avx512cd");
}

enum ckg__variant ckg__variant_best(void)
{
    __builtin_cpu_init();
    return runs_v4() ? CKG__VARIANT_V4 : runs_v3() ? CKG__VARIANT_V3 : CKG__VARIANT_BASE;
}

#else

enum ckg__variant ckg__variant_best(void)
{
    return CKG__VARIANT_BASE;
}

#endif

static enum ckg__variant choose(void)
{
    const char *wanted = getenv("CKG_CPU");
    const enum ckg__variant best = ckg__variant_best();

    for (int v = CKG__VARIANT_BASE; wanted && v < (int)best; v++)
        if (!strcmp(wanted, names[v]))
            return (enum ckg__variant)v;
    return best;
}

/* Asked for at every call of a hot function, so it is looked up once; who comes first does not matter. */
enum ckg__variant ckg__variant(void)
{
    static _Atomic int chosen = -1;
    int variant = atomic_load_explicit(&chosen, memory_order_relaxed);

    if (variant < 0) {
        variant = (int)choose();
        atomic_store_explicit(&chosen, variant, memory_order_relaxed);
    }
    return (enum ckg__variant)variant;
}

const char *ckg_cpu(void)
{
    return names[ckg__variant()];
}
