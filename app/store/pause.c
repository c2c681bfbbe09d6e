/* What people want of whoever evaluates a study: that it holds back, that it ends, another budget. */
#include "store/sql_store.h"

/* One of the two, in a transaction that others hear of. */
struct wish {
    int64_t study;
    enum app_holding held;
    const char *who; /* NULL: it is about the budget */
    int budget;
};

static int write_hold(struct app_store *s, const struct wish *wish, int64_t revision,
                      struct app_message *message)
{
    int status = APP_SQL_RUN(s, "UPDATE study SET held = $1, held_by = $2, held_at = {now} WHERE id = $3",
                             NULL, NULL, NULL, message, app_sql_integer(wish->held), app_sql_text(wish->who),
                             app_sql_integer(wish->study));

    /* Runs that were begun before this revision end. */
    if (!status && wish->held == APP_STOPPED)
        status = APP_SQL_RUN(s, "UPDATE study SET stopped = $1 WHERE id = $2", NULL, NULL, NULL, message,
                             app_sql_integer(revision), app_sql_integer(wish->study));
    return status;
}

static int grant(struct app_store *s, const struct wish *wish, struct app_message *message)
{
    struct app_sealing sealing;
    int status;

    do {
        status = app_sql_begin(&s->sql, 1, message);
        if (!status)
            status = app_sql_revise(s, wish->study, &sealing, message);
        sealing.wakes = 1;
        if (!status && wish->who)
            status = write_hold(s, wish, sealing.revision, message);
        else if (!status)
            status = APP_SQL_RUN(s, "UPDATE study SET budget = $1 WHERE id = $2", NULL, NULL, NULL, message,
                                 app_sql_integer(wish->budget), app_sql_integer(wish->study));
        status = app_sql_seal_and_end(s, &sealing, status, message);
    } while (app_sql_again(&s->sql, status));
    return status;
}

int app_store_hold(struct app_store *s, int64_t study, enum app_holding held, const char *who,
                   struct app_message *message)
{
    return grant(s, &(struct wish){.study = study, .held = held, .who = who}, message);
}

int app_store_set_budget(struct app_store *s, int64_t study, int budget, struct app_message *message)
{
    return grant(s, &(struct wish){.study = study, .budget = budget}, message);
}
