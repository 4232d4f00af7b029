#include "CSQLiteFaults.h"

#include <sqlite3.h>
#include <stddef.h>
#include <string.h>

// One call fails at a time. Any thread may make it.
static int armed = FAULT_NONE;
static long number = 0;
static long calls = 0;
static const char *struck = NULL;

void faults_arm(int kind, long at) {
    __atomic_store_n(&armed, FAULT_NONE, __ATOMIC_SEQ_CST);
    __atomic_store_n(&calls, 0, __ATOMIC_SEQ_CST);
    __atomic_store_n(&number, at, __ATOMIC_SEQ_CST);
    __atomic_store_n(&struck, NULL, __ATOMIC_SEQ_CST);
    __atomic_store_n(&armed, kind, __ATOMIC_SEQ_CST);
}

long faults_calls(void) { return __atomic_load_n(&calls, __ATOMIC_SEQ_CST); }

const char *faults_struck(void) { return __atomic_load_n(&struck, __ATOMIC_SEQ_CST); }

/// True if this call is the one to fail.
static int fails(int isMemory, int isWrite, const char *name) {
    int kind = __atomic_load_n(&armed, __ATOMIC_SEQ_CST);
    if (kind == FAULT_NONE || (kind == FAULT_MEMORY) != isMemory) return 0;
    if ((kind == FAULT_TORN || kind == FAULT_FULL) && !isWrite) return 0;
    if (__atomic_add_fetch(&calls, 1, __ATOMIC_SEQ_CST) != __atomic_load_n(&number, __ATOMIC_SEQ_CST)) return 0;
    __atomic_store_n(&struck, name, __ATOMIC_SEQ_CST);
    return 1;
}

// MARK: Memory

static sqlite3_mem_methods memory;

static void *aMalloc(int size) { return fails(1, 0, "malloc") ? NULL : memory.xMalloc(size); }
static void *aRealloc(void *old, int size) { return fails(1, 0, "realloc") ? NULL : memory.xRealloc(old, size); }

// MARK: Files

typedef struct {
    sqlite3_file base;
    sqlite3_file *real;
} File;

#define REAL(file) (((File *)(file))->real)
#define METHODS(file) (REAL(file)->pMethods)

static sqlite3_vfs *system_vfs;
static sqlite3_vfs vfs;

static int xClose(sqlite3_file *file) { return METHODS(file)->xClose(REAL(file)); }

static int xRead(sqlite3_file *file, void *to, int count, sqlite3_int64 at) {
    if (fails(0, 0, "read")) return SQLITE_IOERR_READ;
    return METHODS(file)->xRead(REAL(file), to, count, at);
}

static int xWrite(sqlite3_file *file, const void *from, int count, sqlite3_int64 at) {
    int kind = __atomic_load_n(&armed, __ATOMIC_SEQ_CST);
    if (fails(0, 1, "write")) {
        if (kind == FAULT_TORN && count > 1) METHODS(file)->xWrite(REAL(file), from, count / 2, at);
        return kind == FAULT_FULL ? SQLITE_FULL : SQLITE_IOERR_WRITE;
    }
    return METHODS(file)->xWrite(REAL(file), from, count, at);
}

static int xTruncate(sqlite3_file *file, sqlite3_int64 size) {
    if (fails(0, 0, "truncate")) return SQLITE_IOERR_TRUNCATE;
    return METHODS(file)->xTruncate(REAL(file), size);
}

static int xSync(sqlite3_file *file, int flags) {
    if (fails(0, 0, "sync")) return SQLITE_IOERR_FSYNC;
    return METHODS(file)->xSync(REAL(file), flags);
}

static int xFileSize(sqlite3_file *file, sqlite3_int64 *size) {
    if (fails(0, 0, "size")) return SQLITE_IOERR_FSTAT;
    return METHODS(file)->xFileSize(REAL(file), size);
}

static int xLock(sqlite3_file *file, int level) {
    if (fails(0, 0, "lock")) return SQLITE_IOERR_LOCK;
    return METHODS(file)->xLock(REAL(file), level);
}

static int xUnlock(sqlite3_file *file, int level) { return METHODS(file)->xUnlock(REAL(file), level); }

