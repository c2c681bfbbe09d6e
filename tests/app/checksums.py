"""The store's seals (app/store/checksum.h) once more, by another hand: to check them, and to forge rows that a test needs and nobody wrote."""
import contextlib
import sqlite3
import struct

ONES = 2 ** 64 - 1
POLYNOMIAL = 0xC96C5795D7870F42  # of CRC-64/XZ, reflected

STUDY = "id, name, definition, folder, seed, revision, redefined, created, last, trials, changes"
TRIAL = ("study, number, revision, state, origin, queued, parameters, outcomes, why, log, answer, extra, notes, seconds, starts, failures, asked,"
         " ended, chosen_by, reason")
LATER = {TRIAL: 18}  # columns from this one on are sealed where they are not null, each with its place
CHANGE = "study, number, kind, command, who, made, undone, undone_by, definition_before, definition_after, images"
IMAGE = "study, change, trial, side, state, queued, parameters, outcomes, why, log, answer, extra, notes, seconds, starts, failures, ended"


def crc_table():
    table = []
    for byte in range(256):
        for _ in range(8):
            byte = byte >> 1 ^ (POLYNOMIAL if byte & 1 else 0)
        table.append(byte)
    return table


TABLE = crc_table()


def crc(data):
    register = ONES
    for byte in data:
        register = TABLE[(register ^ byte) & 255] ^ register >> 8
    return register ^ ONES


def value_bytes(value):
    if value is None:
        return struct.pack("<QQ", 0, 0)
    if isinstance(value, int):
        return struct.pack("<Qq", 1, value)
    if isinstance(value, float):
        return struct.pack("<Qd", 2, value)
    data = value.encode() if isinstance(value, str) else value
    return struct.pack("<QQ", 3, len(data)) + data


def checksum(values, always=None):
    """As the 64-bit integer with a sign that a database keeps."""
    always = len(values) if always is None else always
    later = (struct.pack("<Q", i) + value_bytes(v) for i, v in enumerate(values) if i >= always and v is not None)
    return signed(crc(b"".join(map(value_bytes, values[:always])) + b"".join(later)))


def signed(number):
    number &= ONES
    return number - 2 ** 64 if number >> 63 else number


def total(checksums):
    out = 0
    for one in checksums:
        out ^= one
    return out


def checksum_kind(store, table, columns, where, *keys):
    """The rows' seals by what the rows say, with their rowids."""
    return [(row[0], checksum(row[1:], LATER.get(columns))) for row in store.execute(f"SELECT rowid, {columns} FROM {table} WHERE {where}", keys).fetchall()]


def write(store, table, rows):
    store.executemany(f"UPDATE {table} SET seal = ? WHERE rowid = ?", [(one, row) for row, one in rows])
    return total(one for _, one in rows)


def checksum_all(store):
    """As if the program had written every row as it is."""
    for (study,) in store.execute("SELECT id FROM study").fetchall():
        for (change,) in store.execute("SELECT number FROM change WHERE study = ?", (study,)).fetchall():
            images = write(store, "image", checksum_kind(store, "image", IMAGE, "study = ? AND change = ?", study, change))
            store.execute("UPDATE change SET images = ? WHERE study = ? AND number = ?", (images, study, change))
        trials = write(store, "trial", checksum_kind(store, "trial", TRIAL, "study = ?", study))
        changes = write(store, "change", checksum_kind(store, "change", CHANGE, "study = ?", study))
        store.execute("UPDATE study SET trials = ?, changes = ?, last = (SELECT COALESCE(MAX(number), 0) FROM trial WHERE study = id) WHERE id = ?",
                      (trials, changes, study))
        write(store, "study", checksum_kind(store, "study", STUDY, "id = ?", study))


@contextlib.contextmanager
def forged(path):
    """The store's connection; what is done to it is sealed at the end."""
    store = sqlite3.connect(path, isolation_level=None, timeout=60)
    try:
        yield store
        checksum_all(store)
    finally:
        store.close()


def check_checksums(path):
    """Every row's seal is that of another hand, and so are the sums."""
    store = sqlite3.connect(path)
    tables = (("study", STUDY), ("trial", TRIAL), ("change", CHANGE), ("image", IMAGE))
    def everything():
        return [store.execute(f"SELECT {columns}, seal FROM {table} ORDER BY rowid").fetchall() for table, columns in tables]
    before = everything()
    checksum_all(store)
    after = everything()
    store.rollback()
    store.close()
    assert before == after, (before, after)
    return [len(rows) for rows in before]
