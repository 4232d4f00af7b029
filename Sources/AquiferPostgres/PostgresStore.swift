import Aquifer
import AquiferConcurrency
import AquiferFoundation
import Dispatch

/// A store in a PostgreSQL database, for data that several machines share.
///
/// ```swift
/// let store = try await PostgresStore("postgresql://a,b/app?target_session_attrs=read-write")
/// ```
///
/// It keeps the contract of `CacheStore` as a *shared* store: calls for one key run in the order in which they were
/// issued on an instance, calls for different keys side by side, and a decision may be repeated.
///
/// - Durability: an acknowledged change survives a kill of this process, of the server, and a loss of its power. It
///   survives the loss of the server's machine if the server has a synchronous replica
///   (`synchronous_standby_names`).
/// - Failover: name several hosts and `target_session_attrs=read-write`. Calls wait for a new primary, up to `patience`. If the
///   connection breaks during a write, the store asks the next connection whether the write was made, and makes it
///   again only if it was not. If nobody answers within `patience` from the break, the call throws
///   `StoreError.uncertain(operation:reason:)`. So does a write that a primary without its synchronous replica does not answer.
/// - Reads wait behind no write, which may wait for a replica or for a row that somebody has locked: they have a connection of their own,
///   if the server has room for two.
/// - Changes: ``changes`` tells the changes of all machines, by `LISTEN` and `NOTIFY`.
/// - Sizes: an entry of up to 1 MB is one row; a larger one is kept in pieces of 1 MB.
///
/// Do not put a pooler that shares connections between transactions before the server: prepared statements and `LISTEN` need a
/// connection of their own.
public final class PostgresStore: CacheStore {
    let owner: LoopOwner
    let place: String
    let patience: Duration
    let schema: Schema
    let turns = KeyTurns()
    /// Tells the messages of this store from those of others.
    let instance: String
    /// The changes of calls that threw `.uncertain`. If one of them is made later, the server's message tells it.
    package let doubts: DoubtfulChanges

    /// See `CacheStore.changes`. After a break of the connection, it tells that everything may have changed.
    public let changes: StoreChanges
    let leaseEnds: StoreChanges
    let hasLeases: Bool

    /// Connects to the server, and creates the tables if necessary.
    ///
    /// - Parameters:
    ///   - address: a connection URI or a text of settings as libpq takes them (PostgreSQL's manual, 34.1.1): hosts, TLS, user.
    ///   - schema: the schema of the tables. Stores with different schemas share nothing.
    ///   - connections: the number of connections for reads and writes at most. They are opened when they are needed. One more
    ///     listens to the changes of others. With one, reads wait behind writes.
    ///   - hasLeases: true to let one machine load a value for all (`CacheStore.leases`). That takes two more questions a load.
    ///   - patience: the time for which a call waits for the server, and for other callers, before it throws.
    /// - Throws: `StoreError.failed(operation:reason:)` with the server's words if it cannot be reached or refuses the user;
    ///   `.otherVersion(path:found:supported:)` if the tables are of another version; `.notAStore(path:)` if the schema has
    ///   tables of somebody else.
    public init(
        _ address: String, schema: String = "aquifer", connections: Int = 4, hasLeases: Bool = true,
        patience: Duration = .seconds(30)
    ) async throws(StoreError) {
        let schema = Schema(schema)
        let connecting = Connecting(address, schema, patience)
        let listening = try await connecting.begin()
        let owner = LoopOwner(connecting, connections: connections)
        let instance = Data(Row.newMark().prefix(8)).hexadecimal
        self.schema = schema
        self.patience = patience
        self.owner = owner
        self.instance = instance
        place = connecting.place
        let changes = StoreChanges()
        let doubts = DoubtfulChanges()
        (self.changes, self.doubts) = (changes, doubts)
        let leaseEnds = StoreChanges()
        (self.leaseEnds, self.hasLeases) = (leaseEnds, hasLeases)
        // Observers are told on a thread of their own: they must not hold up what is on its way.
        let queue = DispatchQueue(label: "aquifer.postgres.changes")
        owner.loop.push(
            Listener(owning: listening.connection, channels: schema.quotedChannels) { message in
                if message.isOwn(instance) {
                    // Observers know the changes of this store, but not one whose caller could not learn that it was made.
                    let made = doubts.isEmpty ? [] : message.changes.filter { doubts.remove($0) }
                    if made.isEmpty { return false }
                    queue.async { for change in made { changes.post(change) } }
                    return true
                }
                queue.async { message.pass(from: instance, to: changes, leaseEnds) }
                return true
            })
    }

