/*
 * The table of vectorised functions for this processor.
 */
#include "linalg/variant.h"
#include "linalg/vector.h"

#if defined(CKG_HAVE_X86_VARIANTS)
static const struct ckg__vector_ops *const tables[] = {
    [CKG__VARIANT_BASE] = &ckg__vector_ops_base,
    [CKG__VARIANT_V3] = &ckg__vector_ops_v3,
    [CKG__VARIANT_V4] = &ckg__vector_ops_v4,
};
#else
static const struct ckg__vector_ops *const tables[] = {[CKG__VARIANT_BASE] = &ckg__vector_ops_base};
#endif

const struct ckg__vector_ops *ckg__vector(void)
{
    return tables[ckg__variant()];
}
