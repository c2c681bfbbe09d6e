/*
 * The SQLite driver. One file in WAL mode, so that readers never wait for a writer; a writer takes its lock
 * at the start of the transaction and waits for another's up to half a minute. In a folder where nothing can
 * be written, a file that was closed in order is read as one that cannot change, which SQLite asks for in WAL
 * mode. Statements are prepared once and kept. A study is locked by a file beside the database, which the
 * system gives back when the process ends.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <ckg/status.h>

#include "store/sql.h"

enum { WAIT_MS = 30000, STATEMENTS = 72 };

struct database {
    sqlite3 *handle;
    char *path;
    int durable; /* what PRAGMA synchronous stands at */
    int lock;    /* the lock file, -1 before it is opened */
    int page;    /* bytes of a page */
    struct {
        const char *sql; /* the address tells statements apart */
        sqlite3_stmt *prepared;
    } stored[STATEMENTS];
};

/* What to do about it. */
static const struct {
    int code;
    const char *text;
} advices[] = {
    {SQLITE_BUSY, "; another program is using it, try again"},
    {SQLITE_FULL, "; free some space, then run the same command again"},
    {SQLITE_IOERR, "; check the disk and its free space, then run the same command again"},
    {SQLITE_READONLY, "; the file and its folder must be writable"},
    {SQLITE_PERM, "; the file and its folder must be writable"},
    {SQLITE_CANTOPEN, "; its folder must be there and writable, or choose another path with --store"},
    {SQLITE_NOTADB, "; choose another path with --store"},
    {SQLITE_CORRUPT, "; the file is damaged: restore it from a backup, or see what `ckg check` can save"},
};

static int complain(struct database *db, struct app_message *message)
{
    const int code = db->handle ? sqlite3_errcode(db->handle) : SQLITE_NOMEM;
    const char *advice = "";

    for (size_t i = 0; i < sizeof advices / sizeof *advices; i++)
        if (advices[i].code == code)
            advice = advices[i].text;
    const int status = code == SQLITE_NOTADB  ? CKG_ERR_INVALID
                       : code == SQLITE_NOMEM ? CKG_ERR_NOMEM
                                              : CKG_ERR_SYSTEM;
    return app_fail(message, status, "%s: %s%s", db->path,
                    db->handle ? sqlite3_errmsg(db->handle) : "out of memory", advice);
}

/* --- opening --- */

/* Every SQLite file begins with these words. */
static int sqlite_is_file(const char *path)
{
    static const char words[] = "SQLite format 3";
    char head[sizeof words] = "";
    const int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    const int same = file >= 0 && read(file, head, sizeof head) == (ssize_t)sizeof head &&
                     !memcmp(head, words, sizeof words);

    if (file >= 0)
        close(file);
    return same;
}

static void sqlite_close(void *database)
{
    struct database *db = database;

    if (!db)
        return;
    for (int i = 0; i < STATEMENTS; i++)
        sqlite3_finalize(db->stored[i].prepared);
    sqlite3_close(db->handle);
    if (db->lock >= 0)
        close(db->lock);
    free(db->path);
    free(db);
}

static int pragma(struct database *db, const char *sql, struct app_message *message)
{
    return sqlite3_exec(db->handle, sql, NULL, NULL, NULL) == SQLITE_OK ? CKG_OK : complain(db, message);
}

/* The one number that the statement gives. */
static int read_integer(struct database *db, const char *sql, int *out, struct app_message *message)
{
    sqlite3_stmt *statement = NULL;
    const int good = sqlite3_prepare_v2(db->handle, sql, -1, &statement, NULL) == SQLITE_OK &&
                     sqlite3_step(statement) == SQLITE_ROW;

    if (good)
        *out = sqlite3_column_int(statement, 0);
    const int status = good ? CKG_OK : complain(db, message);
    sqlite3_finalize(statement);
    return status;
}

