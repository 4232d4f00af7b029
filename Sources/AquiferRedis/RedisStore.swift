import Aquifer
import AquiferConcurrency
import AquiferFoundation
import Dispatch

/// A store in a Redis server, for caches that several machines share and that may be lost.
///
/// ```swift
/// let store = try RedisStore("redis://cache.internal", expireAfter: .seconds(7 * 86_400))
/// ```
///
/// It keeps the contract of `CacheStore` as a *shared* store: calls for one key run in the order in which they were
/// issued on an instance, calls for different keys side by side, and a decision may be repeated.
///
/// - Durability: as the server is set up. A cache of Redis is usually lost with the server, and a full one forgets entries; ``settings()``
///   tells. Never keep in it what cannot be loaded again: an outbox, payments, keys.
/// - Failures: a call waits for a server that is away for `patience`. While it stays away, calls fail at once. A server is not away while it takes
///   more of a large value, or sends more of one, however slow the network is.
///   If the connection breaks during a change, the change is repeated on the next one. `StoreError.uncertain(operation:reason:)` says that
///   there was none in time.
/// - Changes: ``changes`` tells the changes of all machines, by the server's publish and subscribe. It does not tell that the server has forgotten
///   an entry.
/// - Scopes: the end of a `Scope` is one step of the server, however many entries there are. Nobody reads them from then on; ``sweep()``
///   deletes them, or their expiry.
/// - Sizes: an entry of up to 512 MB, which is the server's limit for a value.
///
/// It speaks no TLS: put stunnel, or another proxy that does, before the server. It needs one server and not a Redis Cluster, which would keep
/// the keys of one step on several machines; for a failover, put a proxy before it that follows Sentinel.
public final class RedisStore: CacheStore {
    let names: RedisNames
    let place: String
    let owner: LoopOwner
    let patience: Duration
    let lifetime: Command.Word
    let turns = KeyTurns()
    /// Tells the messages of this store from those of others.
    let instance = Value.token().prefix(8).hexadecimal
    /// The changes of calls that threw `.uncertain`. If one of them is made later, the server's message tells it.
    package let doubts: DoubtfulChanges
    /// Tells the ends of leases, here and on other machines.
    let leaseEnds: StoreChanges
    /// The known generations, by the parts of the store.
    private let generations = Locked<[String: Data]>([:])

    /// See `CacheStore.changes`. The store hears the changes of others from its first answered call on. After each break of the connection,
    /// and to an observer who came before that call, it tells that everything may have changed.
    public let changes: StoreChanges

    /// A store in a server. It connects at its first use.
    ///
    /// - Parameters:
    ///   - address: `redis://[[user]:password@]host[:port][/database]`, or `unix:///path[?db=number]`.
    ///   - prefix: the beginning of the names of its keys in the database. Stores with different prefixes share nothing.
    ///   - expireAfter: the time after which the server forgets an entry that was not written again; `nil` for never.
    ///   - patience: the time for which a call waits for a server that takes and sends nothing.
    /// - Throws: `StoreError.failed(operation:reason:)` for an address that cannot be used.
    public init(
        _ address: String, prefix: String = "aquifer", expireAfter: Duration? = nil, patience: Duration = .seconds(5)
    ) throws(StoreError) {
        let address = try RedisAddress(address)
        let (names, instance) = (RedisNames(prefix: prefix), instance)
        let told = Locked<(changes: StoreChanges, leaseEnds: StoreChanges)?>(nil)
        let doubts = DoubtfulChanges()
        // Observers are told on a thread of their own: they must not hold up what is on its way.
        let queue = DispatchQueue(label: "aquifer.redis.changes")
        let listener = Listener(channel: names.channel, leaseChannel: names.leaseChannel) { message in
            let isOwn = message.isOwn(instance)
            if isOwn, !message.isDoubted(in: doubts) { return false }
            queue.async {
                told.withLock { $0 }.map { message.pass(from: isOwn ? "" : instance, to: $0.changes, $0.leaseEnds) }
            }
            return true
        }
        let owner = LoopOwner(Connecting(address: address, patience: patience), listener)
        (self.names, self.doubts) = (names, doubts)
        self.owner = owner
        self.patience = patience
        place = address.words
        let milliseconds = expireAfter.map { $0.milliseconds(in: 1...Int64(1) << 50) }
        lifetime = .text("\(milliseconds ?? 0)")
        // An observer from before the first call is told, too.
        let begin: @Sendable (StoreChanges) -> StoreObservation = { [weak owner] _ in
            owner?.loop.begin()
            return StoreObservation {}
        }
        (changes, leaseEnds) = (StoreChanges(whileObserved: begin), StoreChanges(whileObserved: begin))
        told.withLock { [changes, leaseEnds] in $0 = (changes, leaseEnds) }
    }

