/*
 * Seals are CRC-64/XZ (reflected, polynomial 0x42F0E1EBA9EA3693): every change of up to 64 neighbouring bits
 * is noticed, any other but one in 2⁶⁴. Rows are read back from the database before they are sealed, so that
 * the seal is of what it keeps. Sums of seals are by exclusive or, which takes a row's old seal out as it
 * puts the new one in; each seal has its row's key in it, so that no two rows cancel.
 */
#include "store/checksum.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <ckg/status.h>

uint64_t app_checksum_bytes(uint64_t before, size_t count, const void *bytes)
{
    /* What four bits that leave the register do to the rest of it. */
    static const uint64_t table[16] = {
        0x0000000000000000, 0x7d9ba13851336649, 0xfb374270a266cc92, 0x86ace348f355aadb,
        0x64b62bcaebc387a1, 0x192d8af2baf0e1e8, 0x9f8169ba49a54b33, 0xe21ac88218962d7a,
        0xc96c5795d7870f42, 0xb4f7f6ad86b4690b, 0x325b15e575e1c3d0, 0x4fc0b4dd24d2a599,
        0xadda7c5f3c4488e3, 0xd041dd676d77eeaa, 0x56ed3e2f9e224471, 0x2b769f17cf112238,
    };
    const unsigned char *at = bytes;
    uint64_t crc = ~before;

    for (size_t i = 0; i < count; i++) {
        crc ^= at[i];
        crc = table[crc & 15] ^ (crc >> 4);
        crc = table[crc & 15] ^ (crc >> 4);
    }
    return ~crc;
}

/* A number as eight bytes, the lowest first, on every machine. */
static uint64_t add_number(uint64_t crc, uint64_t number)
{
    unsigned char bytes[8];

    for (int i = 0; i < 8; i++)
        bytes[i] = (unsigned char)(number >> (8 * i));
    return app_checksum_bytes(crc, sizeof bytes, bytes);
}

/* The kind of value, how long it is, and the value: no two rows give the same bytes. */
static uint64_t add_value(uint64_t crc, const struct app_sql_value *value)
{
    const size_t length = value->text ? strlen(value->text) : 0;
    uint64_t bits;

    crc = add_number(crc, (uint64_t)value->type);
    if (value->type == APP_SQL_INTEGER)
        return add_number(crc, (uint64_t)value->integer);
    if (value->type == APP_SQL_REAL) {
        memcpy(&bits, &value->real, sizeof bits);
        return add_number(crc, bits);
    }
    return app_checksum_bytes(add_number(crc, length), length, value->text);
}

uint64_t app_checksum_of(const struct app_sql_value *columns, int checksum)
{
    const int always = checksum == APP_TRIAL_CHECKSUM ? APP_TRIAL_LATER : checksum;
    uint64_t crc = 0;

    for (int i = 0; i < always; i++)
        crc = add_value(crc, &columns[i]);

    /* What older rows have not: with its place, so that neither takes the other's. */
    for (int i = always; i < checksum; i++)
        if (columns[i].type != APP_SQL_NULL)
            crc = add_value(add_number(crc, (uint64_t)i), &columns[i]);
    return crc;
}

int app_checksum_matches(const struct app_sql_value *columns, int checksum)
{
    return columns[checksum].type == APP_SQL_INTEGER &&
           (uint64_t)columns[checksum].integer == app_checksum_of(columns, checksum);
}

/* --- rows to be sealed --- */

/* Rows that were read, with their new seals: written when the reading is over. */
struct rows {
    int key, side, checksum; /* which columns have the row's number, an image's side (-1: none), the seal */
    int count, capacity;
    struct row {
        int64_t number;
        char side[8];
        uint64_t checksum;
    } * rows;
    uint64_t before, after; /* all their seals, by exclusive or */
};

static int take_row(void *context, const struct app_sql_value *columns, struct app_message *message)
{
    struct rows *r = context;

    if (r->count == r->capacity) {
        const int capacity = 2 * r->capacity + 8;
        struct row *rows = realloc(r->rows, (size_t)capacity * sizeof *rows);
        if (!rows)
            return app_no_memory(message);
        r->rows = rows;
        r->capacity = capacity;
    }

    struct row *row = &r->rows[r->count++];
    *row = (struct row){.number = columns[r->key].integer, .checksum = app_checksum_of(columns, r->checksum)};
    if (r->side >= 0 && columns[r->side].text)
        snprintf(row->side, sizeof row->side, "%s", columns[r->side].text);
    r->before ^= (uint64_t)columns[r->checksum].integer;
    r->after ^= row->checksum;
    return CKG_OK;
}

