#pragma once

/// The ways in which a call of SQLite fails.
enum {
    FAULT_NONE = 0,
    /// An allocation.
    FAULT_MEMORY = 1,
    /// A call on a file. Nothing of it is carried out.
    FAULT_FILE = 2,
    /// A call on a file. The first half of a write is carried out.
    FAULT_TORN = 3,
    /// A write for which there is no room.
    FAULT_FULL = 4,
};

/// Puts counting allocations and a counting file system under SQLite. Call it before SQLite is used.
///
/// Returns 0, or a code of SQLite's.
int faults_install(void);

/// Counts from 0 again. The call of this number fails, once; 0 lets none fail.
void faults_arm(int kind, long number);

/// The number of calls of the armed kind since then.
long faults_calls(void);

/// The name of the call that failed; null if none has.
const char *faults_struck(void);
