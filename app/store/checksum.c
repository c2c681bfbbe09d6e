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

uint64_t app_seal_bytes(uint64_t before, size_t count, const void *bytes)
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
    return app_seal_bytes(crc, sizeof bytes, bytes);
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
    return app_seal_bytes(add_number(crc, length), length, value->text);
}

uint64_t app_seal_of(const struct app_sql_value *columns, int seal)
{
    const int always = seal == APP_TRIAL_SEAL ? APP_TRIAL_LATER : seal;
    uint64_t crc = 0;

    for (int i = 0; i < always; i++)
        crc = add_value(crc, &columns[i]);

    /* What older rows have not: with its place, so that neither takes the other's. */
    for (int i = always; i < seal; i++)
        if (columns[i].type != APP_SQL_NULL)
            crc = add_value(add_number(crc, (uint64_t)i), &columns[i]);
    return crc;
}

int app_seal_holds(const struct app_sql_value *columns, int seal)
{
    return columns[seal].type == APP_SQL_INTEGER &&
           (uint64_t)columns[seal].integer == app_seal_of(columns, seal);
}

/* --- rows to be sealed --- */

/* Rows that were read, with their new seals: written when the reading is over. */
struct rows {
    int key, side, seal; /* which columns have the row's number, an image's side (-1: none), the seal */
    int count, capacity;
    struct row {
        int64_t number;
        char side[8];
        uint64_t seal;
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
            return app_fail(message, CKG_ERR_NOMEM, "out of memory");
        r->rows = rows;
        r->capacity = capacity;
    }

    struct row *row = &r->rows[r->count++];
    *row = (struct row){.number = columns[r->key].integer, .seal = app_seal_of(columns, r->seal)};
    if (r->side >= 0 && columns[r->side].text)
        snprintf(row->side, sizeof row->side, "%s", columns[r->side].text);
    r->before ^= (uint64_t)columns[r->seal].integer;
    r->after ^= row->seal;
    return CKG_OK;
}

/* --- changes --- */

/* All images of the change; their seals. */
static uint64_t seal_images(struct app_sql *sql, int64_t study, int64_t change)
{
    struct rows rows = {.key = APP_IMAGE_TRIAL, .side = APP_IMAGE_SIDE, .seal = APP_IMAGE_SEAL};

    APP_SQL(sql, "SELECT " APP_SEALED_IMAGE " FROM image i WHERE i.study = $1 AND i.change = $2", take_row,
            &rows, study, change);
    for (int i = 0; i < rows.count; i++)
        APP_SQL(sql,
                "UPDATE image SET seal = $1 WHERE study = $2 AND change = $3 AND trial = $4 AND side = $5",
                NULL, NULL, rows.rows[i].seal, study, change, rows.rows[i].number, rows.rows[i].side);
    free(rows.rows);
    return rows.after;
}

void app_seal_change_row(struct app_sql *sql, struct app_sealing *sealing, int64_t change)
{
    struct rows row = {.key = APP_CHANGE_NUMBER, .side = -1, .seal = APP_CHANGE_SEAL};

    APP_SQL(sql, "SELECT " APP_SEALED_CHANGE " FROM change c WHERE c.study = $1 AND c.number = $2", take_row,
            &row, sealing->study, change);
    APP_SQL(sql, "UPDATE change SET seal = $1 WHERE study = $2 AND number = $3", NULL, NULL, row.after,
            sealing->study, change);
    sealing->changes ^= row.before ^ row.after;
    free(row.rows);
}

void app_seal_change(struct app_sql *sql, struct app_sealing *sealing, int64_t change)
{
    const uint64_t images = seal_images(sql, sealing->study, change);

    APP_SQL(sql, "UPDATE change SET images = $1 WHERE study = $2 AND number = $3", NULL, NULL, images,
            sealing->study, change);
    app_seal_change_row(sql, sealing, change);
}

/* --- trials and studies --- */

/* All trials of the revision and later ones; what that changes in the sum of all seals. */
static uint64_t seal_trials(struct app_sql *sql, const struct app_sealing *sealing)
{
    struct rows rows = {.key = APP_TRIAL_NUMBER, .side = -1, .seal = APP_TRIAL_SEAL};

    APP_SQL(sql, "SELECT " APP_SEALED_TRIAL " FROM trial t WHERE t.study = $1 AND t.revision >= $2", take_row,
            &rows, sealing->study, sealing->revision);
    for (int i = 0; i < rows.count; i++)
        APP_SQL(sql, "UPDATE trial SET seal = $1 WHERE study = $2 AND number = $3", NULL, NULL,
                rows.rows[i].seal, sealing->study, rows.rows[i].number);
    free(rows.rows);
    return rows.before ^ rows.after;
}

/* --- trials alone --- */

static int take_held(void *context, const struct app_sql_value *columns, struct app_message *message)
{
    struct app_sealing *s = context;
    struct app_sql_value now[APP_STUDY_LAST];

    if (!app_seal_holds(columns, APP_STUDY_SEAL))
        return app_sql_damaged("study", columns[APP_STUDY_ID].integer, message);
    memcpy(now, columns, sizeof now);
    s->revision = ++now[APP_STUDY_REVISION].integer;
    s->row = app_seal_of(now, APP_STUDY_LAST);
    s->last = columns[APP_STUDY_LAST].integer;
    s->sums[0] = (uint64_t)columns[APP_STUDY_TRIALS].integer;
    s->sums[1] = (uint64_t)columns[APP_STUDY_CHANGES].integer;
    return CKG_OK;
}