    // MARK: Reading

    /// See `CacheStore.retrieve(_:)`.
    public func retrieve(_ key: String) async throws(StoreError) -> StoredEntry? {
        try await read(StoreKey(checking: key))?.entry.get()
    }

    private func read(_ key: StoreKey) async throws(StoreError) -> Value.Found? {
        let part = RedisNames.part(of: key.text)
        let command = Command([.text("MGET"), names.generation(ofPart: part), names.word(key.text)])
        let replies = try await ask([command], to: "read \"\(key.text)\"").replies[0].list
        guard replies.count == 2 else { throw strange("read \"\(key.text)\"") }
        let generation = replies[0].data
        if let generation { know(generation, part) }
        return Value.read(replies[1], key.text, generation: generation)
    }

    // MARK: Writing

    /// See `CacheStore.insert(_:for:)`.
    public func insert(_ entry: StoredEntry, for key: String) async throws(StoreError) {
        let key = try StoreKey(checking: key)
        _ = try await doubting(.entry(key.text)) { () throws(StoreError) in
            try await turns.run(key) { () throws(StoreError) in try await write(entry, key, over: Data()) }
        }
        changes.post(.entry(key.text))
    }

    /// See `CacheStore.delete(_:)`.
    public func delete(_ key: String) async throws(StoreError) {
        let key = try StoreKey(checking: key)
        let isGone = try await doubting(.entry(key.text)) { () throws(StoreError) in
            try await turns.run(key) { () throws(StoreError) -> Bool in
                let (isDone, wasRepeated) = try await delete(names.entry(key.text), .entry(key.text), seen: Data())
                return isDone || wasRepeated
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
        let hasChanged = try await doubting(.entry(key.text)) { () throws(StoreError) in
            try await turns.run(key) { () throws(StoreError) in try await decided(key, decide) }
        }
        if hasChanged { changes.post(.entry(key.text)) }
    }

    /// Decides about an entry until the decision could be carried out; true if anything has changed.
    private func decided(
        _ key: StoreKey, _ decide: @Sendable (Result<StoredEntry?, StoreError>) throws(StoreError) -> EntryChange
    ) async throws(StoreError) -> Bool {
        while true {
            let found = try await read(key)
            let attempt: (isDone: Bool, wasRepeated: Bool)
            switch (try decide(found.map { $0.entry.map { $0 } } ?? .success(nil)), found?.head) {
            case (.keep, _), (.delete, nil): return false
            case (.replace(let entry), let head):
                attempt = try await write(entry, key, over: head ?? Data("-".utf8))
            case (.delete, let head?):
                attempt = try await delete(names.entry(key.text), .entry(key.text), seen: head)
            }
            if attempt.isDone { return true }
            // It may have been carried out before the connection broke: a second decision would be one too many.
            if attempt.wasRepeated {
                throw .uncertain(operation: "change \"\(key.text)\"", reason: "\(place): the connection broke")
            }
        }
    }

    /// The number of bytes up to which an entry is an argument of a script.
    static let largestArgument = 4_096

    /// Writes an entry, if it is as it was seen; also tells whether that was tried before.
    private func write(
        _ entry: StoredEntry, _ key: StoreKey, over seen: Data
    ) async throws(StoreError) -> (isDone: Bool, wasRepeated: Bool) {
        let (part, mark) = (RedisNames.part(of: key.text), Value.token())
        // The mark is as good for a new generation: nobody else has it.
        var generation = generations.withLock { $0[part] } ?? mark
        let operation = "save \"\(key.text)\""
        let keys = [names.generation(ofPart: part), names.word(key.text)]
        var isLarge = entry.bytes.count > Self.largestArgument
        var wasRepeated = false
        while true {
            let head = try Value.head(of: entry, key.text, generation: generation, mark: mark)
            let value = Command.Word.parts(head, entry.bytes)
            let argument: Command.Word = isLarge ? .data(head.prefix(Value.headLength)) : value
            let arguments: [Command.Word] = [.data(generation), .data(mark), argument, .data(seen), lifetime]
            let place: [Command.Word] = isLarge ? [.data(names.waiting(mark))] : []
            let before = place.map { Command([.text("SET"), $0, value, .text("PX"), .text("60000")]) }
            let answer = try await run(
                .write, keys + place, arguments + told(.entry(key.text)), after: before, to: operation)
            wasRepeated = wasRepeated || answer.wasRepeated
            switch answer.reply {
            // The server was so full that it has forgotten the value since the last command.
            case .integer(2): isLarge = false
            case .integer(let count): return (count == 1, wasRepeated)
            // Somebody has begun another generation, or there was none.
            case .bytes(let other) where other.count == Value.generationLength:
                generation = other
                know(other, part)
            default: throw strange(operation)
            }
        }
    }

    /// Deletes an entry, if it is as it was seen; also tells whether that was tried before.
    func delete(
        _ name: Data, _ change: StoreChange, seen: Data
    ) async throws(StoreError) -> (isDone: Bool, wasRepeated: Bool) {
        let (reply, wasRepeated) = try await run(
            .delete, [.data(name)], [.data(seen)] + told(change), to: "delete an entry")
        return (reply.integer == 1, wasRepeated)
    }

    /// See `CacheStore.deleteAll(prefix:)`. It is one step for the entries of a scope, and otherwise a step an entry.
    public func deleteAll(prefix: String) async throws(StoreError) {
        let hasChanged = try await turns.runAlone { () throws(StoreError) -> Bool in
            if ScopeKeys.part(of: prefix) == prefix {
                let name = names.generation(of: prefix)
                return try await doubting(.prefix(prefix)) { () throws(StoreError) -> Bool in
                    let (reply, wasRepeated) = try await run(
                        .end, [.data(name)], told(.prefix(prefix)), to: "delete what begins with \"\(prefix)\"")
                    return reply.integer == 1 || wasRepeated
                }
            }
            return try await unlinkAll(prefix)
        }
        if hasChanged { changes.post(.prefix(prefix)) }
    }

    /// See `CacheStore.remove(_:)`.
    public func remove(_ damaged: DamagedEntry) async throws(StoreError) {
        if try await removeIfDamaged(damaged) { changes.post(damaged.key.map { .entry($0) } ?? .everything) }
    }

    /// The channel and the message with which others are told of a change.
    func told(_ change: StoreChange) -> [Command.Word] {
        [.text(names.channel), .text(ToldChange.text(change, from: instance))]
    }

    /// The same for the end of a lease.
    func toldOfLease(_ key: String) -> [Command.Word] {
        [.text(names.leaseChannel), .text(ToldChange.text(.entry(key), from: instance))]
    }

    /// The generation that was last known.
    func generation(ofPart part: String) -> Data? { generations.withLock { $0[part] } }

    /// Remembers a generation. It is a guess, which the server checks.
    func know(_ generation: Data, _ part: String) {
        generations.withLock { known in
            if known[part] == generation { return }
            if known.count >= 10_000 { known = [:] }
            known[part] = generation
        }
    }
}

/// Several entries at one moment. The mark of an entry is its head.
extension RedisStore: TransactionalStore {
    /// See `TransactionalStore.read(_:)`. It is one command.
    public func read(_ keys: [String]) async throws(StoreError) -> [Result<SeenEntry?, StoreError>] {
        for key in keys where key.isEmpty { throw .invalidKey(key) }
        if keys.isEmpty { return [] }
        let words = keys.flatMap { [names.generation(ofPart: RedisNames.part(of: $0)), names.word($0)] }
        let operation = "read \(keys.count) entries"
        let replies = try await ask([Command([.text("MGET")] + words)], to: operation).replies[0].list
        guard replies.count == 2 * keys.count else { throw strange(operation) }
        return keys.enumerated().map { place, key in
            let generation = replies[2 * place].data
            if let generation { know(generation, RedisNames.part(of: key)) }
            guard let found = Value.read(replies[2 * place + 1], key, generation: generation) else {
                return .success(nil)
            }
            return found.entry.map { SeenEntry(entry: $0, mark: found.head) }
        }
    }

    /// See `TransactionalStore.commit(_:_:)`. Each commit is as durable as every change of this store. It is one script.
    public func commit(_ writes: [EntryWrite], _ durability: CommitDurability) async throws(StoreError) -> Commit {
        try writes.check()
        if writes.isEmpty { return .made([]) }
        let changed = writes.filter { $0.change != .keep }.map(\.key)
        let commit = try await turns.run(writes.map { StoreKey($0.key) }) { () async throws(StoreError) -> Commit in
            do throws(StoreError) { return try await carryOut(writes, changed) } catch {
                if case .uncertain = error { for key in changed { doubt(.entry(key)) } }
                throw error
            }
        }
        if case .made = commit { for key in changed { changes.post(.entry(key)) } }
        return commit
    }

    private func carryOut(_ writes: [EntryWrite], _ changed: [String]) async throws(StoreError) -> Commit {
        let operation = "commit \(writes.count) entries"
        let marks = writes.map { _ in Value.token() }
        // A mark is as good for a new generation: nobody else has it.
        var generations = zip(writes, marks).map { generation(ofPart: RedisNames.part(of: $0.key)) ?? $1 }
        let told = ToldChange.parts(of: changed).map {
            Command.Word.text(ToldChange.text(entries: Array(changed[$0]), from: instance))
        }
        var (sendsLarge, wasRepeated) = (true, false)
        while true {
            var step = CommitStep()
            for place in writes.indices {
                try step.add(writes[place], names, generations[place], marks[place], sendsLarge)
            }
            let fixed: [Command.Word] = [lifetime, .text(names.channel), .text("\(writes.count)")]
            let answer = try await run(
                .commit, step.keys + step.places, fixed + step.arguments + told, after: step.before, to: operation)
            wasRepeated = wasRepeated || answer.wasRepeated
            switch answer.reply {
            case .integer(1): return .made(step.newMarks)
            // The server was so full that it has forgotten a value since the last command.
            case .integer(2): sendsLarge = false
            case .list(let refused) where refused.first?.integer != nil:
                // What was deleted before the connection broke is not as it was seen.
                if wasRepeated, writes.contains(where: { $0.change == .delete }) {
                    throw .uncertain(operation: operation, reason: "\(place): the connection broke")
                }
                let places = refused.compactMap(\.integer).map { Int($0) - 1 }
                return .refused(places.filter(writes.indices.contains).map { writes[$0].key })
            case .list(let others) where others.count == writes.count:
                for (place, other) in others.enumerated() {
                    guard let other = other.data, other.count == Value.generationLength else { continue }
                    generations[place] = other
                    know(other, RedisNames.part(of: writes[place].key))
                }
            default: throw strange(operation)
            }
        }
    }
}

/// The words of a commit.
private struct CommitStep {
    var keys: [Command.Word] = []
    /// The places of large values, and the commands that put them there.
    var (places, before) = ([Command.Word](), [Command]())
    var arguments: [Command.Word] = []
    var newMarks: [Data?] = []

    mutating func add(
        _ write: EntryWrite, _ names: RedisNames, _ generation: Data, _ mark: Data, _ sendsLarge: Bool
    ) throws(StoreError) {
        keys += [names.generation(ofPart: RedisNames.part(of: write.key)), names.word(write.key)]
        let seen: Command.Word =
            switch write.condition {
            case .always: .text("")
            case .absent: .text("-")
            // No head is shorter.
            case .seen(let mark): mark.count == Value.headLength ? .data(mark) : .text("?")
            }
        var (value, newMark) = (Command.Word.text(write.change == .delete ? "-" : ""), Data?.none)
        if case .replace(let entry) = write.change {
            let head = try Value.head(of: entry, write.key, generation: generation, mark: mark)
            newMark = Data(head.prefix(Value.headLength))
            value = .parts(head, entry.bytes)
            if sendsLarge, entry.bytes.count > RedisStore.largestArgument {
                let place = Command.Word.data(names.waiting(mark))
                before.append(Command([.text("SET"), place, value, .text("PX"), .text("60000")]))
                places.append(place)
                value = .data(head.prefix(Value.headLength) + Data("@".utf8))
            }
        }
        newMarks.append(newMark)
        arguments += [.data(generation), .data(mark), seen, value]
    }
}
