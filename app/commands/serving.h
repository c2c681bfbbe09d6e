/* What `ckg serve` and `ckg run --serve` share. */
#ifndef CKG_APP_SERVING_H
#define CKG_APP_SERVING_H

#include "command.h"
#include "serve/server.h"

/* Where to listen, NULL: at the usual place; and who may come, by --steer, --token-file and --host. */
int app_auth_open(const struct app_arguments *arguments, const char *listen, struct app_server *server);

/* Where `ckg run --serve` is to listen; NULL: at the usual place. */
const char *app_serve_address(const struct app_arguments *arguments);

/* A server of the study beside this process, and where it is, or why there is none. */
void app_serve_run(const struct app_arguments *arguments);

#endif
