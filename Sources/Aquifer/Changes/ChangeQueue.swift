import AquiferConcurrency
import AquiferFoundation

/// The changes of one resource that wait in an outbox, and what they make of a value.
final class ChangeQueue<Change: PendingChange>: Sendable {
    typealias Value = Change.Value

    let name: String
    let cache: Cache<Value>
    let empty: Value
    let outbox: Outbox
    let state = Locked(State())
    /// The value that was last laid over.
    let last = Locked(Last())
    /// Reads again what could not be read.
    private let retry = Locked<StoreObservation?>(nil)
    /// Told of each change that may be shown. While somebody observes, the outbox is followed.
    let changes: StoreChanges

    /// A change with what a list shows of it. Lists of thousands are copied often: an entry is one reference.
    final class Entry: Sendable {
        let number: UInt64
        let head: OutboxRecord.Head
        let record: OutboxChange
        let sending: Outbox.State
        /// The change with the server's ids; `nil` if it cannot be read by this version of the app.
        let change: Change?
        /// Tells it from what the item was before.
        let generation: UInt64
        /// The moment at which it was queued here, by ``State/tick()``: a reading that began earlier does not have it.
        let noted: UInt64
        /// The time of the answer; `nil` if there is none.
        let confirmedAt: Date?
        /// True if that is the time at which a moment in the future was read: the answer came before, nobody knows when.
        let wasInFuture: Bool

        init(
            number: UInt64, head: OutboxRecord.Head, record: OutboxChange, sending: Outbox.State, change: Change?,
            generation: UInt64, noted: UInt64 = 0, confirmedAt: Date? = nil, wasInFuture: Bool = false
        ) {
            self.number = number
            self.head = head
            self.record = record
            self.sending = sending
            self.change = change
            self.generation = generation
            self.noted = noted
            self.confirmedAt = confirmedAt
            self.wasInFuture = wasInFuture
        }

        var id: Outbox.ID { Outbox.ID(number: number) }

        /// True if the server may have it, and has not answered.
        var wasTried: Bool { confirmedAt == nil && head.wasTried }

        var isBeingSent: Bool {
            switch sending {
            case .sending, .sendingElsewhere: confirmedAt == nil
            default: false
            }
        }
    }

    struct State: Sendable {
        var entries: [Entry] = []
        var isPrepared = false
        /// The reason why the queue could not be read the last time.
        var trouble: StoreError?
        var generation: UInt64 = 0
        /// Counts readings of the queue, and what was queued here.
        var moment: UInt64 = 0
        /// The beginning of the reading that is known.
        var applied: UInt64 = 0
        /// The point of the queue that is known; `nil` before the first reading.
        var point: Outbox.Point?
        /// True if there may be confirmed changes.
        var hasConfirmed = false
        /// The number of readings of the whole queue.
        var readings = 0
        /// The numbers of the changes of each group and of each target, once somebody has asked for them.
        var places: Places?
        /// The server's ids, by those of the app; and the other way round.
        var serverIDs: [StoreKey: String] = [:]
        var ownIDs: [StoreKey: String] = [:]
        /// The server's ids that answers have told since the queue was read. What is shown speaks of the app's ids until then.
        var newIDs: [StoreKey: String] = [:]
        /// The known facts of each target.
        var facts: [StoreKey: OutboxChange.Facts] = [:]
        var knownIDs = 0
    }

    struct Last: Sendable {
        /// The value of the server.
        var base: Value?
        var askedAt: Date?
        /// The value that was shown.
        var shown: Value?
        /// The last value for followers, without the changes.
        var followed: Overlay<Value>.Base?
        /// Set while a creation is being sent, and a newer value waits for its answer.
        var held: (creation: UInt64, alarm: StoreObservation)?
        /// The creation for which a newer value has waited long enough.
        var released: UInt64?
        /// The reasons why changes do not apply to the value, by their number.
        var obstacles: [UInt64: String] = [:]
        /// The earliest request whose answer has shown a confirmed change, by the number of the change.
        var shownAt: [UInt64: Date] = [:]
        /// The confirmed changes that the last answer has shown.
        var settled: Set<UInt64> = []
        var memo: Memo?
    }

    init(name: String, cache: Cache<Value>, empty: Value, outbox: Outbox) {
        self.name = name
        self.cache = cache
        self.empty = empty
        self.outbox = outbox
        let reader = Locked<(@Sendable () async -> Void)?>(nil)
        changes = StoreChanges(whileObserved: { _ in
            let others = outbox.hearOthers()
            let task = Task {
                var heard: UInt64?
                while !Task.isCancelled {
                    if let heard { await outbox.changes.wait(after: heard) }
                    heard = outbox.changes.rings
                    await reader.withLock { $0 }?()
                }
            }
            return StoreObservation {
                others.cancel()
                task.cancel()
            }
        })
        reader.withLock { $0 = { [weak self] in await self?.readKnown() } }
    }

