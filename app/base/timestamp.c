/* Times in an order that sorts. */
#include "base/timestamp.h"

#include <math.h>
#include <stddef.h>
#include <time.h>

/* A clock that was set to nonsense has no years beyond this. */
static const double latest = 253402300799.0; /* the end of 9999 */

static int is_timestamp(double seconds)
{
    return fabs(seconds) <= latest;
}

const char *app_timestamp(double seconds, char out[32])
{
    const time_t whole = is_timestamp(seconds) ? (time_t)seconds : 0;
    struct tm timestamp;

    return is_timestamp(seconds) && localtime_r(&whole, &timestamp) &&
                   strftime(out, 32, "%Y-%m-%d %H:%M:%S", &timestamp)
               ? out
               : NULL;
}

const char *app_timestamp_utc(double seconds, char out[32])
{
    const time_t whole = is_timestamp(seconds) ? (time_t)seconds : 0;
    struct tm timestamp;

    return is_timestamp(seconds) && gmtime_r(&whole, &timestamp) &&
                   strftime(out, 32, "%Y-%m-%dT%H:%M:%SZ", &timestamp)
               ? out
               : NULL;
}