    /// True if libpq can read an address. What it says of one that it cannot read repeats the password: do not print that.
    public static func isAddress(_ address: String) -> Bool { Connecting.isAddress(address) }

    /// The statements that make the tables, for those who make them by hand. The user of the store then needs the rights to
    /// select, insert, update and delete, and to take numbers of the sequence.
    ///
    /// - Parameters:
    ///   - schema: the schema of the tables.
    ///   - role: a user who gets these rights, and no others; `nil` for no grants.
    public static func definition(schema: String = "aquifer", role: String? = nil) -> String {
        let schema = Schema(schema)
        let statements = schema.creation + (role.map(schema.grants) ?? [])
        return statements.map { "\($0);" }.joined(separator: "\n\n") + "\n"
    }

    // MARK: Reading

    /// See `CacheStore.retrieve(_:)`.
    public func retrieve(_ key: String) async throws(StoreError) -> StoredEntry? {
        guard let (_, found) = try await read(StoreKey(checking: key)) else { return nil }
        return try found.get()
    }

    /// The row of a key: its mark, and the entry in it or its damage.
    func read(_ key: StoreKey) async throws(StoreError) -> (mark: Data, entry: Result<StoredEntry, StoreError>)? {
        let id = Parameter.text(key.text)
        var last: Data?
        while true {
            let rows = try await ask([.init(.read, [id])], to: "read \"\(key.text)\"")
            guard let row = rows.first.flatMap(Row.init) else { return nil }
            var bytes = row.bytes ?? Data()
            if row.pieces > 0 {
                let pieces = try await ask(
                    [.init(.pieces, [id, .bytes(row.mark)])], to: "read \"\(key.text)\"")
                for number in 0..<(pieces.first?.count ?? 0) { bytes += pieces.first?.bytes(number, 0) ?? Data() }
                // Pieces go with their entry. If it is another one by now, it is read anew.
                if pieces.first?.count != row.pieces, last != row.mark {
                    last = row.mark
                    continue
                }
            }
            return (row.mark, Result { () throws(StoreError) in try Row.entry(row.head, bytes, for: key.text) })
        }
    }

    // MARK: Writing

    /// See `CacheStore.insert(_:for:)`.
    public func insert(_ entry: StoredEntry, for key: String) async throws(StoreError) {
        let key = try StoreKey(checking: key)
        try await turns.run(key) { () throws(StoreError) in
            try await doubting(.entry(key.text)) { () throws(StoreError) in _ = try await write(entry, key, .insert) }
        }
        changes.post(.entry(key.text))
    }

    /// See `CacheStore.delete(_:)`.
    public func delete(_ key: String) async throws(StoreError) {
        let key = try StoreKey(checking: key)
        let isGone = try await turns.run(key) { () throws(StoreError) in
            try await doubting(.entry(key.text)) { () throws(StoreError) in
                try await change(
                    [.init(.delete, told(.entry(key.text)) + [.text(key.text)])],
                    "delete \"\(key.text)\"")
            }
        }
        if isGone { changes.post(.entry(key.text)) }
    }

    /// See `CacheStore.update(_:_:)`. If somebody else has changed the entry between the decision and the change,
    /// `decide` runs again.
    public func update(
        _ key: String, _ decide: @Sendable (Result<StoredEntry?, StoreError>) throws(StoreError) -> EntryChange
    ) async throws(StoreError) {
        let key = try StoreKey(checking: key)
        let hasChanged = try await turns.run(key) { () throws(StoreError) in
            try await doubting(.entry(key.text)) { () throws(StoreError) in try await decided(key, decide) }
        }
        if hasChanged { changes.post(.entry(key.text)) }
    }

