/* Servers as commands begin them. */
#include "commands/serving.h"

#include <string.h>

#include "base/visible.h"

int app_auth_open(const struct app_arguments *a, const char *listen, struct app_server *server)
{
    const char *file = app_option(a, "token-file");
    int status = app_address_read(&server->address, listen ? listen : "127.0.0.1:8080", a->message);

    /* Who only looks needs no token on this machine, unless somebody asks for it. */
    server->auth.loopback = server->address.loopback;
    server->auth.open = server->address.loopback && !file;
    server->auth.steer = app_option(a, "steer") != NULL;
    if (!status && file)
        status = app_token_read(&server->auth, file, a->message);
    else if (!status && (!server->auth.open || server->auth.steer))
        status = app_token_draw(&server->auth, a->message);
    return status;
}

const char *app_serve_address(const struct app_arguments *a)
{
    const char *given = app_option(a, "serve");

    return given && *given ? given : NULL;
}

void app_serve_run(const struct app_arguments *a)
{
    struct app_cache cache;
    struct app_server server = {.poller = {.cache = &cache}};
    struct app_text said = {0};
    struct app_message message = {{0}};
    int status = app_cache_open(&cache, -1, &message);

    /* All of it is the server's own: here it is forgotten. */
    if (status) {
        app_warn("%s; the run goes on without a server\n", message.text);
        return;
    }
    status = app_auth_open(a, app_serve_address(a), &server);
    if (!status)
        status = app_cache_add(&cache, &a->place, 0, &message);
    if (!status)
        status = app_serve_beside(&server, &said, &message);
    if (status || !said.length)
        app_warn("%s; the run goes on without a server\n", status ? message.text : "no server has begun");
    else if (!strncmp(said.data, "ckg serves", 10))
        app_warn("%s\n", said.data);
    else
        app_warn("no server: %s; the run goes on without it\n", said.data);
    app_text_free(&said);
    app_cache_close(&cache);
}