static int xCheckReservedLock(sqlite3_file *file, int *result) {
    return METHODS(file)->xCheckReservedLock(REAL(file), result);
}

static int xFileControl(sqlite3_file *file, int operation, void *value) {
    return METHODS(file)->xFileControl(REAL(file), operation, value);
}

static int xSectorSize(sqlite3_file *file) { return METHODS(file)->xSectorSize(REAL(file)); }

static int xDeviceCharacteristics(sqlite3_file *file) { return METHODS(file)->xDeviceCharacteristics(REAL(file)); }

static int xShmMap(sqlite3_file *file, int region, int size, int extend, void volatile **memory) {
    if (fails(0, 0, "shm map")) return SQLITE_IOERR_SHMMAP;
    return METHODS(file)->xShmMap(REAL(file), region, size, extend, memory);
}

static int xShmLock(sqlite3_file *file, int offset, int count, int flags) {
    // Letting go of a lock never fails.
    if (flags & SQLITE_SHM_LOCK && fails(0, 0, "shm lock")) return SQLITE_IOERR_SHMLOCK;
    return METHODS(file)->xShmLock(REAL(file), offset, count, flags);
}

static void xShmBarrier(sqlite3_file *file) { METHODS(file)->xShmBarrier(REAL(file)); }

static int xShmUnmap(sqlite3_file *file, int deletes) { return METHODS(file)->xShmUnmap(REAL(file), deletes); }

// Version 2: nothing is mapped but the index of the log.
static const sqlite3_io_methods methods = {
    2, xClose, xRead, xWrite, xTruncate, xSync, xFileSize, xLock, xUnlock, xCheckReservedLock, xFileControl,
    xSectorSize, xDeviceCharacteristics, xShmMap, xShmLock, xShmBarrier, xShmUnmap, NULL, NULL,
};

static int xOpen(sqlite3_vfs *self, const char *name, sqlite3_file *file, int flags, int *result) {
    (void)self;
    file->pMethods = NULL;
    if (fails(0, 0, "open")) return SQLITE_CANTOPEN;
    REAL(file) = (sqlite3_file *)((char *)file + sizeof(File));
    int code = system_vfs->xOpen(system_vfs, name, REAL(file), flags, result);
    // A file that could not be opened may have to be closed.
    if (REAL(file)->pMethods) file->pMethods = &methods;
    return code;
}

static int xDelete(sqlite3_vfs *self, const char *name, int flushes) {
    (void)self;
    if (fails(0, 0, "delete")) return SQLITE_IOERR_DELETE;
    return system_vfs->xDelete(system_vfs, name, flushes);
}

static int xAccess(sqlite3_vfs *self, const char *name, int flags, int *result) {
    (void)self;
    if (fails(0, 0, "access")) return SQLITE_IOERR_ACCESS;
    return system_vfs->xAccess(system_vfs, name, flags, result);
}

static int xFullPathname(sqlite3_vfs *self, const char *name, int size, char *result) {
    (void)self;
    if (fails(0, 0, "path")) return SQLITE_CANTOPEN;
    return system_vfs->xFullPathname(system_vfs, name, size, result);
}

int faults_install(void) {
    int code = sqlite3_config(SQLITE_CONFIG_GETMALLOC, &memory);
    if (code != SQLITE_OK) return code;
    sqlite3_mem_methods ours = memory;
    ours.xMalloc = aMalloc;
    ours.xRealloc = aRealloc;
    code = sqlite3_config(SQLITE_CONFIG_MALLOC, &ours);
    // Memory that a connection sets aside would hide allocations.
    if (code == SQLITE_OK) code = sqlite3_config(SQLITE_CONFIG_LOOKASIDE, 0, 0);
    if (code == SQLITE_OK) code = sqlite3_initialize();
    if (code != SQLITE_OK) return code;
    system_vfs = sqlite3_vfs_find(NULL);
    vfs = *system_vfs;
    vfs.zName = "faults";
    vfs.szOsFile = (int)sizeof(File) + system_vfs->szOsFile;
    vfs.xOpen = xOpen;
    vfs.xDelete = xDelete;
    vfs.xAccess = xAccess;
    vfs.xFullPathname = xFullPathname;
    return sqlite3_vfs_register(&vfs, 1);
}
