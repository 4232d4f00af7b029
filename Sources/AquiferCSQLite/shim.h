#pragma once
#include <sqlite3.h>

/// The size of the database file, and its first bytes, read beside SQLite's own machinery: no lock is taken, no log
/// is opened or recovered. So a file that is not ours is told from one that is without touching it. (Opening the file
/// by hand would do it too, but closing it would drop the locks that other connections of this process hold.)
static inline int aquifer_sqlite_peek(sqlite3 *db, sqlite3_int64 *size, void *buffer, int count) {
    sqlite3_file *file = 0;
    int code = sqlite3_file_control(db, "main", SQLITE_FCNTL_FILE_POINTER, &file);
    if (code != SQLITE_OK) return code;
    if (!file || !file->pMethods) return SQLITE_CANTOPEN;
    code = file->pMethods->xFileSize(file, size);
    if (code != SQLITE_OK || *size < count) return code;
    return file->pMethods->xRead(file, buffer, count, 0);
}

/// Returns when what was written to the database file is on the device. (A descriptor of our own would drop locks: above.)
static inline int aquifer_sqlite_flush(sqlite3 *db) {
    sqlite3_file *file = 0;
    int code = sqlite3_file_control(db, "main", SQLITE_FCNTL_FILE_POINTER, &file);
    if (code != SQLITE_OK) return code;
    if (!file || !file->pMethods) return SQLITE_CANTOPEN;
    return file->pMethods->xSync(file, SQLITE_SYNC_NORMAL);
}

/// The number of commits so far, of all processes, from the index of the log that all share: the field `iChange` of
/// https://sqlite.org/walformat.html. Call it for a database with such a log, after a read. The file of the index is not opened by
/// hand, because closing it would drop locks: above.
static inline int aquifer_sqlite_commits(sqlite3 *db, unsigned *commits) {
    sqlite3_file *file = 0;
    int code = sqlite3_file_control(db, "main", SQLITE_FCNTL_FILE_POINTER, &file);
    if (code != SQLITE_OK) return code;
    if (!file || !file->pMethods || file->pMethods->iVersion < 2 || !file->pMethods->xShmMap) return SQLITE_NOTFOUND;
    void volatile *index = 0;
    code = file->pMethods->xShmMap(file, 0, 32768, 0, &index);
    if (code != SQLITE_OK) return code;
    if (!index) return SQLITE_NOTFOUND;
    *commits = __atomic_load_n((unsigned volatile *)index + 2, __ATOMIC_RELAXED);
    return SQLITE_OK;
}

/// Lets a connection change the list of tables and indexes itself. Some systems forbid it by default.
static inline int aquifer_sqlite_allow_schema_changes(sqlite3 *db) {
#ifdef SQLITE_DBCONFIG_DEFENSIVE
    return sqlite3_db_config(db, SQLITE_DBCONFIG_DEFENSIVE, 0, (int *)0);
#else
    return SQLITE_OK;
#endif
}

/// Lets a connection leave the log beside its database when it closes.
static inline int aquifer_sqlite_keep_log(sqlite3 *db) {
    return sqlite3_db_config(db, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, (int *)0);
}

/// The extended code of a key that stands in an index already: a macro that Swift does not import.
enum { AQUIFER_SQLITE_CONSTRAINT_UNIQUE = SQLITE_CONSTRAINT_UNIQUE };

/// `SQLITE_TRANSIENT` is a macro that Swift does not import.
static inline int aquifer_sqlite_bind_text_copy(sqlite3_stmt *statement, int index, const char *text, int count) {
    return sqlite3_bind_text(statement, index, text, count, SQLITE_TRANSIENT);
}

/// The error number of the last call on the log, or else on the database, that failed. `sqlite3_system_errno` does not
/// know of a write that failed while committing.
static inline int aquifer_sqlite_last_errno(sqlite3 *db) {
    static const int places[] = {SQLITE_FCNTL_JOURNAL_POINTER, SQLITE_FCNTL_FILE_POINTER};
    for (int i = 0; i < 2; i++) {
        sqlite3_file *file = 0;
        int number = 0;
        if (sqlite3_file_control(db, "main", places[i], &file) != SQLITE_OK || !file || !file->pMethods) continue;
        if (file->pMethods->xFileControl(file, SQLITE_FCNTL_LAST_ERRNO, &number) == SQLITE_OK && number) return number;
    }
    return sqlite3_system_errno(db);
}
