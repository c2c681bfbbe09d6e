/* The version of the library as compiled, for programs that load it at run time. */
#include <ckg/version.h>

const char *ckg_version(void)
{
    return CKG_VERSION_STRING;
}
