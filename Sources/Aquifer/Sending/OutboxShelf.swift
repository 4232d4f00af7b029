import Foundation

/// Where the outbox keeps its items: `item:` and the number in 20 digits, beside a counter. All of what two processes
/// have to agree on happens here, in single updates of single entries.
struct OutboxShelf: Sendable {
    /// What is under an item's number.
    enum Finding: Sendable {
        case record(OutboxRecord)
        case nothing
        case damaged(String)
    }

    /// What is to become of a record.
    enum Change: Sendable {
        case keep
        case replace
        case delete
    }

    /// The numbers in use: all items are in `low ..< next`.
    struct Counter: Sendable, Codable {
        /// How many numbers are kept in `open`: more than there are processes that queue at the same time.
        static let openLimit = 64

        var low: UInt64 = 1
        var next: UInt64 = 1
        /// Numbers that were given out, and whose items may not be in the store yet. All others below `next` were.
        var open: [UInt64] = []
    }

    private static let counterKey = "counter"
    private static let prefix = "item:"

    let store: any CacheStore
    let now: @Sendable () -> Date

    // MARK: Numbers

    /// A number that no other item has or will have, greater than those of all items that are queued by now.
    ///
    /// - Parameter done: the numbers taken before whose items are in the store by now, or will never be.
    func takeNumber(done: [UInt64]) async throws(StoreError) -> UInt64 {
        try await changeCounter { counter in
            counter.open.removeAll { done.contains($0) }
            counter.open = counter.open.suffix(Counter.openLimit - 1) + [counter.next]
            counter.next += 1
            return counter.next - 1
        }
    }

    /// The numbers in use.
    func counter() async throws(StoreError) -> Counter {
        guard let entry = try await retrieveCounter() else { return Counter() }
        do { return try JSONDecoder().decode(Counter.self, from: entry.bytes) } catch { return try await mendCounter() }
    }

    /// Says that no number below this one is in use.
    func raiseLow(to low: UInt64) async throws(StoreError) {
        try await changeCounter { $0.low = max($0.low, low) }
    }

    private func retrieveCounter() async throws(StoreError) -> StoredEntry? {
        do throws(StoreError) { return try await store.retrieve(Self.counterKey) } catch {
            guard case .unreadable = error else { throw error }
            try await mendCounter()
            return try await store.retrieve(Self.counterKey)
        }
    }

    @discardableResult
    private func mendCounter() async throws(StoreError) -> Counter {
        try await changeCounter { $0 }
    }

    @discardableResult
    private func changeCounter<Result: Sendable>(
        _ change: @Sendable (inout Counter) -> Result
    ) async throws(StoreError) -> Result {
        do throws(StoreError) {
            return try await changeCounter(instead: nil, change)
        } catch {
            guard case .unreadable = error else { throw error }
            // Above every number that can have been given: what is queued later must not come before what is there.
            let known = try await numbers().keys
            let low = known.min().map { $0 > 10_000 ? $0 - 10_000 : 1 } ?? 1
            return try await changeCounter(instead: Counter(low: low, next: (known.max() ?? 0) + 10_000), change)
        }
    }

    private func changeCounter<Result: Sendable>(
        instead: Counter?, _ change: @Sendable (inout Counter) -> Result
    ) async throws(StoreError) -> Result {
        let result = Locked<Result?>(nil)
        try await store.update(Self.counterKey) { found throws(StoreError) in
            var counter: Counter
            do throws(StoreError) {
                counter = try Self.counter(in: found)
            } catch {
                guard let instead, case .unreadable = error else { throw error }
                counter = instead
            }
            result.withLock { [done = change(&counter)] in $0 = done }
            return .replace(StoredEntry(bytes: try Self.encode(counter), savedAt: now()))
        }
        guard let result = result.withLock({ $0 }) else {
            throw .failed(operation: "number an item", reason: "the store decided nothing")
        }
        return result
    }

    private static func counter(in found: Result<StoredEntry?, StoreError>) throws(StoreError) -> Counter {
        guard let entry = try found.get() else { return Counter() }
        do { return try JSONDecoder().decode(Counter.self, from: entry.bytes) } catch {
            throw .unreadable(key: counterKey, reason: "not a counter of this version")
        }
    }

    // MARK: Items

    /// The numbers of all items whose header is readable, and the version of each.
    func numbers() async throws(StoreError) -> [UInt64: String] {
        var numbers: [UInt64: String] = [:]
        for summary in try await store.entries() where summary.key.hasPrefix(Self.prefix) {
            guard let number = UInt64(summary.key.dropFirst(Self.prefix.count)) else { continue }
            numbers[number] = summary.validators.etag ?? ""
        }
        return numbers
    }

    func insert(_ record: OutboxRecord, _ number: UInt64) async throws(StoreError) {
        try await store.insert(try entry(record), for: Self.key(number))
    }

    func delete(_ number: UInt64) async throws(StoreError) {
        try await store.delete(Self.key(number))
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

    /// Looks at an item and changes it in one step.
    ///
    /// - Returns: what is there afterwards.
    func change(
        _ number: UInt64, _ decide: @Sendable (inout OutboxRecord) -> Change
    ) async throws(StoreError) -> Finding {
        let result = Locked(Finding.nothing)
        try await store.update(Self.key(number)) { found throws(StoreError) in
            let finding: Finding
            do throws(StoreError) { finding = try found.get().map(Self.decode) ?? .nothing } catch {
                guard case .unreadable(_, let reason) = error else { throw error }
                finding = .damaged(reason)
            }
            guard case .record(var record) = finding else {
                result.withLock { $0 = finding }
                return .keep
            }
            switch decide(&record) {
            case .keep:
                result.withLock { $0 = finding }
                return .keep
            case .delete:
                return .delete
            case .replace:
                record.version += 1
                result.withLock { [record] in $0 = .record(record) }
                return .replace(try entry(record))
            }
        }
        return result.withLock { $0 }
    }

    private static func key(_ number: UInt64) -> String {
        let digits = "\(number)"
        return prefix + String(repeating: "0", count: max(0, 20 - digits.count)) + digits
    }

    private static func decode(_ entry: StoredEntry) -> Finding {
        do { return .record(try JSONDecoder().decode(OutboxRecord.self, from: entry.bytes)) } catch {
            return .damaged("not an item of this version")
        }
    }

    private func entry(_ record: OutboxRecord) throws(StoreError) -> StoredEntry {
        StoredEntry(
            bytes: try Self.encode(record), savedAt: record.head.queuedAt,
            validators: Validators(etag: "\(record.version)"))
    }

    private static func encode(_ value: some Encodable) throws(StoreError) -> Data {
        do { return try JSONEncoder().encode(value) } catch {
            throw .failed(operation: "encode an item", reason: "\(type(of: error))")
        }
    }
}
