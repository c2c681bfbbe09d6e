/* Times in an order that sorts. */
#include "base/timestamp.h"

#include <math.h>
#include <stddef.h>
#include <time.h>

/* A clock that was set to nonsense has no years beyond this. */
static const double latest = 253402300799.0; /* the end of 9999 */

static int is_moment(double seconds)
{
    return fabs(seconds) <= latest;
}

const char *app_moment(double seconds, char out[32])
{
    const time_t whole = is_moment(seconds) ? (time_t)seconds : 0;
    struct tm moment;

    return is_moment(seconds) && localtime_r(&whole, &moment) &&
                   strftime(out, 32, "%Y-%m-%d %H:%M:%S", &moment)
               ? out
               : NULL;
}

const char *app_moment_utc(double seconds, char out[32])
{
    const time_t whole = is_moment(seconds) ? (time_t)seconds : 0;
    struct tm moment;

    return is_moment(seconds) && gmtime_r(&whole, &moment) && strftime(out, 32, "%Y-%m-%dT%H:%M:%SZ", &moment)
               ? out
               : NULL;
}
