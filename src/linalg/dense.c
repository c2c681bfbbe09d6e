/*
 * The table of dense kernels for this processor. The processor does not change, so asking it each time needs
 * no shared state; callers keep the table.
 */
#include "linalg/dense.h"
#include "linalg/variant.h"

static const struct ckg__dense_ops *const tables[] = {
    [CKG__VARIANT_BASE] = &ckg__dense_ops_base,
#if defined(CKG_HAVE_X86_VARIANTS)
    [CKG__VARIANT_V3] = &ckg__dense_ops_v3,
    [CKG__VARIANT_V4] = &ckg__dense_ops_v4,
#endif
};

const struct ckg__dense_ops *ckg__dense(void)
{
    return tables[ckg__variant()];
}