/* --- changes --- */

/* All images of the change; their seals. */
static uint64_t checksum_images(struct app_sql *sql, int64_t study, int64_t change)
{
    struct rows rows = {.key = APP_IMAGE_TRIAL, .side = APP_IMAGE_SIDE, .checksum = APP_IMAGE_CHECKSUM};

    APP_SQL(sql, "SELECT " APP_CHECKSUM_OF_IMAGE " FROM image i WHERE i.study = $1 AND i.change = $2",
            take_row, &rows, study, change);
    for (int i = 0; i < rows.count; i++)
        APP_SQL(sql,
                "UPDATE image SET seal = $1 WHERE study = $2 AND change = $3 AND trial = $4 AND side = $5",
                NULL, NULL, rows.rows[i].checksum, study, change, rows.rows[i].number, rows.rows[i].side);
    free(rows.rows);
    return rows.after;
}

void app_checksum_change_row(struct app_sql *sql, struct app_checksum_update *checksum, int64_t change)
{
    struct rows row = {.key = APP_CHANGE_NUMBER, .side = -1, .checksum = APP_CHANGE_CHECKSUM};

    APP_SQL(sql, "SELECT " APP_CHECKSUM_OF_CHANGE " FROM change c WHERE c.study = $1 AND c.number = $2",
            take_row, &row, checksum->study, change);
    APP_SQL(sql, "UPDATE change SET seal = $1 WHERE study = $2 AND number = $3", NULL, NULL, row.after,
            checksum->study, change);
    checksum->changes ^= row.before ^ row.after;
    free(row.rows);
}

void app_checksum_change(struct app_sql *sql, struct app_checksum_update *checksum, int64_t change)
{
    const uint64_t images = checksum_images(sql, checksum->study, change);

    APP_SQL(sql, "UPDATE change SET images = $1 WHERE study = $2 AND number = $3", NULL, NULL, images,
            checksum->study, change);
    app_checksum_change_row(sql, checksum, change);
}

/* --- trials and studies --- */

/* All trials of the revision and later ones; what that changes in the sum of all seals. */
static uint64_t checksum_trials(struct app_sql *sql, const struct app_checksum_update *checksum)
{
    struct rows rows = {.key = APP_TRIAL_NUMBER, .side = -1, .checksum = APP_TRIAL_CHECKSUM};

    APP_SQL(sql, "SELECT " APP_CHECKSUM_OF_TRIAL " FROM trial t WHERE t.study = $1 AND t.revision >= $2",
            take_row, &rows, checksum->study, checksum->revision);
    for (int i = 0; i < rows.count; i++)
        APP_SQL(sql, "UPDATE trial SET seal = $1 WHERE study = $2 AND number = $3", NULL, NULL,
                rows.rows[i].checksum, checksum->study, rows.rows[i].number);
    free(rows.rows);
    return rows.before ^ rows.after;
}

/* --- trials alone --- */

static int take_locked(void *context, const struct app_sql_value *columns, struct app_message *message)
{
    struct app_checksum_update *s = context;
    struct app_sql_value now[APP_STUDY_LAST];

    if (!app_checksum_matches(columns, APP_STUDY_CHECKSUM))
        return app_sql_damaged("study", columns[APP_STUDY_ID].integer, message);
    memcpy(now, columns, sizeof now);
    s->revision = ++now[APP_STUDY_REVISION].integer;
    s->row = app_checksum_of(now, APP_STUDY_LAST);
    s->last = columns[APP_STUDY_LAST].integer;
    s->sums[0] = (uint64_t)columns[APP_STUDY_TRIALS].integer;
    s->sums[1] = (uint64_t)columns[APP_STUDY_CHANGES].integer;
    return CKG_OK;
}

void app_checksum_lock_row(struct app_sql *sql, int64_t study, struct app_checksum_update *checksum)
{
    *checksum = (struct app_checksum_update){.study = study, .locked = 1};
    APP_SQL(sql, "SELECT " APP_CHECKSUM_OF_STUDY " FROM study WHERE id = $1 {lock}", take_locked, checksum,
            study);
}

/* SQLite returns a whole number that it was given as a real as an integer, and reads it back as a real. */
int app_checksum_take(void *context, const struct app_sql_value *columns, struct app_message *message)
{
    static const int reals[] = {APP_TRIAL_SECONDS, APP_TRIAL_ASKED, APP_TRIAL_ENDED};
    struct app_sql_value row[APP_TRIAL_COUNT];

    (void)message;
    memcpy(row, columns, sizeof row);
    for (size_t i = 0; i < sizeof reals / sizeof *reals; i++)
        if (row[reals[i]].type == APP_SQL_INTEGER)
            row[reals[i]].type = APP_SQL_REAL;
    *(struct app_checksum_pair *)context = (struct app_checksum_pair){
        .number = row[APP_TRIAL_NUMBER].integer,
        .before = (uint64_t)row[APP_TRIAL_CHECKSUM].integer,
        .after = app_checksum_of(row, APP_TRIAL_CHECKSUM),
    };
    return CKG_OK;
}

