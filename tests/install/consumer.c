/*
 * A program outside the tree, compiled against an installed copy: the headers and the library are of one
 * version.
 */
#include <ckg/status.h>
#include <ckg/version.h>

#include <string.h>

int main(void)
{
    return strcmp(ckg_version(), CKG_VERSION_STRING) != 0 || strcmp(ckg_status_text(CKG_OK), "success") != 0;
}