void app_seal_hold(struct app_sql *sql, int64_t study, struct app_sealing *sealing)
{
    *sealing = (struct app_sealing){.study = study, .held = 1};
    APP_SQL(sql, "SELECT " APP_SEALED_STUDY " FROM study WHERE id = $1 {hold}", take_held, sealing, study);
}

/* SQLite returns a whole number that it was given as a real as an integer, and reads it back as a real. */
int app_seal_take(void *context, const struct app_sql_value *columns, struct app_message *message)
{
    static const int reals[] = {APP_TRIAL_SECONDS, APP_TRIAL_ASKED, APP_TRIAL_ENDED};
    struct app_sql_value row[APP_TRIAL_COUNT];

    (void)message;
    memcpy(row, columns, sizeof row);
    for (size_t i = 0; i < sizeof reals / sizeof *reals; i++)
        if (row[reals[i]].type == APP_SQL_INTEGER)
            row[reals[i]].type = APP_SQL_REAL;
    *(struct app_sealed *)context = (struct app_sealed){
        .number = row[APP_TRIAL_NUMBER].integer,
        .before = (uint64_t)row[APP_TRIAL_SEAL].integer,
        .after = app_seal_of(row, APP_TRIAL_SEAL),
    };
    return CKG_OK;
}

void app_seal_trial(struct app_sql *sql, struct app_sealing *sealing, const struct app_sealed *sealed)
{
    if (!sealed->number)
        return;
    sealing->trials ^= sealed->before ^ sealed->after;
    if (sealed->number > sealing->last)
        sealing->last = sealed->number;
    APP_SQL(sql, "UPDATE trial SET seal = $1 WHERE study = $2 AND number = $3", NULL, NULL, sealed->after,
            sealing->study, sealed->number);
}

/* The study's row after its trials. */
static void seal_held(struct app_sql *sql, const struct app_sealing *s)
{
    const uint64_t trials = s->sums[0] ^ s->trials;
    const struct app_sql_value rest[] = {app_sql_integer(s->last), app_sql_integer((int64_t)trials),
                                         app_sql_integer((int64_t)s->sums[1])};
    uint64_t seal = s->row;

    for (size_t i = 0; i < sizeof rest / sizeof *rest; i++)
        seal = add_value(seal, &rest[i]);
    APP_SQL(sql,
            "UPDATE study SET revision = $1, last = $2, trials = $3, seal = $4 WHERE id = $5"
            " RETURNING CASE WHEN $6 = 1 THEN {wake} END",
            NULL, NULL, s->revision, s->last, trials, seal, s->study, s->wakes);
}

/* --- studies --- */

/* What becomes of the study's row. */
struct study {
    uint64_t trials, changes; /* what changed in the sums; then the sums */
    uint64_t seal;
    int64_t last;
};

static int take_study(void *context, const struct app_sql_value *columns, struct app_message *message)
{
    struct app_sql_value now[APP_STUDY_SEAL];
    struct study *study = context;

    (void)message;
    memcpy(now, columns, sizeof now);
    study->trials ^= (uint64_t)columns[APP_STUDY_TRIALS].integer;
    study->changes ^= (uint64_t)columns[APP_STUDY_CHANGES].integer;
    study->last = columns[APP_STUDY_SEAL + 1].integer;
    now[APP_STUDY_LAST].integer = study->last;
    now[APP_STUDY_TRIALS].integer = (int64_t)study->trials;
    now[APP_STUDY_CHANGES].integer = (int64_t)study->changes;
    study->seal = app_seal_of(now, APP_STUDY_SEAL);
    return CKG_OK;
}

void app_seal_study(struct app_sql *sql, const struct app_sealing *sealing)
{
    struct study study = {.changes = sealing->changes};

    if (sealing->held) {
        seal_held(sql, sealing);
        return;
    }
    study.trials = seal_trials(sql, sealing) ^ sealing->trials;
    APP_SQL(sql,
            "SELECT " APP_SEALED_STUDY ", (SELECT COALESCE(MAX(t.number), 0) FROM trial t"
            " WHERE t.study = $1) FROM study WHERE id = $1",
            take_study, &study, sealing->study);
    APP_SQL(sql,
            "UPDATE study SET last = $1, trials = $2, changes = $3, seal = $4 WHERE id = $5"
            " RETURNING CASE WHEN $6 = 1 THEN {wake} END",
            NULL, NULL, study.last, study.trials, study.changes, study.seal, sealing->study, sealing->wakes);
}

/* --- a store without seals --- */

static void seal_one(struct app_sql *sql, int64_t study)
{
    struct app_sealing sealing = {.study = study};
    struct app_sql_numbers changes = {0};

    APP_SQL(sql, "SELECT number FROM change WHERE study = $1", app_sql_each_integer, &changes, study);
    for (int i = 0; i < changes.count; i++)
        app_seal_change(sql, &sealing, changes.number[i]);
    free(changes.number);
    app_seal_study(sql, &sealing);
}

void app_seal_all(struct app_sql *sql)
{
    struct app_sql_numbers studies = {0};

    app_sql_run(sql, "SELECT id FROM study", 0, NULL, app_sql_each_integer, &studies);
    for (int i = 0; i < studies.count; i++)
        seal_one(sql, studies.number[i]);
    free(studies.number);
}
