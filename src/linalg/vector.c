/*
 * The table of vectorised functions for this processor.
 */
#include "linalg/variant.h"
#include "linalg/vector.h"

static const struct ckg__vector_ops *const tables[] = {CKG__VARIANT_TABLES(ckg__vector_ops)};

const struct ckg__vector_ops *ckg__vector(void)
{
    return tables[ckg__variant()];
}
