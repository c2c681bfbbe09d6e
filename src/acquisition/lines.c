/* The table of the line loops for this processor. */
#include "acquisition/lines.h"

#include "linalg/variant.h"

#ifdef CKG_HAVE_X86_VARIANTS
static const struct ckg__line_ops *const tables[] = {&ckg__line_ops_base, &ckg__line_ops_v3,
                                                     &ckg__line_ops_v4};
#else
static const struct ckg__line_ops *const tables[] = {&ckg__line_ops_base};
#endif

const struct ckg__line_ops *ckg__lines(void)
{
    return tables[ckg__variant()];
}
