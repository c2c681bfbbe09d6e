/* The table of the line loops for this processor. */
#include "acquisition/lines.h"

#include "linalg/variant.h"

static const struct ckg__line_ops *const tables[] = {CKG__VARIANT_TABLES(ckg__line_ops)};

const struct ckg__line_ops *ckg__lines(void)
{
    return tables[ckg__variant()];
}
