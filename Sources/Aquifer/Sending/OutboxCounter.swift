import AquiferConcurrency
import AquiferFoundation

/// The counter of item numbers, stored beside the items. Each change is a single update of one entry.
///
/// A missing counter does not start at 1 while there are items, or files that are named after items: that would put new
/// items over old ones, and hide those above. A new counter is set above all of them, and reported.
extension OutboxShelf {
    /// The numbers in use: all items are in `low ..< next`.
    struct Counter: Sendable, Codable {
        /// The maximum number of numbers in `open`: more than the processes that queue at the same time.
        static let openLimit = 64
        /// The distance from the items at which a lost counter continues, because numbers may have been reserved for
        /// items that are saved later.
        static let gap: UInt64 = 10_000

        var low: UInt64 = 1
        var next: UInt64 = 1
        /// Reserved numbers whose items may not be in the store yet. The items of all other numbers below `next` have
        /// been in the store, or will never be.
        var open: [UInt64] = []
        /// The first and the last number that a lost counter may or may not have given out.
        var untold: [UInt64]?
        /// The first number that this counter gave out after it was recreated; absent if it never was.
        var since: UInt64?

        /// The reason why there is no item with this number.
        func absence(of number: UInt64) -> Outbox.Absence {
            if number == 0 || number >= next { return .never }
            if let untold, let first = untold.first, let last = untold.last, (first...max(first, last)).contains(number)
            {
                return .unknown
            }
            return .gone
        }

        /// True for a number whose missing item was certainly sent or discarded. An item below `since` may have been
        /// lost together with a counter: its files are never swept.
        func accountsFor(_ number: UInt64) -> Bool { number >= since ?? 0 && number < next }

        /// Raises a counter that was set back above a number that it should have given out already.
        mutating func rise(above number: UInt64, isItem: Bool) {
            let last = isItem ? number - 1 : number
            if last >= next { untold = [min(untold?.first ?? next, next), max(untold?.last ?? last, last)] }
            next = number + 1
            since = next
        }

        /// A new counter in place of a lost one.
        static func anew(above items: [UInt64], files: UInt64?) -> Counter {
            let highest = items.max() ?? 0
            let low = items.min().map { $0 > gap ? $0 - gap : 1 } ?? 1
            let next = max(highest, files ?? 0) + gap
            return Counter(low: low, next: next, untold: [highest + 1, next - 1], since: next)
        }
    }

    static let counterKey = "counter"

    /// Reserves a number that no other item has or will have. It is greater than the numbers of all items queued so
    /// far.
    ///
    /// - Parameter done: the numbers reserved earlier whose items are in the store by now, or will never be.
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
        let found: Result<StoredEntry?, StoreError>
        do throws(StoreError) { found = .success(try await store.retrieve(Self.counterKey)) } catch {
            found = .failure(error)
        }
        if let counter = try Self.counter(in: found) { return counter }
        if case .success(nil) = found, try await remains().isUnused { return Counter() }
        return try await changeCounter { $0 }
    }

    /// Records that no number below this one is in use.
    func raiseLow(to low: UInt64) async throws(StoreError) {
        try await changeCounter { $0.low = max($0.low, low) }
    }

    /// Ensures that the counter is above an item in the store.
    ///
    /// - Returns: the raised counter; `nil` when it was above the item already, for example because the item was queued
    ///   a moment ago.
    func lift(above number: UInt64) async throws(StoreError) -> Counter? {
        try await lift(above: number, isItem: true)
    }

    /// Ensures that the counter is above the items that files are named after. A backup of the store may have been
    /// restored.
    func liftAboveFiles() async throws(StoreError) {
        // A file is named after the counter was raised: every file that has its name now is below a counter that is
        // read later.
        guard let highest = await attachments?.highestNumber() else { return }
        _ = try await lift(above: highest, isItem: false)
    }

    private func lift(above number: UInt64, isItem: Bool) async throws(StoreError) -> Counter? {
        if try await counter().next > number { return nil }
        let lifted: Counter? = try await changeCounter { counter in
            guard counter.next <= number else { return nil }
            counter.rise(above: number, isItem: isItem)
            return counter
        }
        if lifted != nil { note(.counterMended(items: try await listing().versions.count)) }
        return lifted
    }

    /// The traces that distinguish a lost counter from one that never existed.
    private struct Remains {
        var items: [UInt64]
        var files: UInt64?
        var isUnused: Bool
    }

    private func remains() async throws(StoreError) -> Remains {
        let listing = try await listing()
        let files = await attachments?.highestNumber()
        return Remains(
            items: Array(listing.versions.keys), files: files,
            isUnused: listing.versions.isEmpty && !listing.hasCounter && files == nil)
    }

    @discardableResult
    private func changeCounter<Value: Sendable>(
        _ change: @Sendable (inout Counter) -> Value
    ) async throws(StoreError) -> Value {
        if let value = try await changeCounter(instead: nil, change) { return value }
        // A missing or unreadable counter is recreated from the items, unless another process was quicker.
        let remains = try await remains()
        let counter = remains.isUnused ? Counter() : Counter.anew(above: remains.items, files: remains.files)
        let changed = try await changeCounter(instead: counter) { [isUnused = remains.isUnused] found in
            let isMended = found.next == counter.next && !isUnused
            return (change(&found), isMended)
        }
        guard let (value, isMended) = changed else {
            throw .failed(operation: "number an item", reason: "the store decided nothing")
        }
        if isMended { note(.counterMended(items: remains.items.count)) }
        return value
    }

    /// Changes the counter; `nil` when there is no readable counter and no replacement. Nothing is changed then.
    private func changeCounter<Value: Sendable>(
        instead: Counter?, _ change: @Sendable (inout Counter) -> Value
    ) async throws(StoreError) -> Value? {
        let result = Locked<Value?>(nil)
        // A loss of power may take the new counter away, and with it nothing else: an item is flushed with all that was written before.
        try await store.updateUnflushed(Self.counterKey) { found throws(StoreError) -> EntryChange in
            guard var counter = try Self.counter(in: found) ?? instead else {
                result.withLock { $0 = nil }
                return .keep
            }
            let value = change(&counter)
            result.withLock { $0 = value }
            return .replace(StoredEntry(bytes: try Self.encode(counter), savedAt: now()))
        }
        return result.withLock { $0 }
    }

    /// The counter that was found; `nil` when it is missing, unreadable, or no counter.
    private static func counter(in found: Result<StoredEntry?, StoreError>) throws(StoreError) -> Counter? {
        do throws(StoreError) {
            guard let entry = try found.get() else { return nil }
            // A counter without a next number counts as lost.
            let counter = try? JSONDecoder().decode(Counter.self, from: entry.bytes)
            return counter.flatMap { $0.low <= $0.next && $0.next <= 1 << 62 ? $0 : nil }
        } catch {
            guard case .unreadable = error else { throw error }
            return nil
        }
    }
}