/* 1 when nobody can write beside the file, and all that was written is in it. */
static int is_frozen(const char *given)
{
    struct app_text beside = {0};
    struct stat info;
    char real[PATH_MAX];
    const char *path = realpath(given, real) ? real : given;
    const char *slash = strrchr(path, '/');

    app_text_print(&beside, "%.*s", slash ? (int)(slash - path + 1) : 1, slash ? path : ".");
    int frozen = !beside.failed && access(beside.data, W_OK) != 0;
    beside.length = 0;
    app_text_print(&beside, "%s-wal", path);
    frozen = frozen && !beside.failed && (stat(beside.data, &info) != 0 || !info.st_size);
    app_text_free(&beside);
    return frozen;
}

/* The URI of a file that does not change. */
static void write_frozen_uri(struct app_text *out, const char *path)
{
    app_text_print(out, "file:");
    for (; *path; path++)
        app_text_print(out, strchr("?#%", *path) ? "%%%02X" : "%c", (unsigned char)*path);
    app_text_print(out, "?immutable=1");
}

static int open_file(struct database *db, int create, struct app_message *message)
{
    struct app_text uri = {0};
    int flags = SQLITE_OPEN_NOMUTEX |
                (create ? SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE : SQLITE_OPEN_READWRITE);

    if (!create && is_frozen(db->path)) {
        flags = SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_READONLY | SQLITE_OPEN_URI;
        write_frozen_uri(&uri, db->path);
    }
    const int code = uri.failed ? SQLITE_NOMEM
                                : sqlite3_open_v2(uri.data ? uri.data : db->path, &db->handle, flags, NULL);
    app_text_free(&uri);
    return code == SQLITE_OK ? CKG_OK : complain(db, message);
}

static void sqlite_rollback(void *database)
{
    struct database *db = database;

    if (!sqlite3_get_autocommit(db->handle))
        sqlite3_exec(db->handle, "ROLLBACK", NULL, NULL, NULL);
}

/*
 * A database without tables is a new one. With more than its first page, none of them free, it was none: its
 * list of tables is lost.
 */
static int check_blank(struct database *db, struct app_message *message)
{
    int blank = 1;
    int pages = 0;

    /* At one moment: another process may be making the tables. */
    int status = pragma(db, "BEGIN", message);
    if (!status)
        status = read_integer(db, "SELECT NOT EXISTS (SELECT 1 FROM sqlite_schema)", &blank, message);
    if (!status && blank)
        status = read_integer(db,
                              "SELECT page_count - (SELECT freelist_count FROM pragma_freelist_count)"
                              " FROM pragma_page_count",
                              &pages, message);
    sqlite_rollback(db);
    if (status || pages <= 1)
        return status;
    return app_fail(message, CKG_ERR_SYSTEM,
                    "%s: the store is damaged: it has lost its tables; restore it from a backup", db->path);
}

/* --- the log --- */

/* Of the log, its index in shared memory, and the parts of both, as the format of SQLite's files says. */
enum { LOG_HEADER = 32, FRAME_HEADER = 24, INDEX_SIZE = 32768, INDEX_FRAMES = 4 };

/* The log, NULL: there is none. */
static sqlite3_file *log_of(struct database *db)
{
    sqlite3_file *log = NULL;

    return !sqlite3_file_control(db->handle, "main", SQLITE_FCNTL_JOURNAL_POINTER, &log) && log &&
                   log->pMethods
               ? log
               : NULL;
}

/* How many pages the log has, by its index, which all processes share. */
static uint32_t count_frames(struct database *db)
{
    sqlite3_file *file = NULL;
    void volatile *index = NULL;

    if (!log_of(db) || sqlite3_file_control(db->handle, "main", SQLITE_FCNTL_FILE_POINTER, &file) || !file ||
        !file->pMethods || file->pMethods->iVersion < 2 || !file->pMethods->xShmMap)
        return 0;
    if (file->pMethods->xShmMap(file, 0, INDEX_SIZE, 0, &index) || !index)
        return 0;
    return ((uint32_t volatile *)index)[INDEX_FRAMES];
}

