import AquiferCSQLite
import Foundation

/// The locks and the shared memory of one open database file. Those of all simulated processes know of one another.
///
/// The memory is mapped once for each of them: a dead process may still run to the end of its job, and what it writes then
/// must not be seen by the others.
final class DatabaseLocks {
    /// The memory of a database, while anybody has it.
    private final class Memory {
        let file = tmpfile()
        var size = 0
        deinit { if let file { fclose(file) } }
    }

    nonisolated(unsafe) private static var all: [String: [DatabaseLocks]] = [:]

    private let path: String
    private var level: Int32 = SQLITE_LOCK_NONE
    private var shared = 0
    private var exclusive = 0
    private var memory: Memory?
    private var regions: [Int: (start: UnsafeMutableRawPointer, size: Int)] = [:]
    private var isDead = false

    init(_ path: String) {
        self.path = path
        Self.all[path, default: []].append(self)
    }

    /// Forgets the files of an earlier world.
    static func forgetAll() { all = [:] }

    private var others: [DatabaseLocks] { (Self.all[path] ?? []).filter { $0 !== self } }

    // MARK: The file

    func lock(_ wanted: Int32) -> Bool {
        if level >= wanted { return true }
        switch wanted {
        case SQLITE_LOCK_SHARED:
            guard others.allSatisfy({ $0.level < SQLITE_LOCK_PENDING }) else { return false }
        case SQLITE_LOCK_RESERVED:
            guard others.allSatisfy({ $0.level < SQLITE_LOCK_RESERVED }) else { return false }
        default:
            guard others.allSatisfy({ $0.level < SQLITE_LOCK_RESERVED }) else { return false }
            // Nobody reads from now on, and those who read may end.
            level = SQLITE_LOCK_PENDING
            guard others.allSatisfy({ $0.level == SQLITE_LOCK_NONE }) else { return false }
        }
        level = wanted
        return true
    }

    func unlock(_ wanted: Int32) { level = min(level, wanted) }

    var isReserved: Bool { (Self.all[path] ?? []).contains { $0.level >= SQLITE_LOCK_RESERVED } }

    // MARK: The index of the log

    func take(_ mask: Int, isExclusive: Bool) -> Bool {
        let taken = others.reduce(0) { $0 | $1.exclusive | (isExclusive ? $1.shared : 0) }
        guard taken & mask == 0 else { return false }
        if isExclusive { exclusive |= mask } else { shared |= mask }
        return true
    }

    func release(_ mask: Int) {
        shared &= ~mask
        exclusive &= ~mask
    }

    func map(_ region: Int, _ size: Int, extends: Bool) -> UnsafeMutableRawPointer? {
        if let known = regions[region] { return known.start }
        let memory = memory ?? others.lazy.compactMap(\.memory).first ?? Memory()
        self.memory = memory
        guard let file = memory.file else { return nil }
        let end = (region + 1) * size
        if memory.size < end {
            guard extends, ftruncate(fileno(file), off_t(end)) == 0 else { return nil }
            memory.size = end
        }
        let start = mmap(nil, size, PROT_READ | PROT_WRITE, MAP_SHARED, fileno(file), off_t(region * size))
        guard let start, start != MAP_FAILED else { return nil }
        regions[region] = (start, size)
        return start
    }

    func unmap() {
        for (_, region) in regions { munmap(region.start, region.size) }
        (regions, memory, shared, exclusive) = ([:], nil, 0, 0)
    }

    /// The file was closed, or its process is dead, which keeps a copy of the memory for itself.
    func die() {
        guard !isDead else { return }
        isDead = true
        (level, shared, exclusive, memory) = (SQLITE_LOCK_NONE, 0, 0, nil)
        Self.all[path]?.removeAll { $0 === self }
        for (_, region) in regions {
            let bytes = Data(bytes: region.start, count: region.size)
            let own = mmap(
                region.start, region.size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0)
            if own == MAP_FAILED { fatalError("A dead process keeps its memory shared.") }
            bytes.copyBytes(to: UnsafeMutableRawBufferPointer(start: region.start, count: region.size))
        }
    }
}
