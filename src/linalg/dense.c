/*
 * The table of dense kernels for this processor. The processor does not change, so asking it each time needs
 * no shared state; callers keep the table.
 */
#include "linalg/dense.h"
#include "linalg/variant.h"

static const struct ckg__dense_ops *const tables[] = {CKG__VARIANT_TABLES(ckg__dense_ops)};

const struct ckg__dense_ops *ckg__dense(void)
{
    return tables[ckg__variant()];
}
