import AquiferConcurrency
import AquiferFoundation

/// The outbox's entries in its store: each item under `item:` and its number in 20 digits, beside a counter. All
/// decisions between processes are made here, in single updates of single entries.
struct OutboxShelf: Sendable {
    /// The entry under an item's number.
    enum Finding: Sendable {
        case record(OutboxRecord)
        case nothing
        case damaged(String)
    }

    /// A decision about a record.
    enum Change: Sendable {
        case keep
        case replace
        case delete
    }

    private static let prefix = "item:"

    /// True if the key is that of an item or of the counter.
    static func isKey(_ key: String) -> Bool {
        isItemKey(key) || key == counterKey || key.hasPrefix(factsPrefix)
    }

    /// True if the key is that of an item.
    static func isItemKey(_ key: String) -> Bool { number(key) != nil }

    /// True if the scope of the store has ended.
    var hasEnded: Bool { get async { await end != nil } }

    /// The error of a scope that has ended; `nil` if it has not.
    var end: StoreError? {
        get async {
            guard store.changes.mayEnd else { return nil }
            do throws(StoreError) { _ = try await store.entryItself(Self.counterKey) } catch {
                if case .ended = error { return error }
            }
            return nil
        }
    }

    /// The contents of the store.
    struct Listing: Sendable {
        /// The version of each item, by its number.
        var versions: [UInt64: String] = [:]
        /// True if the list names a counter, readable or not.
        var hasCounter = false

        /// The distance from the items and from the last numbers within which unlisted items are looked up.
        private static let reach: UInt64 = 500
        /// The maximum number of look-ups.
        private static let limit = 4_000

        /// Numbers in `low ..< next` that the list does not name, but that may have an item, because a list may leave
        /// out an item whose header cannot be read. Numbers near the ends and near the items come first: after the loss
        /// of a counter, thousands of numbers have no item.
        func unnamed(from low: UInt64, to next: UInt64) -> Set<UInt64> {
            guard low < next else { return [] }
            var found: Set<UInt64> = []
            func add(from start: UInt64, to end: UInt64) {
                var number = min(end, next)
                while number > max(start, low), found.count < Self.limit {
                    number -= 1
                    if versions[number] == nil { found.insert(number) }
                }
            }
            // When `low` was set, the lowest item was within this distance (see `Outbox.tidy`).
            add(from: low, to: low + 2_000)
            add(from: next - min(next, Self.reach), to: next)
            if let first = versions.keys.min(), let last = versions.keys.max() {
                add(from: first - min(first, Self.reach), to: last + Self.reach)
            }
            return found
        }
    }

    let store: any CacheStore
    let attachments: (any AttachmentKeeper)?
    let now: @Sendable () -> Date
    let identity = Identity()
    /// The damage that was found so far.
    private let notices = Locked([Outbox.Notice]())

    init(store: any CacheStore, attachments: (any AttachmentKeeper)?, now: @escaping @Sendable () -> Date) {
        self.store = store
        self.attachments = attachments
        self.now = now
    }

    /// The reason for an item that the store lists and does not find.
    static let unfindable = "the store lists it and cannot find it: its index is damaged"

    func note(_ notice: Outbox.Notice) {
        notices.withLock { if !$0.contains(notice) { $0.append(notice) } }
    }

    /// The damage that was found so far.
    var told: [Outbox.Notice] { notices.withLock { $0 } }

    // MARK: Items

    /// The numbers of all items, readable or not.
    func listing() async throws(StoreError) -> Listing {
        var listing = Listing()
        let contents = try await store.contents()
        for summary in contents.entries {
            listing.hasCounter = listing.hasCounter || summary.key == Self.counterKey
            if let number = Self.number(summary.key) { listing.versions[number] = summary.validators.etag ?? "" }
        }
        var nameless = 0
        for damaged in contents.damaged {
            if let number = damaged.key.flatMap(Self.number) {
                // No record has this version, so that the item is read and found damaged.
                listing.versions[number] = "damaged"
            } else if damaged.key == Self.counterKey {
                // A damaged counter is no missing one: its numbers have been given out, also if no item is left.
                listing.hasCounter = true
            } else {
                nameless += 1
            }
        }
        if nameless > 0 { note(.unreadable(entries: nameless)) }
        return listing
    }

