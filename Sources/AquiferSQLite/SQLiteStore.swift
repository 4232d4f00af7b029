import Aquifer
import AquiferConcurrency
import AquiferFoundation

/// A store in a SQLite database: the store for most apps.
///
/// It fulfills the `CacheStore` contract with many processes on one file. An acknowledged write survives a kill of
/// the process; see ``Durability`` for the loss of power. A SQLite database has no checksums of its own: the store
/// keeps one with every entry, and verifies it at each retrieval. The keys have two indexes, so that damage of one does
/// not make an entry appear to be missing.
///
/// Reading and writing never block the main thread: the functions leave the caller's actor, and run on a thread of Swift's
/// pool. Reads go over several connections at once, beside one writer. Writes are made one at a time, in the order of issue;
/// when another process holds the database, the write moves to a thread of its own and waits there.
///
/// **A file that is deleted or replaced** while the store is open is noticed by its device and inode, before a read is
/// answered and before a write is acknowledged. The store then opens the file that is at the path now, or creates a new
/// one; a write to the old file is repeated in the new one. Only ``update(_:_:)``, which decides once, throws when the
/// file was replaced while it was under way.
///
/// **A database that cannot be recreated** (`isIrreplaceable`) has a mark beside it, `FILE-made`. If the mark exists
/// and the file is missing or empty, when the store is opened or later, the call throws `StoreError.lost(path:)`, and
/// no new file is created. So does the opening of a database that has lost acknowledged changes, because its log was cut
/// or damaged, or because an older copy is in its place: with ``Durability/power``, each change is counted in the
/// database and in the mark.
///
/// **Changes of other processes** are told by ``changes``. The first observer makes a small file for that, `FILE-changes`,
/// to which each writer then appends the keys that it changes. Deleting it loses nothing.
///
/// **A full disk** lets a process that has the store open read on. One that opens the store first cannot read it, and throws
/// `StoreError.full(path:)`: SQLite keeps the index of its log in the `-shm` file, for which it needs 32 KB.
///
/// The database file is never mapped into memory: a truncated or unreadable file is an error, whereas a map would end
/// the process. (SQLite itself maps the `-shm` file beside it.)
public final class SQLiteStore: DurableStore {
    let path: String
    private let patience: Duration
    let durability: Durability
    private let mark: BirthMark?
    private let files: FilePolicy
    let readers: ReaderPool
    /// The writer, used only within the turnstile.
    nonisolated(unsafe) var writer: Writer
    private let turn = Turnstile()
    let queue = SerialQueue("aquifer.sqlite-store")
    /// See `CacheStore.changes`.
    public let changes: StoreChanges
    /// The path of the log of changed keys, and the log once it was needed.
    private let logPath: String
    private let log: Locked<ChangeLog?>

    /// Opens the store in `file`. Creates the file, with its folder, if it is missing. Only this user can read it.
    ///
    /// The call blocks for less than a millisecond.
    ///
    /// - Parameters:
    ///   - file: the database.
    ///   - durability: the failures that an acknowledged write survives.
    ///   - readers: the maximum number of connections that read at once; each is opened when first needed.
    ///   - patience: the time for which a write waits for another process before it throws `StoreError.busy(path:)`.
    ///   - isIrreplaceable: true for data that cannot be loaded again. A file that was created and is gone or empty is
    ///     then an error, and no new store is created. A store that was created without this option is marked when it is
    ///     next opened with it.
    ///   - files: the treatment of the files by Apple's systems.
    ///   - clock: waits for another look after a change of another process.
    /// - Throws: `StoreError.lost(path:)`; `StoreError.damaged(path:reason:)`; `StoreError.notAStore(path:)` if
    ///   `file` is anything else (also a folder, a device, a pipe or a socket), which is left unchanged;
    ///   `StoreError.otherVersion(path:found:supported:)`; `StoreError.readOnly(path:)`.
    public init(
        file: URL, durability: Durability = .process, readers: Int = 4, patience: Duration = .seconds(5),
        isIrreplaceable: Bool = false, files: FilePolicy = .systemDefault,
        clock: any Clock<Duration> = ContinuousClock()
    ) throws(StoreError) {
        path = file.standardizedFileURL.path
        self.patience = patience
        self.durability = durability
        mark = isIrreplaceable ? BirthMark(of: path) : nil
        self.files = files
        writer = try Writer(path, durability, patience, mark, files)
        self.readers = ReaderPool(path, limit: readers, patience: patience, mark: mark)
        let database = POSIX.resolved(path)
        let (logPath, log) = (database + "-changes", Locked<ChangeLog?>(nil))
        (self.logPath, self.log) = (logPath, log)
        changes = StoreChanges(whileObserved: { changes in
            ChangeWatch.begin(changes, database, ChangeLog.log(log, logPath), files, clock)
        })
    }