    /// Decides about an entry until the decision could be carried out; true if anything has changed.
    private func decided(
        _ key: StoreKey, _ decide: @Sendable (Result<StoredEntry?, StoreError>) throws(StoreError) -> EntryChange
    ) async throws(StoreError) -> Bool {
        while true {
            let found = try await read(key)
            let decided = try decide(found.map { $0.entry.map { $0 } } ?? .success(nil))
            switch (decided, found?.mark) {
            case (.keep, _), (.delete, nil): return false
            case (.replace(let entry), nil): if try await write(entry, key, .create) { return true }
            case (.replace(let entry), let mark?):
                if try await write(entry, key, .replace, over: mark) { return true }
            case (.delete, let mark?):
                let parameters = told(.entry(key.text)) + [.text(key.text), .bytes(mark)]
                if try await change([.init(.deleteSeen, parameters)], "delete \"\(key.text)\"") { return true }
            }
        }
    }

    /// See `CacheStore.deleteAll(prefix:)`. It is one step: no other caller sees a part of it.
    public func deleteAll(prefix: String) async throws(StoreError) {
        let range = KeyRange(prefix)
        let hasChanged = try await turns.runAlone { () throws(StoreError) in
            try await doubting(.prefix(prefix)) { () throws(StoreError) in
                try await change(
                    [.init(.deletePrefix, told(.prefix(prefix)) + [range.first, range.end, range.prefix])],
                    "delete what begins with \"\(prefix)\"")
            }
        }
        if hasChanged { changes.post(.prefix(prefix)) }
    }

    /// See `CacheStore.remove(_:)`.
    public func remove(_ damaged: DamagedEntry) async throws(StoreError) {
        if try await removeIfDamaged(damaged) { changes.post(damaged.key.map { .entry($0) } ?? .everything) }
    }
}

extension PostgresStore: DurableStore {
    /// See `TransactionalStore.read(_:)`. It is one statement.
    public func read(_ keys: [String]) async throws(StoreError) -> [Result<SeenEntry?, StoreError>] {
        for key in keys where key.isEmpty { throw .invalidKey(key) }
        var found = [Result<SeenEntry?, StoreError>](repeating: .success(nil), count: keys.count)
        if keys.isEmpty { return found }
        let names = Parameter.list(keys.map { Data($0.utf8) })
        guard let rows = try await ask([.init(.readSeen, [names])], to: "read \(keys.count) entries").first else {
            return found
        }
        for row in 0..<rows.count {
            guard let place = rows.integer(row, 0).flatMap({ Int(exactly: $0 - 1) }), found.indices.contains(place)
            else { continue }
            found[place] = Self.seen(rows, row, keys[place]).map { $0 }
        }
        return found
    }

    /// See `DurableStore.read(prefix:after:limit:)`. It is one statement.
    public func read(prefix: String, after: String?, limit: Int) async throws(StoreError) -> SeenPage {
        let (range, limit) = (KeyRange(prefix), max(1, limit))
        let last = after.flatMap { Data(hexadecimal: $0) } ?? Data()
        let parameters = [range.prefix, range.first, range.end, .bytes(last), .integer(Int64(limit))]
        var page = SeenPage(entries: [])
        guard let rows = try await ask([.init(.readRange, parameters)], to: "read entries").first else { return page }
        for row in 0..<rows.count {
            let (id, head) = (rows.bytes(row, 0) ?? Data(), rows.bytes(row, 2) ?? Data())
            do throws(SealedEntry.Damage) {
                let key = try Self.key(of: head, id)
                page.entries.append((key, Self.seen(rows, row, key)))
            } catch { page.damaged.append(Self.damaged(id, error)) }
            if row == limit - 1 { page.next = id.hexadecimal }
        }
        return page
    }

    private static func seen(_ rows: Rows, _ row: Int, _ key: String) -> Result<SeenEntry, StoreError> {
        Result { () throws(StoreError) in
            let (mark, head, bytes) = (rows.bytes(row, 1), rows.bytes(row, 2), rows.bytes(row, 3))
            return SeenEntry(entry: try Row.entry(head ?? Data(), bytes ?? Data(), for: key), mark: mark ?? Data())
        }
    }

