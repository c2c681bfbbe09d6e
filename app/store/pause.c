/* What people want of whoever evaluates a study: that it holds back, that it ends, another budget. */
#include "store/sql_store.h"

int app_store_pause(struct app_store *s, int64_t study, enum app_pause_state paused, const char *who,
                    struct app_message *message)
{
    struct app_sql *sql = &s->sql;
    struct app_checksum_update checksum;

    do {
        app_sql_begin(sql, 1, message);
        app_sql_revise(sql, study, &checksum);
        APP_SQL(sql, "UPDATE study SET held = $1, held_by = $2, held_at = {now} WHERE id = $3", NULL, NULL,
                paused, who, study);

        /* Runs that were begun before this revision end. */
        if (paused == APP_STOPPED)
            APP_SQL(sql, "UPDATE study SET stopped = $1 WHERE id = $2", NULL, NULL, checksum.revision, study);
        app_checksum_study(sql, &checksum);
    } while (app_sql_end(sql));
    return sql->status;
}

int app_store_set_budget(struct app_store *s, int64_t study, int budget, struct app_message *message)
{
    struct app_sql *sql = &s->sql;
    struct app_checksum_update checksum;

    do {
        app_sql_begin(sql, 1, message);
        app_sql_revise(sql, study, &checksum);
        APP_SQL(sql, "UPDATE study SET budget = $1 WHERE id = $2", NULL, NULL, budget, study);
        app_checksum_study(sql, &checksum);
    } while (app_sql_end(sql));
    return sql->status;
}