    /// The file of the database.
    public var file: URL { URL(fileURLWithPath: path) }

    /// See `CacheStore.retrieve(_:)`.
    public func retrieve(_ key: String) async throws(StoreError) -> StoredEntry? {
        guard !key.isEmpty else { throw .invalidKey(key) }
        return try readers.read { table throws(StoreError) in try table.select(key) } ?? nil
    }

    /// See `CacheStore.insert(_:for:)`.
    public func insert(_ entry: StoredEntry, for key: String) async throws(StoreError) {
        guard !key.isEmpty else { throw .invalidKey(key) }
        try await write { table throws(StoreError) in try table.upsert(entry, key) }
        tell(.entry(key))
    }

    /// See `CacheStore.update(_:_:)`.
    public func update(
        _ key: String, _ decide: @Sendable (Result<StoredEntry?, StoreError>) throws(StoreError) -> EntryChange
    ) async throws(StoreError) {
        try await update(key, isFlushed: true, decide)
    }

    func update(
        _ key: String, isFlushed: Bool,
        _ decide: @Sendable (Result<StoredEntry?, StoreError>) throws(StoreError) -> EntryChange
    ) async throws(StoreError) {
        guard !key.isEmpty else { throw .invalidKey(key) }
        let hasChanged = try await transaction(isFlushed: isFlushed) { table throws(StoreError) in
            switch try decide(Result { () throws(StoreError) in try table.select(key) }) {
            case .keep: return nil
            case .replace(let entry): return { table throws(StoreError) in try table.upsert(entry, key) }
            case .delete: return { table throws(StoreError) in try table.delete(key) }
            }
        }
        if hasChanged { tell(.entry(key)) }
    }

    // MARK: Writing

    /// Tells the changes of a commit that was acknowledged: other processes, if one listens, and the observers in this one.
    func tell(_ told: StoreChange...) { tell(told) }

    func tell(_ told: [StoreChange]) {
        if POSIX.exists(logPath) { ChangeLog.log(log, logPath).append(told) }
        for change in told { changes.post(change) }
    }

    /// Carries out a change that may be repeated.
    func write(
        isOneStatement: Bool = true, _ body: @Sendable (EntryTable) throws(StoreError) -> Bool
    ) async throws(StoreError) {
        try await inTurn { mayWait throws(StoreError) in
            try mark?.check()
            // The number of attempts is limited, because another program may keep replacing the file.
            for _ in 0..<3 {
                do throws(StoreError) {
                    let earlier = writer.table.committed
                    try setFlushing(true)
                    do throws(StoreError) { try writer.table.commit(isOneStatement, body) } catch .damaged {
                        try writer.table.mend(andCarryOut: body)
                    }
                    try mark?.check()
                    if writer.table.connection.isCurrent { return acknowledge(since: earlier) }
                } catch {
                    if writer.table.connection.isCurrent { throw error }
                }
                try reopen(mayWait)
            }
            throw Self.replaced(path)
        }
    }

    /// Reads, decides and changes in one step. `decide` runs at most once, and returns `nil` to change nothing.
    ///
    /// - Returns: true if a change was carried out.
    func transaction(
        isFlushed: Bool = true, _ decide: @Sendable (EntryTable) throws(StoreError) -> EntryTable.Change?
    ) async throws(StoreError) -> Bool {
        let outcome = Locked<Result<Bool, StoreError>>(.success(false))
        let isLeft = !isFlushed && durability == .power
        try await inTurn { mayWait throws(StoreError) in
            try setFlushing(!isLeft)
            try begin(mayWait)
            let earlier = writer.table.committed
            do throws(StoreError) {
                let version = try writer.table.dataVersion()
                if let change = try decide(writer.table) {
                    let hasChanged = try carryOut(change, decidedAt: version)
                    outcome.withLock { $0 = .success(hasChanged) }
                } else {
                    // The transaction is rolled back, not committed: the read may have found damage, after which SQLite
                    // refuses to write until a rollback.
                    writer.table.rollback()
                }
                try mark?.check()
                if !writer.table.connection.isCurrent { throw Self.replaced(path) }
                // A commit that a loss of power may take away is not counted: the next one is, with it.
                if !isLeft { acknowledge(since: earlier) }
            } catch {
                writer.table.rollback()
                // The error is kept from `inTurn`, which would take a `busy` of `decide` for its own and run `decide`
                // twice.
                outcome.withLock { $0 = .failure(error) }
            }
        }
        return try outcome.withLock { $0 }.get()
    }

    /// Records the number of the last commit beside the database, before it is acknowledged. An earlier call's may not be flushed.
    private func acknowledge(since earlier: UInt64) {
        if let mark, writer.table.committed != earlier { mark.acknowledge(writer.table.committed) }
    }

