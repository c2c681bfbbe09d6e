/* The compiled variants of a hot table, for tests that try each one that this processor runs. */
#ifndef CKG_TESTS_VARIANTS_H
#define CKG_TESTS_VARIANTS_H

#include "linalg/variant.h"

/* The tables of every variant that was compiled, the initialiser of an array of pointers. */
#if defined(CKG_HAVE_X86_VARIANTS)
#define EVERY_VARIANT(table)                                                                                 \
    {                                                                                                        \
        &table##_base, &table##_v3, &table##_v4                                                              \
    }
#else
#define EVERY_VARIANT(table)                                                                                 \
    {                                                                                                        \
        &table##_base                                                                                        \
    }
#endif

/* How many of them, from the first on, run here. */
static inline int variant_count(void)
{
    return (int)ckg__variant_best() + 1;
}

#endif
