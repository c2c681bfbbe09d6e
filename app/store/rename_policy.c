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

/* Rows that name the policy, or that merely hold: their numbers, and what they are sealed by. */
struct rows {
    int key, seal;   /* columns: the number, the seal */
    int first, last; /* the definitions that must name it; last 0: none must */
    int count;
    int64_t *number; /* (count) */
    uint64_t sum;    /* of the seals of the rows read, by exclusive or */
    uint64_t fresh;  /* the seal that the last of them should have */
};

static int take(void *context, const struct app_sql_value *columns, struct app_message *message)
{
    struct rows *r = context;
    int named = !r->last;

    for (int i = r->first; i <= r->last && r->last; i++)
        named |= columns[i].text && strstr(columns[i].text, former);
    if (!named || !app_seal_holds(columns, r->seal))
        return CKG_OK;
    int64_t *number = realloc(r->number, ((size_t)r->count + 1) * sizeof *number);
    if (!number)
        return app_fail(message, CKG_ERR_NOMEM, "out of memory");
    r->number = number;
    number[r->count++] = columns[r->key].integer;
    return CKG_OK;
}

static int take_seal(void *context, const struct app_sql_value *columns, struct app_message *message)
{
    struct rows *r = context;

    (void)message;
    r->fresh = app_seal_of(columns, r->seal);
    r->sum ^= (uint64_t)columns[r->seal].integer ^ r->fresh;
    return CKG_OK;
}

/* One change of the study; what that does to the sum of their seals is in rows->sum. */
static int rename_change(struct app_sql *sql, int64_t study, int64_t number, struct rows *rows,
                         struct app_message *message)
{
    const struct app_sql_value key[] = {app_sql_integer(study), app_sql_integer(number)};
    const struct app_sql_value words[] = {app_sql_text(former), app_sql_text(now), key[0], key[1]};
    int status = app_sql_run(sql,
                             "UPDATE change SET definition_before = replace(definition_before, $1, $2),"
                             " definition_after = replace(definition_after, $1, $2)"
                             " WHERE study = $3 AND number = $4",
                             4, words, NULL, NULL, NULL, message);

    if (!status)
        status = app_sql_run(
            sql, "SELECT " APP_SEALED_CHANGE " FROM change c WHERE c.study = $1 AND c.number = $2", 2, key,
            take_seal, rows, NULL, message);
    const struct app_sql_value seal[] = {app_sql_integer((int64_t)rows->fresh), key[0], key[1]};
    return status ? status
                  : app_sql_run(sql, "UPDATE change SET seal = $1 WHERE study = $2 AND number = $3", 3, seal,
                                NULL, NULL, NULL, message);
}

static int take_sum(void *context, const struct app_sql_value *columns, struct app_message *message)
{
    (void)message;
    *(int64_t *)context ^= columns[0].integer;
    return CKG_OK;
}

/* The study's own row, which knows the sum of its changes' seals. */
static int rename_row(struct app_sql *sql, int64_t study, int64_t sum, struct app_message *message)
{
    struct rows row = {.seal = APP_STUDY_SEAL};
    const struct app_sql_value id = app_sql_integer(study);
    int status = app_sql_run(sql, "SELECT changes FROM study WHERE id = $1", 1, &id, take_sum, &sum, NULL,
                             message);
    const struct app_sql_value words[] = {app_sql_text(former), app_sql_text(now), app_sql_integer(sum), id};

    if (!status)
        status = app_sql_run(sql,
                             "UPDATE study SET definition = replace(definition, $1, $2), changes = $3"
                             " WHERE id = $4",
                             4, words, NULL, NULL, NULL, message);
    if (!status)
        status = app_sql_run(sql, "SELECT " APP_SEALED_STUDY " FROM study WHERE id = $1", 1, &id, take_seal,
                             &row, NULL, message);
    const struct app_sql_value seal[] = {app_sql_integer((int64_t)row.fresh), id};
    return status ? status
                  : app_sql_run(sql, "UPDATE study SET seal = $1 WHERE id = $2", 2, seal, NULL, NULL, NULL,
                                message);
}

static int rename_study(struct app_sql *sql, int64_t study, struct app_message *message)
{
    struct rows changes = {.key = APP_CHANGE_NUMBER,
                           .seal = APP_CHANGE_SEAL,
                           .first = APP_CHANGE_BEFORE,
                           .last = APP_CHANGE_AFTER};
    const struct app_sql_value id = app_sql_integer(study);
    int status = app_sql_run(sql, "SELECT " APP_SEALED_CHANGE " FROM change c WHERE c.study = $1", 1, &id,
                             take, &changes, NULL, message);

    for (int i = 0; !status && i < changes.count; i++)
        status = rename_change(sql, study, changes.number[i], &changes, message);
    if (!status)
        status = rename_row(sql, study, (int64_t)changes.sum, message);
    free(changes.number);
    return status;
}

int app_rename_policy(struct app_sql *sql, struct app_message *message)
{
    struct rows studies = {.key = APP_STUDY_ID, .seal = APP_STUDY_SEAL};
    int status = app_sql_run(sql, "SELECT " APP_SEALED_STUDY " FROM study", 0, NULL, take, &studies, NULL,
                             message);

    for (int i = 0; !status && i < studies.count; i++)
        status = rename_study(sql, studies.number[i], message);
    free(studies.number);
    return status;
}
