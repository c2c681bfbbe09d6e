/* The kernels' names, and the table of their loops for this processor. */
#include "model/kernel.h"

#include "linalg/variant.h"

const char *const ckg__kernel_names[CKG__KERNELS] = {CKG__KERNEL_NAMES};

static const struct ckg__kernel_ops *const tables[] = {CKG__VARIANT_TABLES(ckg__kernel_ops)};

const struct ckg__kernel_ops *ckg__kernels(void)
{
    return tables[ckg__variant()];
}
