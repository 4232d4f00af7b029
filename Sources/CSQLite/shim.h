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

/// `SQLITE_TRANSIENT` is a macro that Swift does not import.
static inline int aquifer_sqlite_bind_text_copy(sqlite3_stmt *statement, int index, const char *text, int count) {
    return sqlite3_bind_text(statement, index, text, count, SQLITE_TRANSIENT);
}
