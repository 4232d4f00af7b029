import Aquifer
import AquiferCSQLite
import AquiferTesting
import Foundation

/// A file of SQLite's on the simulated disk. Once its process is dead, every call fails, and reaches nothing.
final class DiskFile {
    /// The memory that SQLite allocates for a file.
    struct Layout {
        var base: sqlite3_file
        var file: UnsafeMutableRawPointer?
    }

    let path: String
    let descriptor: Int32
    private let needsFolder: Bool
    private var hasFlushedFolder = false
    private let isTemporary: Bool
    private(set) var isDead = false
    private(set) var lastError: Int32 = 0
    /// Locks and shared memory, of a database.
    let locks: DatabaseLocks?
    /// The bytes that SQLite believes to be mapped.
    private var mapped = 0

    init(_ path: String, _ descriptor: Int32, isDatabase: Bool, needsFolder: Bool, isTemporary: Bool) {
        (self.path, self.descriptor, self.needsFolder) = (path, descriptor, needsFolder)
        self.isTemporary = isTemporary
        locks = isDatabase ? DatabaseLocks(path) : nil
        DiskVFS.world?.disk.whenClosed(descriptor) { [weak self] in
            self?.isDead = true
            self?.locks?.die()
        }
    }

    func put(into file: UnsafeMutablePointer<sqlite3_file>) {
        let this = Unmanaged.passRetained(self).toOpaque()
        UnsafeMutableRawPointer(file).assumingMemoryBound(to: Layout.self).pointee.file = this
        file.pointee.pMethods = UnsafePointer(Self.methods)
    }

    private static func of(_ file: UnsafeMutablePointer<sqlite3_file>?) -> DiskFile? {
        guard let file,
            let this = UnsafeMutableRawPointer(file).assumingMemoryBound(to: Layout.self).pointee.file
        else { return nil }
        return Unmanaged<DiskFile>.fromOpaque(this).takeUnretainedValue()
    }

    /// SQLite's code for a kind of failed input or output.
    private static func failed(_ kind: Int32) -> Int32 { SQLITE_IOERR | (kind << 8) }

    // MARK: Calls

    private var files: (any FileSystem)? { isDead ? nil : DiskVFS.files }

    private func fail(_ kind: Int32) -> Int32 {
        lastError = errno
        return lastError == ENOSPC ? SQLITE_FULL : Self.failed(kind)
    }

    private func read(_ to: UnsafeMutableRawPointer?, _ count: Int, _ offset: Int) -> Int32 {
        guard let files, let to else { return Self.failed(1) }
        let got = files.readAt(descriptor, to, count, off_t(offset))
        guard got >= 0 else { return fail(1) }
        if got == count { return SQLITE_OK }
        memset(to + got, 0, count - got)
        return Self.failed(2)
    }

    private func write(_ from: UnsafeRawPointer?, _ count: Int, _ offset: Int) -> Int32 {
        guard let files else { return Self.failed(3) }
        return files.writeAt(descriptor, from, count, off_t(offset)) == count ? SQLITE_OK : fail(3)
    }

    private func flush() -> Int32 {
        guard let files else { return Self.failed(4) }
        guard files.flush(descriptor) == 0 else { return fail(4) }
        if needsFolder, !hasFlushedFolder {
            // SQLite tries this once, and ignores a failure.
            _ = DiskVFS.flushFolder(of: path)
            hasFlushedFolder = true
        }
        return SQLITE_OK
    }

    private func size() -> Int? {
        var info = stat()
        guard let files, files.factsOfOpen(descriptor, &info) == 0 else { return nil }
        return Int(info.st_size)
    }

    /// A call of the system that may be interrupted: a lock is one.
    private func enters() -> Bool { size() != nil && !isDead }

    /// A page of a mapped file. A map whose file was cut ends the process when it is read behind the end.
    private func fetch(_ offset: Int, _ count: Int) -> UnsafeMutableRawPointer? {
        guard let size = size(), !isDead else { return nil }
        mapped = max(mapped, size)
        guard offset + count <= mapped else { return nil }
        DiskVFS.world?.expect(
            offset + count <= size, "\(path) is mapped, and was cut: reading it would end the process (SIGBUS)")
        guard let page = malloc(count) else { return nil }
        _ = read(page, count, offset)
        return page
    }