    // MARK: Reading

    /// Reads the queue, the first time.
    func prepare() async throws(StoreError) {
        if !state.withLock({ $0.isPrepared }) { try await read(anew: true) }
    }

    /// Reads what has changed in the queue. While it cannot be read, it stays as it is known, and is read again soon.
    func readKnown(anew: Bool = false) async {
        do throws(StoreError) { try await read(anew: anew) } catch {
            if case .ended = error { return }
            retry.withLock {
                $0 = Alarm.after(.seconds(1), on: outbox.policy.clock) { [weak self] in
                    Task { await self?.readKnown() }
                }
            }
        }
    }

    /// Reads the queue.
    ///
    /// - Parameter anew: true to read what other processes have changed, too, if nobody follows the queue.
    func read(anew: Bool = false) async throws(StoreError) {
        let begun = state.withLock { $0.tick() }
        let found: Outbox.Changes
        do throws(StoreError) { found = try await outbox.changes(of: name, anew: anew) } catch {
            let isNews = state.withLock { state -> Bool in
                guard begun > state.applied else { return false }
                defer { state.trouble = error }
                return state.trouble == nil
            }
            if isNews { changes.post(.everything) }
            throw error
        }
        let (base, askedAt) = last.withLock { ($0.base, $0.askedAt) }
        // Another process, which has a newer value, may have removed what is not in the value that is shown here.
        let known = state.withLock { $0.entries }
        let settled = isHolding(known) ? [] : settled(known, in: base, askedAt: askedAt, now: cache.time)
        let (isNews, hasLost) = state.withLock { state -> (Bool, Bool) in
            // Another reading began later, and has ended.
            guard begun > state.applied else { return (false, false) }
            state.applied = begun
            let confirmed = Set(state.entries.filter { $0.confirmedAt != nil }.map(\.number))
            let isNews = state.take(found, begun: begun, settled: settled, now: cache.time) || state.trouble != nil
            (state.point, state.places, state.isPrepared, state.trouble) = (found.point, nil, true, nil)
            state.readings += 1
            return (isNews, !confirmed.isSubset(of: state.entries.map(\.number)))
        }
        // An older value than the one that shows what is gone is not shown any more.
        if hasLost { last.withLock { $0.followed = nil } }
        if isNews { changes.post(.everything) }
    }

    /// Notes a change that was queued here, in case that it could not be read again.
    func note(_ number: UInt64, _ record: OutboxRecord) {
        let isNews = state.withLock { state -> Bool in
            // The new one is the last, unless another process was quicker.
            let place = (state.entries.lastIndex { $0.number <= number }).map { $0 + 1 } ?? 0
            let isKnown = place > 0 && state.entries[place - 1].number == number
            guard let change = record.head.change, !isKnown else { return false }
            state.generation += 1
            let (ids, noted) = (state.serverIDs, state.tick())
            // It was encoded here.
            let decoded = try? JSONDecoder().decode(Change.self, from: change.bytes)
            let entry = Entry(
                number: number, head: record.head, record: change, sending: .waiting,
                change: decoded?.replacingIDs { ids[$0] ?? $0 }, generation: state.generation, noted: noted)
            state.entries.insert(entry, at: place)
            state.places?.add(entry.number, entry.head.group, entry.record.target)
            return true
        }
        if isNews { changes.post(.everything) }
    }

    func noteID(_ id: String, of target: String) {
        guard !id.isExactly(target) else { return }
        state.withLock { ($0.newIDs[target], $0.ownIDs[id]) = (id, target) }
    }

    /// The server's id, as far as what is shown speaks of it.
    func serverID(of id: String) -> String { state.withLock { $0.serverIDs[id] ?? id } }
    func latestServerID(of id: String) -> String { state.withLock { $0.newIDs[id] ?? $0.serverIDs[id] ?? id } }
    func identity(of id: String) -> String { state.withLock { $0.ownIDs[id] ?? id } }

    /// A refused change, as it is in the queue now.
    func refused(_ id: Outbox.ID) async -> Entry? {
        await readKnown()
        return entry(id).flatMap { $0.head.refusal == nil || $0.change == nil ? nil : $0 }
    }

    func entry(_ id: Outbox.ID) -> Entry? {
        state.withLock { state in state.entries.first { $0.number == id.number && $0.confirmedAt == nil } }
    }

    // MARK: For the resource and the outbox

    var overlay: Overlay<Value> {
        Overlay(
            prepare: { () async throws(StoreError) in try await self.prepare() },
            observe: { onChange in self.changes.observe { _ in onChange() } },
            lay: { base in
                let shown = self.lay(over: base)
                self.settleSoon()
                return shown
            })
    }
}
