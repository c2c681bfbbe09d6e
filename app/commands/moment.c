/* Times in an order that sorts. */
#include "commands/moment.h"

#include <math.h>
#include <stddef.h>
#include <time.h>

const char *app_moment(double seconds, char out[32])
{
    const time_t whole = isnan(seconds) ? 0 : (time_t)seconds;
    struct tm moment;

    localtime_r(&whole, &moment);
    return !isnan(seconds) && strftime(out, 32, "%Y-%m-%d %H:%M:%S", &moment) ? out : NULL;
}

const char *app_moment_utc(double seconds, char out[32])
{
    const time_t whole = isnan(seconds) ? 0 : (time_t)seconds;
    struct tm moment;

    gmtime_r(&whole, &moment);
    return !isnan(seconds) && strftime(out, 32, "%Y-%m-%dT%H:%M:%SZ", &moment) ? out : NULL;
}
