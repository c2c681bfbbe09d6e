/* No faults. */
#include "store/fault.h"

int app_fault(void)
{
    return 0;
}
