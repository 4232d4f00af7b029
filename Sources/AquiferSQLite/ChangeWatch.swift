import Aquifer
import AquiferConcurrency
import AquiferFoundation

/// Notices what other instances and processes change in a database, while somebody observes the store.
///
/// Each commit is followed by a line in the ``ChangeLog``, which wakes this watch, and names the key. A writer that is killed
/// between its commit and the line has written SQLite's log: such an event is followed by three looks at the number of commits.
/// If fewer lines were written at all three, anything may have changed. Where the number is not known, it is taken for that if
/// the version of the database has changed and nobody wrote a line. Nothing runs while nothing is written.
final class ChangeWatch: Sendable {
    /// When it looks after an event of SQLite's log: the commit may come a moment later, or wait for the device.
    static let looks: [Duration] = [.milliseconds(1), .milliseconds(10), .milliseconds(100)]

    fileprivate struct State {
        var reader: ChangeLogReader
        var connection: Connection?
        var version: Int?
        /// The number of commits at the last look; `nil` if it is not known.
        var commits: UInt32?
        /// The number of commits for which no line was found yet.
        var untold = 0
        /// The events of SQLite's log so far.
        var events = 0
        var task: Task<Void, Never>?
        var hasEnded = false
    }

    private let path: String
    private let clock: any Clock<Duration>
    private let changes: StoreChanges
    private let state: Locked<State>

    private init(_ path: String, _ log: ChangeLog, _ clock: any Clock<Duration>, _ changes: StoreChanges) {
        self.path = path
        self.clock = clock
        self.changes = changes
        var state = State(reader: ChangeLogReader(log))
        Self.open(path, &state)
        self.state = Locked(state)
    }

    /// Begins to post to `changes` what others change in the database at `path`.
    static func begin(
        _ changes: StoreChanges, _ path: String, _ log: ChangeLog, _ files: FilePolicy, _ clock: any Clock<Duration>
    ) -> StoreObservation {
        log.create(files)
        let database = FilePath.name(of: path)
        let journal = database + "-wal"
        let logName = FilePath.name(of: log.path)
        let watch = Locked<ChangeWatch?>(nil)
        let tell = { @Sendable (event: FolderEvent) in
            guard let watch = watch.withLock({ $0 }) else { return }
            let find = {
                log.create(files)
                watch.lookForAnother()
            }
            switch event {
            case .file(logName):
                // The log may have been deleted.
                log.create(files)
                watch.look()
            case .file(journal):
                // The system may have refused the files when the watch began.
                if watch.isBlind { find() }
                watch.lookLater()
            case .file: watch.lookForAnother()
            case .unknown:
                // The watch may have begun late.
                find()
                changes.post(.everything)
            }
        }
        // The folder is watched first, and its events wait for the lock: none is lost.
        let (folder, begun) = watch.withLock { watch in
            let folder = FolderWatch.begin(
                FilePath.folder(of: path), names: [database, journal, logName], clock: clock,
                onEvent: { event in tell(event) })
            let begun = ChangeWatch(path, log, clock, changes)
            watch = begun
            return (folder, begun)
        }
        return StoreObservation {
            folder.cancel()
            watch.withLock { $0 = nil }
            begun.end()
        }
    }

    private static func open(_ path: String, _ state: inout State) {
        // Without a connection, only the log tells of changes.
        state.connection = try? Connection(path, .readOnly)
        state.version = try? state.connection?.dataVersion()  // as above
        state.commits = state.connection?.commits
        state.untold = 0
    }

    /// Reads the log and the version, and posts what others changed.
    private func look() {
        let found = state.withLock { state -> [StoreChange] in
            if state.hasEnded { return [] }
            let told = state.reader.read()
            // As above.
            guard let version = try? state.connection?.dataVersion() else { return told.changes }
            let isCounted = state.count(told.commits)
            defer { state.version = version }
            return isCounted || version == state.version || told.hasLines ? told.changes : [.everything]
        }
        for change in found { changes.post(change) }
    }

    private var untold: Int { state.withLock { $0.untold } }

    /// So many commits were not told for as long as all looks lasted: their writers were killed, or are stopped.
    ///
    /// - Returns: the number of those that were not told for a shorter time.
    private func giveUp(_ commits: Int) -> Int {
        let left = state.withLock { state in
            state.untold = max(0, state.untold - commits)
            return state.untold
        }
        if commits > 0 { changes.post(.everything) }
        return left
    }

    /// SQLite's log was written: looks soon, and again.
    private func lookLater() {
        state.withLock { state in
            state.events += 1
            guard state.task == nil, !state.hasEnded else { return }
            state.task = Task { [weak self, clock] in
                var seen = 0
                var untold = 0
                // A commit that was first seen by the last look is looked for once more.
                while let events = self?.events, events != seen || untold > 0 {
                    seen = events
                    var before = Duration.zero
                    untold = Int.max
                    for look in Self.looks {
                        do { try await clock.sleep(for: look - before) } catch { return }
                        before = look
                        self?.look()
                        untold = min(untold, self?.untold ?? 0)
                    }
                    untold = self?.giveUp(untold) ?? 0
                    if untold == 0, self?.rest(after: seen) ?? true { return }
                }
            }
        }
    }

    private var events: Int { state.withLock { $0.events } }

    /// Ends the looks if there was no event since; false otherwise.
    private func rest(after events: Int) -> Bool {
        state.withLock { state in
            if state.events != events { return false }
            state.task = nil
            return true
        }
    }

    /// True if there is no connection, which would tell of the changes that the log does not.
    private var isBlind: Bool { state.withLock { $0.connection == nil } }

    /// The database's file was written, or another one is in its place.
    private func lookForAnother() {
        let isAnother = state.withLock { state in
            if state.hasEnded || state.connection?.isCurrent == true { return false }
            let wasBlind = state.connection == nil
            Self.open(path, &state)
            return !wasBlind || state.connection != nil
        }
        if isAnother { changes.post(.everything) }
    }

    private func end() {
        let (task, connection) = state.withLock { state in
            state.hasEnded = true
            return (state.task.take(), state.connection.take())
        }
        task?.cancel()
        withExtendedLifetime(connection) {}  // closed without the lock
    }
}

extension ChangeWatch.State {
    /// Counts the commits since the last look, and those that were told.
    ///
    /// - Returns: false if the number of commits is not known.
    fileprivate mutating func count(_ told: Int?) -> Bool {
        let now = connection?.commits
        defer { commits = now }
        // A count that was begun anew says nothing of those before.
        guard let told, let now, let commits, Int32(bitPattern: now &- commits) >= 0 else {
            untold = 0
            return false
        }
        // More lines than commits tell of no commit that is still to come.
        untold = max(0, untold + Int(now &- commits) - told)
        return true
    }
}
