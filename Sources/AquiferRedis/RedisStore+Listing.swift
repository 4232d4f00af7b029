import Aquifer
import AquiferFoundation

extension RedisStore {
    /// See `CacheStore.contents()`.
    public func contents() async throws(StoreError) -> StoreContents { try await contents(prefix: "") }

    /// See `CacheStore.contents(prefix:)`. It looks at all keys of the database, in pages: an entry that is stored or deleted meanwhile may
    /// be in the list or not.
    public func contents(prefix: String) async throws(StoreError) -> StoreContents {
        var contents = StoreContents()
        // A page may name a key that an earlier one has named.
        var known: Set<Data> = []
        try await scan(prefix) { page throws(StoreError) in
            let new = page.filter { known.insert($0).inserted }
            for (name, length, beginning) in try await self.beginnings(new) {
                self.add(name, length, beginning.value, beginning.generation, to: &contents)
            }
        }
        return contents
    }

    /// The beginnings of values, each with the generation that its part has after that.
    private func beginnings(
        _ names: [Data]
    ) async throws(StoreError) -> [(name: Data, length: Int, beginning: (value: Data, generation: Data?))] {
        if names.isEmpty { return [] }
        let heads = try await run(.heads, names.map(Command.Word.data), [], to: "list the entries").reply.list
        var found: [(Data, Int, Data)] = []
        for (name, reply) in zip(names, heads) {
            guard reply.list.count == 2, let length = reply.list[0].integer, let head = reply.list[1].data else {
                throw strange("list the entries")
            }
            // It is gone meanwhile.
            if length == 0 { continue }
            found.append((name, Int(length), head))
            // A key or a validator is long.
            if head.count < length, Value.needsMore(head) {
                let whole = try await ask([Command([Data("GET".utf8), name])], to: "list the entries").replies[0].data
                found.removeLast()
                if let whole { found.append((name, whole.count, whole)) }
            }
        }
        if found.isEmpty { return [] }
        let parts = found.map { self.names.generation(of: self.names.key($0.0) ?? "") }
        let different = Array(Set(parts))
        let command = Command([Data("MGET".utf8)] + different)
        let generations = try await ask([command], to: "list the entries").replies[0].list
        guard generations.count == different.count else { throw strange("list the entries") }
        let byPart = Dictionary(zip(different, generations.map(\.data))) { first, _ in first }
        return zip(found, parts).map { ($0.0, $0.1, ($0.2, byPart[$1] ?? nil)) }
    }

    private func add(
        _ name: Data, _ length: Int, _ value: Data, _ generation: Data?, to contents: inout StoreContents
    ) {
        let key = names.key(name)
        do throws(SealedEntry.Damage) {
            guard let key else { throw SealedEntry.Damage("its key is no text") }
            if let summary = try Value.summary(value, length: length, key, generation: generation) {
                contents.entries.append(summary)
            }
        } catch {
            contents.damaged.append(
                DamagedEntry(key: key, place: "\(Self.placeName) \(name.hexadecimal)", reason: error.reason))
        }
    }

    private static let placeName = "entry"

    /// Deletes a value that is still damaged; true if it was.
    func removeIfDamaged(_ damaged: DamagedEntry) async throws(StoreError) -> Bool {
        let words = damaged.place.split(separator: " ")
        guard words.count == 2, words[0] == Self.placeName, let name = Data(hexadecimal: words[1]),
            name.starts(with: names.entry(""))
        else { return false }
        guard let found = try await beginnings([name]).first else { return false }
        var contents = StoreContents()
        add(name, found.length, found.beginning.value, found.beginning.generation, to: &contents)
        // A whole entry has replaced it by now.
        if contents.damaged.isEmpty { return false }
        let change: StoreChange = damaged.key.map { .entry($0) } ?? .everything
        return try await doubting(change) { () throws(StoreError) -> Bool in
            let seen = Data(found.beginning.value.prefix(Value.headLength))
            let (isDone, wasRepeated) = try await delete(name, change, seen: seen)
            return isDone || wasRepeated
        }
    }

    /// Deletes the entries whose keys begin with a prefix; true if there were any. A failure tells observers that some may be gone.
    func unlinkAll(_ prefix: String) async throws(StoreError) -> Bool {
        var (hasBegun, hasChanged) = (false, false)
        // Others are told with each page: it may be the last one that this call comes to.
        let telling = Command([.text("PUBLISH")] + told(.prefix(prefix)))
        do throws(StoreError) {
            try await scan(prefix) { page throws(StoreError) in
                if page.isEmpty { return }
                hasBegun = true
                let deletions = page.map { Command([Data("UNLINK".utf8), $0]) }
                let (replies, wasRepeated) = try await self.ask(
                    deletions + [telling], to: "delete what begins with \"\(prefix)\"")
                if wasRepeated || replies.dropLast().contains(.integer(1)) { hasChanged = true }
            }
        } catch {
            if hasBegun { doubt(.prefix(prefix)) }
            throw error
        }
        return hasChanged
    }

    /// Deletes what ended scopes have left, which nobody can read any more. Call it now and then if entries do not expire.
    ///
    /// - Returns: the number of entries that were deleted.
    /// - Throws: the errors of `CacheStore.contents()`.
    @discardableResult
    public func sweep() async throws(StoreError) -> Int {
        var count = 0
        try await scan(ScopeKeys.entries) { page throws(StoreError) in
            for (name, length, beginning) in try await self.beginnings(page) {
                guard let key = self.names.key(name) else { continue }
                do throws(SealedEntry.Damage) {
                    let summary = try Value.summary(
                        beginning.value, length: length, key, generation: beginning.generation)
                    if summary != nil { continue }
                } catch {
                    // Damage is told, and never swept.
                    continue
                }
                let head = Data(beginning.value.prefix(Value.headLength))
                if try await self.delete(name, .entry(key), seen: head).isDone { count += 1 }
            }
        }
        return count
    }

    /// Calls `body` with each page of the names of entries. Names that are there all the time are in a page at least.
    private func scan(
        _ prefix: String, _ body: ([Data]) async throws(StoreError) -> Void
    ) async throws(StoreError) {
        var cursor = Data("0".utf8)
        repeat {
            let command = Command(
                [
                    Data("SCAN".utf8), cursor, Data("MATCH".utf8), names.pattern(prefix), Data("COUNT".utf8),
                    Data("1000".utf8),
                ])
            let replies = try await ask([command], to: "list the entries").replies[0].list
            guard replies.count == 2, let next = replies[0].data else { throw strange("list the entries") }
            cursor = next
            try await body(replies[1].list.compactMap(\.data))
        } while cursor != Data("0".utf8)
    }
}