/*
 * CKG_OK where the log has so many pages, CKG_ERR_STATE where it has not, CKG_ERR_SYSTEM where the disk does
 * not answer. Where another program cut it, and it grew again since, there is a hole, and no page has the
 * number 0.
 */
static int find_frames(struct database *db, uint32_t frames)
{
    sqlite3_file *log = log_of(db);
    sqlite3_int64 size = 0;
    unsigned char number[4];

    if (!frames || !log)
        return CKG_OK;

    const sqlite3_int64 frame = db->page + FRAME_HEADER;
    const sqlite3_int64 end = LOG_HEADER + frame * frames;
    if (log->pMethods->xFileSize(log, &size))
        return CKG_ERR_SYSTEM;
    if (size < end)
        return CKG_ERR_STATE;
    if (log->pMethods->xRead(log, number, sizeof number, end - frame))
        return CKG_ERR_SYSTEM;
    return number[0] | number[1] | number[2] | number[3] ? CKG_OK : CKG_ERR_STATE;
}

/* What is left of it must not be written over the file. */
static int say_cut(struct database *db, struct app_message *message)
{
    sqlite3_db_config(db->handle, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, NULL);
    return app_fail(
        message, CKG_ERR_SYSTEM,
        "%s-wal: cut short by another program while it was in use, the last results are lost; `ckg "
        "check` says what is left",
        db->path);
}

/* What was committed has not been taken away since. */
static int sqlite_stored(void *database, struct app_message *message)
{
    struct database *db = database;
    const int status = find_frames(db, count_frames(db));

    if (status == CKG_ERR_SYSTEM)
        return app_fail(message, CKG_ERR_SYSTEM,
                        "%s-wal: disk I/O error; check the disk, then run the same command again", db->path);
    return status ? say_cut(db, message) : CKG_OK;
}

static int sqlite_open(void **out, const char *url, int create, const struct app_asking *asking,
                       struct app_message *message)
{
    struct database *db = calloc(1, sizeof *db);
    struct stat info;

    (void)asking;
    *out = NULL;
    if (!db)
        return app_no_memory(message);

    /* A file, by its path. */
    db->lock = -1;
    db->path = app_copy(strchr(url, ':') + 1);
    if (!db->path || !*db->path || !strcmp(db->path, ":memory:")) {
        sqlite_close(db);
        return app_fail(message, CKG_ERR_INVALID, "%s: a store is a file: sqlite:PATH", url);
    }

    /* Opened, and made only where that is wanted. */
    int status = CKG_OK;
    if (!create && stat(db->path, &info))
        status = app_fail(message, CKG_ERR_NOT_FOUND, "%s: %s", db->path, strerror(errno));
    if (!status)
        status = open_file(db, create, message);

    /* How this connection behaves. */
    if (!status) {
        sqlite3_busy_timeout(db->handle, WAIT_MS);
        sqlite3_db_config(db->handle, SQLITE_DBCONFIG_DQS_DML, 0, NULL);
        status = pragma(db, "PRAGMA foreign_keys = ON", message);
    }
    if (!status)
        status = pragma(db, "PRAGMA synchronous = NORMAL", message);
    if (!status)
        status = check_blank(db, message);
    if (!status)
        status = read_integer(db, "SELECT page_size FROM pragma_page_size", &db->page, message);

    if (status)
        sqlite_close(db);
    else
        *out = db;
    return status;
}

/* The change to WAL does not wait for other programs by itself. */
static int sqlite_settle(void *database, struct app_message *message)
{
    struct database *db = database;

    for (int wait = 0; wait < WAIT_MS / 10; wait++) {
        const int code = sqlite3_exec(db->handle, "PRAGMA journal_mode = WAL", NULL, NULL, NULL);
        if (code != SQLITE_BUSY)
            return code == SQLITE_OK ? CKG_OK : complain(db, message);
        sqlite3_sleep(10);
    }
    return complain(db, message);
}

/* --- statements --- */

