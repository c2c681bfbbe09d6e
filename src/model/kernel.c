/* The kernels' names, and the table of their loops for this processor. */
#include "model/kernel.h"

#include "linalg/variant.h"

const char *const ckg__kernel_names[CKG__KERNELS] = {CKG__KERNEL_NAMES};

#ifdef CKG_HAVE_X86_VARIANTS
static const struct ckg__kernel_ops *const tables[] = {&ckg__kernel_ops_base, &ckg__kernel_ops_v3,
                                                       &ckg__kernel_ops_v4};
#else
static const struct ckg__kernel_ops *const tables[] = {&ckg__kernel_ops_base};
#endif

const struct ckg__kernel_ops *ckg__kernels(void)
{
    return tables[ckg__variant()];
}
