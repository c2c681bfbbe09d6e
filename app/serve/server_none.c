/* Stands for the server where the program is built without libevent. */
#include "serve/server.h"

#include <ckg/status.h>

const char *const app_serve_lacking =
    "this ckg was built without libevent, which `ckg serve` needs; install it (Debian: libevent-dev) and "
    "build again";

int app_serve(struct app_server *server, struct app_message *message)
{
    (void)server;
    return app_fail(message, CKG_ERR_SYSTEM, "%s", app_serve_lacking);
}

int app_serve_beside(struct app_server *server, struct app_text *said, struct app_message *message)
{
    (void)said;
    return app_serve(server, message);
}