/* The statement, in a place of its own while there is one; the last place is everybody's. */
static sqlite3_stmt *prepare(struct database *db, const char *sql)
{
    int i = 0;

    while (i < STATEMENTS - 1 && db->stored[i].sql && db->stored[i].sql != sql)
        i++;
    if (db->stored[i].sql == sql)
        return db->stored[i].prepared;
    sqlite3_finalize(db->stored[i].prepared);
    db->stored[i].sql = NULL;
    if (sqlite3_prepare_v3(db->handle, sql, -1, SQLITE_PREPARE_PERSISTENT, &db->stored[i].prepared, NULL) !=
        SQLITE_OK)
        return NULL;
    db->stored[i].sql = sql;
    return db->stored[i].prepared;
}

/* SQLite's code. */
static int bind(sqlite3_stmt *statement, int at, const struct app_sql_value *value)
{
    if (value->type == APP_SQL_INTEGER)
        return sqlite3_bind_int64(statement, at, value->integer);
    if (value->type == APP_SQL_REAL)
        return sqlite3_bind_double(statement, at, value->real);
    if (value->type == APP_SQL_TEXT)
        return sqlite3_bind_text(statement, at, value->text, -1, SQLITE_TRANSIENT);
    return sqlite3_bind_null(statement, at);
}

static int give_row(sqlite3_stmt *statement, app_sql_row *row, void *context, struct app_message *message)
{
    enum { COLUMNS = 24 };
    struct app_sql_value columns[COLUMNS] = {{0}};
    const int count = sqlite3_column_count(statement);

    for (int i = 0; i < count && i < COLUMNS; i++) {
        const int type = sqlite3_column_type(statement, i);
        columns[i].type = type == SQLITE_INTEGER ? APP_SQL_INTEGER
                          : type == SQLITE_FLOAT ? APP_SQL_REAL
                          : type == SQLITE_NULL  ? APP_SQL_NULL
                                                 : APP_SQL_TEXT;
        columns[i].integer = sqlite3_column_int64(statement, i);
        columns[i].real = sqlite3_column_double(statement, i);
        columns[i].text = columns[i].type == APP_SQL_TEXT ? (const char *)sqlite3_column_text(statement, i)
                                                          : NULL;
        if (columns[i].type == APP_SQL_TEXT && !columns[i].text)
            return app_no_memory(message);
    }
    return row(context, columns, message);
}

static int sqlite_run(void *database, const char *sql, int count, const struct app_sql_value *values,
                      app_sql_row *row, void *context, struct app_message *message)
{
    struct database *db = database;
    sqlite3_stmt *statement = prepare(db, sql);

    if (!statement)
        return complain(db, message);

    /* What it is about: $7 is the seventh of the values. */
    int status = CKG_OK;
    for (int i = 1; !status && i <= sqlite3_bind_parameter_count(statement); i++) {
        const int at = atoi(sqlite3_bind_parameter_name(statement, i) + 1) - 1;
        if (at < 0 || at >= count || bind(statement, i, &values[at]) != SQLITE_OK)
            status = complain(db, message);
    }

    /* Row by row. */
    int step = SQLITE_DONE;
    while (!status && (step = sqlite3_step(statement)) == SQLITE_ROW)
        if (row)
            status = give_row(statement, row, context, message);
    if (!status && step != SQLITE_DONE)
        status = complain(db, message);
    sqlite3_reset(statement);
    sqlite3_clear_bindings(statement);
    return status;
}

/* --- transactions --- */

/* What is written to a file without a name is lost. */
static int check_place(struct database *db, struct app_message *message)
{
    int moved = 0;

    sqlite3_file_control(db->handle, "main", SQLITE_FCNTL_HAS_MOVED, &moved);
    if (!moved)
        return CKG_OK;
    return app_fail(message, CKG_ERR_SYSTEM,
                    "%s: deleted or moved while it was in use; put it back, then run the same command again",
                    db->path);
}