void app_checksum_trial(struct app_sql *sql, struct app_checksum_update *checksum,
                        const struct app_checksum_pair *pair)
{
    if (!pair->number)
        return;
    checksum->trials ^= pair->before ^ pair->after;
    if (pair->number > checksum->last)
        checksum->last = pair->number;
    APP_SQL(sql, "UPDATE trial SET seal = $1 WHERE study = $2 AND number = $3", NULL, NULL, pair->after,
            checksum->study, pair->number);
}

/* The study's row after its trials. */
static void checksum_locked(struct app_sql *sql, const struct app_checksum_update *s)
{
    const uint64_t trials = s->sums[0] ^ s->trials;
    const struct app_sql_value rest[] = {app_sql_integer(s->last), app_sql_integer((int64_t)trials),
                                         app_sql_integer((int64_t)s->sums[1])};
    uint64_t checksum = s->row;

    for (size_t i = 0; i < sizeof rest / sizeof *rest; i++)
        checksum = add_value(checksum, &rest[i]);
    APP_SQL(sql,
            "UPDATE study SET revision = $1, last = $2, trials = $3, seal = $4 WHERE id = $5"
            " RETURNING CASE WHEN $6 = 1 THEN {wake} END",
            NULL, NULL, s->revision, s->last, trials, checksum, s->study, s->wakes);
}

/* --- studies --- */

/* What becomes of the study's row. */
struct study {
    uint64_t trials, changes; /* what changed in the sums; then the sums */
    uint64_t checksum;
    int64_t last;
};

static int take_study(void *context, const struct app_sql_value *columns, struct app_message *message)
{
    struct app_sql_value now[APP_STUDY_CHECKSUM];
    struct study *study = context;

    (void)message;
    memcpy(now, columns, sizeof now);
    study->trials ^= (uint64_t)columns[APP_STUDY_TRIALS].integer;
    study->changes ^= (uint64_t)columns[APP_STUDY_CHANGES].integer;
    study->last = columns[APP_STUDY_CHECKSUM + 1].integer;
    now[APP_STUDY_LAST].integer = study->last;
    now[APP_STUDY_TRIALS].integer = (int64_t)study->trials;
    now[APP_STUDY_CHANGES].integer = (int64_t)study->changes;
    study->checksum = app_checksum_of(now, APP_STUDY_CHECKSUM);
    return CKG_OK;
}

void app_checksum_study(struct app_sql *sql, const struct app_checksum_update *checksum)
{
    struct study study = {.changes = checksum->changes};

    if (checksum->locked) {
        checksum_locked(sql, checksum);
        return;
    }
    study.trials = checksum_trials(sql, checksum) ^ checksum->trials;
    APP_SQL(sql,
            "SELECT " APP_CHECKSUM_OF_STUDY ", (SELECT COALESCE(MAX(t.number), 0) FROM trial t"
            " WHERE t.study = $1) FROM study WHERE id = $1",
            take_study, &study, checksum->study);
    APP_SQL(sql,
            "UPDATE study SET last = $1, trials = $2, changes = $3, seal = $4 WHERE id = $5"
            " RETURNING CASE WHEN $6 = 1 THEN {wake} END",
            NULL, NULL, study.last, study.trials, study.changes, study.checksum, checksum->study,
            checksum->wakes);
}

/* --- a store without seals --- */

static void checksum_one(struct app_sql *sql, int64_t study)
{
    struct app_checksum_update checksum = {.study = study};
    struct app_sql_numbers changes = {0};

    APP_SQL(sql, "SELECT number FROM change WHERE study = $1", app_sql_each_integer, &changes, study);
    for (int i = 0; i < changes.count; i++)
        app_checksum_change(sql, &checksum, changes.number[i]);
    free(changes.number);
    app_checksum_study(sql, &checksum);
}

void app_checksum_all(struct app_sql *sql)
{
    struct app_sql_numbers studies = {0};

    app_sql_run(sql, "SELECT id FROM study", 0, NULL, app_sql_each_integer, &studies);
    for (int i = 0; i < studies.count; i++)
        checksum_one(sql, studies.number[i]);
    free(studies.number);
}
