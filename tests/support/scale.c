#include "support/scale.h"

#include <stdlib.h>

int test_scale(int full, int light)
{
    return getenv("CKG_TEST_LIGHT") ? light : full;
}