    /// Takes the right to write to the file that is at the path now.
    private func begin(_ mayWait: Bool) throws(StoreError) {
        for _ in 0..<3 {
            try mark?.check()
            try writer.table.begin()
            if writer.table.connection.isCurrent { return }
            writer.table.rollback()
            try reopen(mayWait)
        }
        throw Self.replaced(path)
    }

    /// Opens the file that is at the path now, or creates a new one. The call may wait for other processes.
    ///
    /// - Throws: ``StoreError/busy(path:)`` on a thread that must not wait.
    private func reopen(_ mayWait: Bool) throws(StoreError) {
        guard mayWait else { throw .busy(path: path) }
        writer = try Writer(path, durability, patience, mark, files)
        readers.renew()
    }

    /// Runs `body` after all earlier calls: first on the caller's thread, where it must not wait. If it throws
    /// ``StoreError/busy(path:)`` there, it runs again on the store's own thread, where it may wait.
    private func inTurn(_ body: @Sendable (_ mayWait: Bool) throws(StoreError) -> Void) async throws(StoreError) {
        if !turn.tryEnter() { await turn.enter() }
        defer { turn.leave() }
        // Nothing was changed if it is busy.
        if durability == .process, try Waiting.unlessBusy({ () throws(StoreError) in try body(false) }) {
            return await writer.checkpointer.afterWrite()
        }
        // Another process is writing, or each write waits for the device: the store's own thread does the waiting.
        try await queue.run { () throws(StoreError) in
            let isDone = try Waiting.until(patience) { () throws(StoreError) in
                try Waiting.unlessBusy { () throws(StoreError) in try body(true) }
            }
            if !isDone { throw .busy(path: path) }
        }
        await writer.checkpointer.afterWrite()
    }
}

/// Several entries at one moment. The mark of an entry is its two checksums: two entries that are equal in all that is stored have one mark.
extension SQLiteStore {
    /// See `TransactionalStore.read(_:)`. All are read in one state of the database: its locks, and the look whether its file is still there, take
    /// longer than a small entry.
    public func read(_ keys: [String]) async throws(StoreError) -> [Result<SeenEntry?, StoreError>] {
        for key in keys where key.isEmpty { throw .invalidKey(key) }
        let found = try readers.read { table throws(StoreError) in
            try table.look { () throws(StoreError) in
                var found: [Result<SeenEntry?, StoreError>] = []
                for key in keys { found.append(try table.seen(key)) }
                return found
            }
        }
        return found ?? keys.map { _ in .success(nil) }
    }

    /// See `DurableStore.read(prefix:after:limit:)`. The entries come in the order of their keys' bytes. If it finds damage, the page is the
    /// last one.
    public func read(prefix: String, after: String?, limit: Int) async throws(StoreError) -> SeenPage {
        let range = KeyRange(prefix: prefix, after: after, limit: max(1, limit))
        let page = try readers.read { table throws(StoreError) in
            try table.look { () throws(StoreError) in try table.seen(range) }
        }
        return page ?? SeenPage(entries: [])
    }

    /// See `TransactionalStore.commit(_:_:)`.
    public func commit(_ writes: [EntryWrite], _ durability: CommitDurability) async throws(StoreError) -> Commit {
        try writes.check()
        let made = Locked((commit: Commit.made([]), changed: [String]()))
        let hasChanged = try await transaction(isFlushed: durability == .now) { table throws(StoreError) in
            var (refused, seals, changing) = ([String](), [EntrySeal?](), [Int]())
            for (place, write) in writes.enumerated() {
                let found = try table.seen(write.key)
                // A damaged entry is one, and has no mark.
                let (mark, exists) =
                    if case .success(let entry) = found { (entry?.mark, entry != nil) } else { (Data?.none, true) }
                if !write.condition.holds(mark, exists: exists) { refused.append(write.key) }
                let seal: EntrySeal? =
                    if case .replace(let entry) = write.change { EntrySeal(entry, key: write.key) } else { nil }
                seals.append(seal)
                if seal != nil || (write.change == .delete && exists) { changing.append(place) }
            }
            if !refused.isEmpty {
                made.withLock { [refused] in $0 = (.refused(refused), []) }
                return nil
            }
            let marks = seals.map { $0?.mark }
            made.withLock { [marks, changing] in $0 = (.made(marks), changing.map { writes[$0].key }) }
            if changing.isEmpty { return nil }
            return { [seals, changing] table throws(StoreError) in
                for place in changing {
                    if case .replace(let entry) = writes[place].change, let seal = seals[place] {
                        _ = try table.upsert(entry, writes[place].key, seal)
                    } else {
                        _ = try table.delete(writes[place].key)
                    }
                }
                return true
            }
        }
        let (commit, changed) = made.withLock { $0 }
        if hasChanged { tell(changed.map { .entry($0) }) }
        return commit
    }
}