    /// Saves an item under its number, if the number is free.
    ///
    /// - Returns: false when the number has an entry, readable or not, which is unchanged.
    func insert(_ record: OutboxRecord, _ number: UInt64) async throws(StoreError) -> Bool {
        let entry = try entry(record)
        return try await asOwn { () async throws(StoreError) in
            try await store.decide(Self.key(number)) { found throws(StoreError) -> (EntryChange, Bool) in
                do throws(StoreError) {
                    guard try found.get() == nil else { return (.keep, false) }
                } catch {
                    guard case .unreadable = error else { throw error }
                    return (.keep, false)
                }
                return (.replace(entry), true)
            }
        }
    }

    func delete(_ number: UInt64) async throws(StoreError) {
        try await asOwn { () async throws(StoreError) in try await store.delete(Self.key(number)) }
    }

    func find(_ number: UInt64) async throws(StoreError) -> Finding {
        do throws(StoreError) {
            guard let entry = try await store.retrieve(Self.key(number)) else { return .nothing }
            return Self.decode(entry)
        } catch {
            guard case .unreadable(_, let reason) = error else { throw error }
            return .damaged(reason)
        }
    }

    /// Reads and changes an item in one step.
    ///
    /// - Returns: the item after the change.
    func change(
        _ number: UInt64, _ decide: @Sendable (inout OutboxRecord) -> Change
    ) async throws(StoreError) -> Finding {
        try await change(number) { record -> (Change, Void) in (decide(&record), ()) }.finding
    }

    /// Reads and changes an item in one step.
    ///
    /// - Parameter decide: also returns a value. A shared store may run it several times: nothing else may leave it.
    /// - Returns: the item after the change, and the value of the decision that was carried out; `nil` if there was no item that can be
    ///   read, and nothing to decide.
    func change<Value: Sendable>(
        _ number: UInt64, _ decide: @Sendable (inout OutboxRecord) -> (Change, Value)
    ) async throws(StoreError) -> (finding: Finding, value: Value?) {
        try await asOwn { () async throws(StoreError) in
            try await store.decide(Self.key(number)) { found throws(StoreError) -> (EntryChange, (Finding, Value?)) in
                let finding: Finding
                do throws(StoreError) { finding = try found.get().map(Self.decode) ?? .nothing } catch {
                    guard case .unreadable(_, let reason) = error else { throw error }
                    finding = .damaged(reason)
                }
                guard case .record(var record) = finding else { return (.keep, (finding, nil)) }
                switch decide(&record) {
                case (.keep, let value): return (.keep, (finding, value))
                case (.delete, let value): return (.delete, (.nothing, value))
                case (.replace, let value):
                    record.version += 1
                    return (.replace(try entry(record)), (.record(record), value))
                }
            }
        }
    }

    /// Changes an item that an outbox has claimed. An item that was paused, discarded, edited or taken over meanwhile
    /// is unchanged.
    ///
    /// - Returns: the item after the change, and true if the item was still claimed by the outbox.
    func changeOurs(
        _ number: UInt64, owner: UUID, key: String, _ decide: @Sendable (inout OutboxRecord.Head) -> Change
    ) async throws(StoreError) -> (finding: Finding, wasOurs: Bool) {
        let (finding, wasOurs) = try await change(number) { record -> (Change, Bool) in
            let isOurs = record.head.lease?.owner == owner && record.head.key == key
            return (isOurs ? decide(&record.head) : .keep, isOurs)
        }
        return (finding, wasOurs ?? false)
    }

    static func key(_ number: UInt64) -> String {
        let digits = "\(number)"
        return prefix + String(repeating: "0", count: max(0, 20 - digits.count)) + digits
    }

    /// The number of the item under this key; `nil` if it is no item's key, such as `item:42`, which an app may have in a scope beside.
    static func number(_ key: String) -> UInt64? {
        guard let digits = key.rest(after: prefix), digits.utf8.count == 20, digits.first != "+" else { return nil }
        // No counter reaches the highest numbers, so that there is always a next one.
        return UInt64(digits).flatMap { $0 < 1 << 62 ? $0 : nil }
    }

    static func decode(_ entry: StoredEntry) -> Finding {
        do { return .record(try JSONDecoder().decode(OutboxRecord.self, from: entry.bytes)) } catch {
            return .damaged("not an item of this version")
        }
    }

    func entry(_ record: OutboxRecord) throws(StoreError) -> StoredEntry {
        StoredEntry(
            bytes: try Self.encode(record), savedAt: record.head.queuedAt,
            validators: Validators(
                etag: "\(record.version)", lastModified: record.head.isConfirmed ? Self.confirmedTag : nil))
    }

    static func encode(_ value: some Encodable) throws(StoreError) -> Data {
        do { return try JSONEncoder().encode(value) } catch {
            throw .failed(operation: "encode an item", reason: "\(type(of: error))")
        }
    }
}
