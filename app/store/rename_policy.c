/*
 * A study begun with the policy `ckg` goes on by `auto`, as that policy is called since `ckg` looks ahead at
 * every step. Rows are sealed anew; one whose seal does not hold stays as it is, so that its damage is still
 * seen.
 */
#include "store/rename_policy.h"

#include <stdlib.h>
#include <string.h>

#include <ckg/status.h>

#include "store/checksum.h"
#include "store/sql_store.h"

/* As definitions are written (definition/definition.c); within a string of JSON the quotes would be others.
 */
static const char former[] = "\"policy\": {\"name\": \"ckg\"";
static const char now[] = "\"policy\": {\"name\": \"auto\", \"was\": \"ckg\"";

/* Which rows to look for: their columns, and what is found. */
struct search {
    int key, checksum; /* columns: the number, the seal */
    int first, last;   /* the definitions of which one names it; last 0: none need */
    struct app_sql_numbers found;
};

/* The row is found where it is what was written, and names the policy. */
static int take(void *context, const struct app_sql_value *columns, struct app_message *message)
{
    struct search *s = context;
    int named = !s->last;

    for (int i = s->first; s->last && i <= s->last; i++)
        named |= columns[i].text && strstr(columns[i].text, former);
    return named && app_checksum_matches(columns, s->checksum)
               ? app_sql_each_integer(&s->found, &columns[s->key], message)
               : CKG_OK;
}

static void rename_study(struct app_sql *sql, int64_t study)
{
    struct search changes = {.key = APP_CHANGE_NUMBER,
                             .checksum = APP_CHANGE_CHECKSUM,
                             .first = APP_CHANGE_BEFORE,
                             .last = APP_CHANGE_AFTER};
    struct app_checksum_update checksum = {.study = study, .revision = INT64_MAX};

    APP_SQL(sql, "SELECT " APP_CHECKSUM_OF_CHANGE " FROM change c WHERE c.study = $1", take, &changes, study);
    for (int i = 0; i < changes.found.count; i++) {
        APP_SQL(sql,
                "UPDATE change SET definition_before = replace(definition_before, $1, $2),"
                " definition_after = replace(definition_after, $1, $2) WHERE study = $3 AND number = $4",
                NULL, NULL, former, now, study, changes.found.number[i]);
        app_checksum_change_row(sql, &checksum, changes.found.number[i]);
    }
    free(changes.found.number);

    /* The study's own row, which knows the sum of its changes' seals. */
    APP_SQL(sql, "UPDATE study SET definition = replace(definition, $1, $2) WHERE id = $3", NULL, NULL,
            former, now, study);
    app_checksum_study(sql, &checksum);
}

void app_rename_policy(struct app_sql *sql)
{
    struct search studies = {.key = APP_STUDY_ID, .checksum = APP_STUDY_CHECKSUM};

    app_sql_run(sql, "SELECT " APP_CHECKSUM_OF_STUDY " FROM study", 0, NULL, take, &studies);
    for (int i = 0; i < studies.found.count; i++)
        rename_study(sql, studies.found.number[i]);
    free(studies.found.number);
}