    private func close() {
        let isMine = !isDead
        locks?.die()
        if isMine {
            if isTemporary { _ = files?.removeName(path) }
            _ = files?.closeFile(descriptor)
        }
    }

    // MARK: SQLite's table

    nonisolated(unsafe) private static let methods: UnsafeMutablePointer<sqlite3_io_methods> = {
        let table = UnsafeMutablePointer<sqlite3_io_methods>.allocate(capacity: 1)
        table.initialize(to: sqlite3_io_methods())
        // Version 3 can map files.
        table.pointee.iVersion = 3
        table.pointee.xClose = { file in
            guard let this = DiskFile.of(file) else { return SQLITE_OK }
            this.close()
            Unmanaged.passUnretained(this).release()
            file?.pointee.pMethods = nil
            return SQLITE_OK
        }
        table.pointee.xRead = { DiskFile.of($0)?.read($1, Int($2), Int($3)) ?? DiskFile.failed(1) }
        table.pointee.xWrite = { DiskFile.of($0)?.write($1, Int($2), Int($3)) ?? DiskFile.failed(3) }
        table.pointee.xTruncate = { file, size in
            guard let this = DiskFile.of(file), let files = this.files else { return DiskFile.failed(6) }
            return files.cut(this.descriptor, off_t(size)) == 0 ? SQLITE_OK : this.fail(6)
        }
        table.pointee.xSync = { file, _ in DiskFile.of(file)?.flush() ?? DiskFile.failed(4) }
        table.pointee.xFileSize = { file, size in
            guard let this = DiskFile.of(file), let found = this.size() else { return DiskFile.failed(7) }
            size?.pointee = sqlite3_int64(found)
            return SQLITE_OK
        }
        table.pointee.xLock = { file, level in
            guard let this = DiskFile.of(file), let locks = this.locks else { return SQLITE_OK }
            return this.enters() ? (locks.lock(level) ? SQLITE_OK : SQLITE_BUSY) : DiskFile.failed(15)
        }
        table.pointee.xUnlock = { file, level in
            DiskFile.of(file)?.locks?.unlock(level)
            return SQLITE_OK
        }
        table.pointee.xCheckReservedLock = { file, result in
            result?.pointee = DiskFile.of(file)?.locks?.isReserved == true ? 1 : 0
            return SQLITE_OK
        }
        table.pointee.xFileControl = { file, operation, value in
            guard operation == SQLITE_FCNTL_LAST_ERRNO, let this = DiskFile.of(file) else { return SQLITE_NOTFOUND }
            value?.assumingMemoryBound(to: Int32.self).pointee = this.lastError
            return SQLITE_OK
        }
        table.pointee.xSectorSize = { _ in 4096 }
        // A write changes only its own bytes, also when the power fails.
        table.pointee.xDeviceCharacteristics = { _ in SQLITE_IOCAP_POWERSAFE_OVERWRITE }
        table.pointee.xShmMap = { file, region, size, extends, result in
            guard let this = DiskFile.of(file), let locks = this.locks, this.enters() else {
                return DiskFile.failed(21)
            }
            guard let memory = locks.map(Int(region), Int(size), extends: extends != 0) else {
                result?.pointee = nil
                return SQLITE_OK
            }
            result?.pointee = memory
            return SQLITE_OK
        }
        table.pointee.xShmLock = { file, offset, count, flags in
            guard let this = DiskFile.of(file), let locks = this.locks else { return DiskFile.failed(20) }
            let mask = ((1 << count) - 1) << offset
            if flags & SQLITE_SHM_UNLOCK != 0 {
                locks.release(mask)
                return SQLITE_OK
            }
            guard this.enters() else { return DiskFile.failed(20) }
            return locks.take(mask, isExclusive: flags & SQLITE_SHM_EXCLUSIVE != 0) ? SQLITE_OK : SQLITE_BUSY
        }
        table.pointee.xShmBarrier = { _ in }
        table.pointee.xShmUnmap = { file, _ in
            DiskFile.of(file)?.locks?.unmap()
            return SQLITE_OK
        }
        table.pointee.xFetch = { file, offset, count, result in
            result?.pointee = DiskFile.of(file)?.fetch(Int(offset), Int(count))
            return SQLITE_OK
        }
        table.pointee.xUnfetch = { _, _, page in
            free(page)
            return SQLITE_OK
        }
        return table
    }()
}