    /// See `TransactionalStore.commit(_:_:)`. Each commit is as durable as every change of this store.
    public func commit(_ writes: [EntryWrite], _ durability: CommitDurability) async throws(StoreError) -> Commit {
        try writes.check()
        if writes.isEmpty { return .made([]) }
        let rows = try CommitRows(writes)
        let changed = writes.filter { $0.change != .keep }.map(\.key)
        let told = ToldChange.parts(of: changed).map {
            Data(ToldChange.text(entries: Array(changed[$0]), from: instance).utf8)
        }
        let steps =
            [Request.Step(.commit, [.text(schema.channel), .list(told, of: .text)] + rows.parameters)] + rows.pieces
        let commit = try await turns.run(writes.map { StoreKey($0.key) }) { () async throws(StoreError) -> Commit in
            do throws(StoreError) {
                while true {
                    let request = request(steps, writes: true)
                    let isMade = try await change(request, "commit \(writes.count) entries")
                    if isMade { return .made(rows.newMarks) }
                    let refused = try await refused(request, writes)
                    // After a lost answer nobody knows which they were, and all may be as they must be by now.
                    if !refused.isEmpty { return .refused(refused) }
                }
            } catch {
                if case .uncertain = error { for key in changed { doubt(.entry(key)) } }
                throw error
            }
        }
        if case .made = commit { for key in changed { changes.post(.entry(key)) } }
        return commit
    }

    /// The keys of a commit that was refused.
    private func refused(_ request: Request, _ writes: [EntryWrite]) async throws(StoreError) -> [String] {
        if let answer = request.results.first, answer.count == 1, let places = answer.bytes(0, 1) {
            let numbers = String(decoding: places, as: UTF8.self).split(separator: ",").compactMap { Int($0) }
            return numbers.filter { writes.indices.contains($0 - 1) }.sorted().map { writes[$0 - 1].key }
        }
        let found = try await read(writes.map(\.key))
        return zip(writes, found).compactMap { write, found in
            let (mark, exists) =
                if case .success(let seen) = found { (seen?.mark, seen != nil) } else { (Data?.none, true) }
            return write.condition.holds(mark, exists: exists) ? nil : write.key
        }
    }
}

/// The writes of a commit as lists of the statement.
private struct CommitRows {
    /// The marks of the entries afterwards, as far as they are new.
    var newMarks: [Data?] = []
    /// The locks, and the lists of what is written.
    let parameters: [Parameter]
    var pieces: [Request.Step] = []

    init(_ writes: [EntryWrite]) throws(StoreError) {
        var (seen, marks, heads, bodies, parts) = ([Data?](), [Data?](), [Data?](), [Data?](), [Data?]())
        var locks: Set<Int64> = []
        for write in writes {
            switch write.condition {
            case .always: seen.append(nil)
            case .absent: seen.append(Data())
            case .seen(let mark):
                // No entry has the mark of no bytes, which would ask for none.
                seen.append(mark.isEmpty ? Data([0]) : mark)
            }
            var (mark, head, body, count) = (Data?.none, Data?.none, Data?.none, 0)
            switch write.change {
            case .keep: break
            case .delete: mark = Data()
            case .replace(let entry):
                let new = Row.newMark()
                (mark, head) = (new, try EntryCoding.head(of: entry, key: write.key))
                if entry.bytes.count > Row.largest {
                    let all = entry.bytes.parts(of: Row.largest)
                    count = all.count
                    for (number, piece) in all.enumerated() {
                        pieces.append(
                            .init(.piece, [.text(write.key), .bytes(new), .integer(Int64(number)), .bytes(piece)]))
                    }
                } else {
                    body = entry.bytes
                }
            }
            if write.condition == .absent || (head != nil && write.condition == .always) {
                locks.insert(Schema.lock(write.key))
            }
            newMarks.append(head == nil ? nil : mark)
            marks.append(mark)
            heads.append(head)
            bodies.append(body)
            parts.append(Self.number(Int64(count)))
        }
        parameters = [
            .list(locks.sorted().map(Self.number), of: .integer), .list(writes.map { Data($0.key.utf8) }), .list(seen),
            .list(marks),
            .list(heads), .list(bodies), .list(parts, of: .integer),
        ]
    }

    private static func number(_ number: Int64) -> Data { withUnsafeBytes(of: number.bigEndian) { Data($0) } }
}
