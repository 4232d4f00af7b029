import Aquifer
import AquiferCSQLite
import AquiferTesting
import Foundation

/// A file system of SQLite's on the disk of the running simulation. Each call is one of the disk's, with its faults.
///
/// All simulated processes are in one real process, so the locks and the shared memory of a database are this file system's
/// own, and end with a simulated process (see ``DatabaseLocks``). It is the default of a program of worlds.
enum DiskVFS {
    /// The world that runs, which fails when SQLite does what would end a real process.
    nonisolated(unsafe) static weak var world: Simulation?

    nonisolated(unsafe) private static let name = strdup("simulated")
    nonisolated(unsafe) private static let vfs = UnsafeMutablePointer<sqlite3_vfs>.allocate(capacity: 1)
    nonisolated(unsafe) private static var isRegistered = false
    nonisolated(unsafe) private static var numbers = SeededNumbers(seed: 0)
    nonisolated(unsafe) private static var temporaryFiles = 0

    static var files: (any FileSystem)? { Conducting.conductor?.files }

    /// Puts the files of all databases that are opened from now on onto the disk of `world`.
    static func use(for world: Simulation) {
        self.world = world
        numbers = SeededNumbers(seed: world.seed)
        temporaryFiles = 0
        DatabaseLocks.forgetAll()
        if !isRegistered { register() }
        // SQLite keeps its own numbers from one world to the next, unless it is asked to begin anew.
        sqlite3_randomness(0, nil)
    }

    private static func register() {
        isRegistered = true
        vfs.initialize(to: sqlite3_vfs())
        vfs.pointee.iVersion = 2
        vfs.pointee.szOsFile = Int32(MemoryLayout<DiskFile.Layout>.size)
        vfs.pointee.mxPathname = 1024
        vfs.pointee.zName = UnsafePointer(name)
        vfs.pointee.xOpen = { _, name, file, flags, result in DiskVFS.open(name, file, flags, result) }
        vfs.pointee.xDelete = { _, name, flushes in DiskVFS.delete(name, flushes) }
        vfs.pointee.xAccess = { _, name, flags, result in DiskVFS.access(name, flags, result) }
        vfs.pointee.xFullPathname = { _, name, size, result in
            guard let name, let result, strlen(name) < Int(size) else { return SQLITE_CANTOPEN }
            strcpy(result, name)
            return SQLITE_OK
        }
        vfs.pointee.xRandomness = { _, count, bytes in
            for place in 0..<Int(count) { bytes?[place] = CChar(truncatingIfNeeded: DiskVFS.numbers.next()) }
            return count
        }
        vfs.pointee.xSleep = { _, microseconds in
            // A wait that never succeeds lets others run for this long; its error is none.
            _ = try? Conducting.conductor?.wait(.microseconds(Int64(microseconds))) { false }
            return microseconds
        }
        vfs.pointee.xCurrentTime = { _, days in
            days?.pointee = 2_461_000
            return SQLITE_OK
        }
        vfs.pointee.xCurrentTimeInt64 = { _, time in
            time?.pointee = 2_461_000 * 86_400_000
            return SQLITE_OK
        }
        vfs.pointee.xGetLastError = { _, _, _ in 0 }
        sqlite3_vfs_register(vfs, 1)
    }

    private static func open(
        _ name: UnsafePointer<CChar>?, _ file: UnsafeMutablePointer<sqlite3_file>?, _ flags: Int32,
        _ result: UnsafeMutablePointer<Int32>?
    ) -> Int32 {
        guard let file, let files else { return SQLITE_CANTOPEN }
        file.pointee.pMethods = nil
        temporaryFiles += name == nil ? 1 : 0
        let path = name.map { String(cString: $0) } ?? "/sqlite-\(temporaryFiles)"
        var wanted = flags & SQLITE_OPEN_READONLY != 0 ? O_RDONLY : O_RDWR
        if flags & SQLITE_OPEN_CREATE != 0 { wanted |= O_CREAT }
        if flags & SQLITE_OPEN_EXCLUSIVE != 0 { wanted |= O_EXCL }
        let descriptor = files.openFile(path, wanted, 0o600)
        guard descriptor >= 0 else { return SQLITE_CANTOPEN }
        let isLog = flags & (SQLITE_OPEN_WAL | SQLITE_OPEN_MAIN_JOURNAL | SQLITE_OPEN_SUPER_JOURNAL) != 0
        // As SQLite does: whoever may create a log flushes its name, which a process that was killed may have made.
        let opened = DiskFile(
            path, descriptor, isDatabase: flags & SQLITE_OPEN_MAIN_DB != 0,
            needsFolder: isLog && flags & SQLITE_OPEN_CREATE != 0,
            isTemporary: flags & SQLITE_OPEN_DELETEONCLOSE != 0)
        opened.put(into: file)
        result?.pointee = flags
        return SQLITE_OK
    }

    private static func delete(_ name: UnsafePointer<CChar>?, _ flushes: Int32) -> Int32 {
        guard let name, let files else { return SQLITE_IOERR | (10 << 8) }
        let path = String(cString: name)
        guard files.removeName(path) == 0 else {
            return errno == ENOENT ? SQLITE_IOERR | (23 << 8) : SQLITE_IOERR | (10 << 8)
        }
        return flushes != 0 && !flushFolder(of: path) ? SQLITE_IOERR | (5 << 8) : SQLITE_OK
    }

    static func flushFolder(of path: String) -> Bool {
        guard let files else { return false }
        let folder = files.openFile(FilePath.folder(of: path), O_RDONLY, 0)
        guard folder >= 0 else { return false }
        defer { _ = files.closeFile(folder) }
        return files.flush(folder) == 0
    }

    private static func access(
        _ name: UnsafePointer<CChar>?, _ flags: Int32, _ result: UnsafeMutablePointer<Int32>?
    ) -> Int32 {
        guard let name, let files else { return SQLITE_IOERR | (13 << 8) }
        var info = stat()
        if files.facts(String(cString: name), &info) == 0 {
            result?.pointee = flags != SQLITE_ACCESS_EXISTS || info.st_size > 0 ? 1 : 0
            return SQLITE_OK
        }
        result?.pointee = 0
        return errno == ENOENT ? SQLITE_OK : SQLITE_IOERR | (13 << 8)
    }
}
