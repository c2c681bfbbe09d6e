/*
 * A server that is silent is waited for for a while, and those who ask us to stop are heard meanwhile: libpq
 * connects step by step, and between them we wait. Only its list of several hosts is left to libpq alone,
 * which goes on to the next one when one is silent.
 */
#include "store/postgresql_connect.h"

#include <poll.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "store/secret.h"
#include "store/store.h"

/* Milliseconds between two looks whether the connection is still wanted. */
enum { GLIMPSE = 50 };

/* What libpq is told. */
enum { SETTINGS = 6 };
struct settings {
    const char *names[SETTINGS + 1];
    const char *values[SETTINGS + 1];
    char *url; /* with its password, to be freed */
};

/* What the URL leaves open has libpq's own defaults, but a silent server is not waited for for ever. */
static struct settings make_settings(const char *url)
{
    const char *seconds = getenv("PGCONNECT_TIMEOUT");
    char *whole = app_secret_give(url);

    return (struct settings){
        .names = {"connect_timeout", "tcp_user_timeout", "keepalives_idle", "dbname",
                  "fallback_application_name", "client_encoding"},
        .values = {seconds ? seconds : "10", "30000", "30", whole, /* the URL, which may say otherwise */
                   "ckg", "UTF8"},
        .url = whole,
    };
}

static void ignore_notice(void *context, const char *text)
{
    (void)context;
    (void)text;
}

/* The connection's own setting of that name, "": it has none. */
static void read_setting(PGconn *connection, const char *name, char *out, size_t size)
{
    PQconninfoOption *options = PQconninfo(connection);

    *out = 0;
    for (PQconninfoOption *o = options; o && o->keyword; o++)
        if (!strcmp(o->keyword, name) && o->val && strlen(o->val) < size)
            strcpy(out, o->val);
    PQconninfoFree(options);
}

/* 1 when libpq has several hosts to choose from. */
static int has_hosts(const char *url)
{
    PQconninfoOption *options = PQconninfoParse(url, NULL);
    int several = 0;

    for (const PQconninfoOption *o = options; o && o->keyword; o++)
        several |= o->val && strchr(o->val, ',') && !strncmp(o->keyword, "host", 4);
    PQconninfoFree(options);
    return several;
}

/* When to give up, by app_clock; INFINITY: never, as libpq has it with 0. */
static double last_timestamp(PGconn *connection)
{
    char seconds[32];

    read_setting(connection, "connect_timeout", seconds, sizeof seconds);
    const double most = strtod(seconds, NULL);
    return most > 0 ? app_clock() + (most < 2 ? 2 : most) : 1e300;
}

/* Until it stands, has failed, or is no longer wanted. */
static void make(PGconn *connection, const struct app_asking *asking)
{
    const double until = last_timestamp(connection);
    PostgresPollingStatusType step = PGRES_POLLING_WRITING;

    while (PQstatus(connection) != CONNECTION_BAD && step != PGRES_POLLING_OK &&
           step != PGRES_POLLING_FAILED) {
        struct pollfd fd = {.fd = PQsocket(connection),
                            .events = step == PGRES_POLLING_READING ? POLLIN : POLLOUT};
        if (app_clock() >= until || app_is_unwanted(asking))
            return;
        if (poll(&fd, 1, GLIMPSE) > 0)
            step = PQconnectPoll(connection);
    }
}

PGconn *app_pg_connect(const char *url, const struct app_asking *asking)
{
    const struct settings s = make_settings(url);
    PGconn *connection = NULL;

    if (s.url && has_hosts(s.url))
        connection = PQconnectdbParams(s.names, s.values, 1);
    else if (s.url) {
        connection = PQconnectStartParams(s.names, s.values, 1);
        if (connection)
            make(connection, asking);
    }
    free(s.url);
    if (connection)
        PQsetNoticeProcessor(connection, ignore_notice, NULL);
    return connection;
}

int app_pg_away(const char *url)
{
    struct settings s = make_settings(url);

    /* A question of a moment, in which nobody is heard. */
    s.values[0] = "2";
    const PGPing ping = s.url ? PQpingParams(s.names, s.values, 1) : PQPING_NO_ATTEMPT;

    free(s.url);
    return ping == PQPING_REJECT        ? APP_AWAY_COMING
           : ping == PQPING_NO_RESPONSE ? APP_AWAY_SILENT
                                        : APP_AWAY_NOT;
}
