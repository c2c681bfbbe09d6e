/* By the user's number, because the environment may say anything. */
#include "base/who.h"

#include <pwd.h>
#include <stdio.h>
#include <unistd.h>

void app_who(char out[300])
{
    const struct passwd *user = getpwuid(geteuid());
    char host[100] = "";

    gethostname(host, sizeof host - 1);
    if (user && user->pw_name)
        snprintf(out, 300, "%.150s@%s", user->pw_name, host);
    else
        snprintf(out, 300, "%ld@%s", (long)geteuid(), host);
}