static int sqlite_begin(void *database, int durable, struct app_message *message)
{
    struct database *db = database;
    int status = check_place(db, message);

    durable = durable > 0;

    if (!status)
        status = sqlite_stored(db, message);
    if (!status && durable != db->durable)
        status = pragma(db, durable ? "PRAGMA synchronous = FULL" : "PRAGMA synchronous = NORMAL", message);
    if (!status) {
        db->durable = durable;
        status = sqlite_run(db, "BEGIN IMMEDIATE", 0, NULL, NULL, NULL, message);
    }
    return status;
}

/* It is in the log, behind what was there before; where the disk does not say, it has said that it wrote. */
static int sqlite_commit(void *database, struct app_message *message)
{
    struct database *db = database;
    const uint32_t before = count_frames(db);
    const int status = sqlite_run(database, "COMMIT", 0, NULL, NULL, NULL, message);

    if (status)
        return status;
    const uint32_t after = count_frames(db);
    const int cut = find_frames(db, after) == CKG_ERR_STATE ||
                    (before < after && find_frames(db, before) == CKG_ERR_STATE);
    return cut ? say_cut(db, message) : CKG_OK;
}

/* --- the lock --- */

/*
 * A byte of the lock file per study. The lock is of the open file, not of the process: two threads exclude
 * each other too.
 */
static struct flock lock_lock(int64_t study, short type)
{
    return (struct flock){.l_type = type, .l_whence = SEEK_SET, .l_start = (off_t)study, .l_len = 1};
}

static int open_lock(struct database *db, struct app_message *message)
{
    struct app_text path = {0};

    /* Beside the file itself, by whichever path it was opened; a link in that place is not ours. */
    app_text_print(&path, "%s-turn", sqlite3_db_filename(db->handle, "main"));
    if (path.failed)
        return app_no_memory(message);
    db->lock = open(path.data, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0666);
    const int status = db->lock >= 0
                           ? CKG_OK
                           : app_fail(message, CKG_ERR_SYSTEM, "%s: %s", path.data, strerror(errno));
    app_text_free(&path);
    return status;
}

static int sqlite_lock(void *database, int64_t study, int *taken, struct app_message *message)
{
    struct database *db = database;
    struct flock lock = lock_lock(study, F_WRLCK);

    *taken = 0;
    if (db->lock < 0 && open_lock(db, message))
        return CKG_ERR_SYSTEM;
    *taken = fcntl(db->lock, F_OFD_SETLK, &lock) == 0;
    if (!*taken && errno != EACCES && errno != EAGAIN)
        return app_fail(message, CKG_ERR_SYSTEM, "%s-turn: %s", db->path, strerror(errno));
    return CKG_OK;
}

static void sqlite_unlock(void *database, int64_t study)
{
    struct database *db = database;
    struct flock lock = lock_lock(study, F_UNLCK);

    if (db->lock >= 0)
        fcntl(db->lock, F_OFD_SETLK, &lock);
}

/* The lock is of the open file, which the two processes share until one of them closes it. */
static void sqlite_forked(void *database)
{
    struct database *db = database;

    if (db->lock >= 0)
        close(db->lock);
    db->lock = -1;
}

const struct app_sql_driver app_sql_sqlite = {
    .scheme = "sqlite:",
    .is_file = sqlite_is_file,
    .dialect =
        {
            .id = "INTEGER PRIMARY KEY",
            .integer = "INTEGER",
            .real = "REAL",
            .text = "TEXT",
            .now = "((julianday('now') - 2440587.5) * 86400.0)",
            .up = "1e9",
            .tables = "(SELECT name FROM sqlite_schema WHERE type = 'table')",
            .schema = "",
            .claim = "",
            .lock_row = "",
            .wake = "NULL",
            .relaxed = "1",
            .check = "PRAGMA integrity_check(20)",
        },
    .open = sqlite_open,
    .close = sqlite_close,
    .settle = sqlite_settle,
    .begin = sqlite_begin,
    .commit = sqlite_commit,
    .stored = sqlite_stored,
    .rollback = sqlite_rollback,
    .run = sqlite_run,
    .lock = sqlite_lock,
    .unlock = sqlite_unlock,
    .forked = sqlite_forked,
};
