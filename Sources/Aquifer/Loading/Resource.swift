import AquiferConcurrency
import AquiferFoundation

/// A value that an app shows, in its best copy. A load delivers the latest value of the remote and saves it. When the
/// remote has no valid answer, it delivers the saved copy if that is fresh, and otherwise throws the remote's error.
///
/// - The ``FallbackPolicy`` tells after which errors the copy is delivered. By default, it is not when the remote denies this
///   value (401, 403) or does not have it (404, 410): the load throws the error, and the copy stays in the store. Only when
///   the mapper knows that the server says so (``InvalidData/gone(status:)``) does the load delete it.
/// - A load never saves an older answer over a newer one. When two loads overlap, in one process or in several, the
///   answer that the server gave last stays, and both loads deliver it. If the server's dates do not tell, the answer
///   that was requested last stays.
/// - A change of the saved value with ``Cache/amend(_:)`` or ``Cache/update(restamping:)`` while a load is under way makes
///   the answer stale: the load asks again. After three such answers it delivers the changed copy, with the age that it has.
///   So does an invalidation while a load is under way (``invalidate()``), and an answer to another load that denies a saved value, or
///   says that it is gone. Nothing tells it of a refusal of what was never saved.
/// - A failed save never hides the value that arrived: it is delivered, with the save error beside it.
/// - A load sends the saved entry's validators. After a 304 the saved value gets a new date, and is delivered as the latest.
/// - Over a store with ``CacheStore/leases``, one of all machines asks at a time, and the others deliver its answer.
/// - Concurrent callers share one request. A caller who leaves (whose task is cancelled) does not disturb the others;
///   the last one to leave cancels the transfer. Leaving delivers ``LoadError/cancelled`` and never the saved copy.
public final class Resource<Value: Sendable>: Sendable {
    let remote: RemoteLoader<Value>
    let cache: Cache<Value>
    /// The rule that decides after which errors the saved copy is delivered.
    public let fallback: FallbackPolicy
    private let flights = Coalescer<String, Flight>()
    /// The mark of an invalidation that the last load asked for, whether it got an answer or not.
    private let answered = Locked<Date?>(nil)
    /// The time at which the last answer denied the value, if it did: the next load asks, however young the copy is.
    let deniedAt = Locked<Date?>(nil)
    /// True if the store could not keep an invalidation: the next load asks all the same.
    let mustAsk = Locked(false)
    /// The number of invalidations by this instance.
    let invalidations = Locked<UInt64>(0)
    /// The update in the background, while there is one.
    let backgroundUpdate = Locked<Task<Void, Never>?>(nil)
    /// Told how an update in the background has ended.
    let updated = Locked<(@Sendable (Result<Loaded<Value>, LoadError>) async -> Void)?>(nil)
    /// The number of flights so far that might wait for another machine.
    let flightCount = Locked<UInt64>(0)
    /// What is laid over each state: the changes of an ``EditableResource``.
    let overlay = Locked<Overlay<Value>?>(nil)
    /// Those who follow ``updates``, once there was one.
    let hub = Locked<UpdateHub<Value>?>(nil)
    /// Waits until a copy that is followed expires.
    let clock: any Clock<Duration>
    /// The times of loads that share leases.
    let leasing: LeasePolicy

    /// A resource with a remote and a cache.
    ///
    /// - Parameters:
    ///   - remote: loads the latest value.
    ///   - cache: keeps the copy.
    ///   - fallback: decides after which errors the copy is delivered; by default, after all but 401, 403, 404 and 410.
    ///   - clock: waits until a copy that is followed with ``updates`` expires, and while another machine loads.
    ///   - leasing: the times of leases, if the store has some (``CacheStore/leases``).
    public init(
        remote: RemoteLoader<Value>, cache: Cache<Value>, fallback: FallbackPolicy = .standard,
        clock: any Clock<Duration> = ContinuousClock(), leasing: LeasePolicy = LeasePolicy()
    ) {
        self.remote = remote
        self.cache = cache
        self.fallback = fallback
        self.clock = clock
        self.leasing = leasing
    }

    /// Loads the latest value and saves it. Without a valid answer it delivers the fresh saved copy, if ``fallback`` allows that.
    ///
    /// If the cache's policy has a time ``CachePolicy/askAfter``, or follows the server, a younger saved copy is delivered
    /// without a request, unless the last answer denied the value, or the copy was made invalid (``invalidate()``).
    ///
    /// - Throws: ``LoadError``: the remote's error, if there is no fresh copy or ``fallback`` does not allow one; `.store` if the
    ///   copy cannot be read then, or the ``Scope`` has ended; `.cancelled`.
    public func load() async throws(LoadError) -> Loaded<Value> {
        try await load(within: cache.policy.patience)
    }

    func load(within patience: Duration?) async throws(LoadError) -> Loaded<Value> {
        if cache.policy.mayAskLater, let (recent, isStale) = await recent() {
            guard !Task.isCancelled else { throw .cancelled }
            if isStale { updateInBackground() }
            return recent
        }
        guard let patience else { return try await ask() }
        return try await ask(within: patience)
    }

    /// Asks, or joins those who ask. One of them may have asked before this value was made invalid, and end only now: its
    /// answer is not this caller's.
    ///
    /// - Parameter anew: true if a load that another machine has begun earlier is not good enough.
    func ask(anew: Bool = false) async throws(LoadError) -> Loaded<Value> {
        let (count, flights) = (invalidationCount, flightCount.withLock { $0 })
        while true {
            let flight = try await flight(anew: anew)
            if anew, let borrowed = flight.borrowed, !borrowed.isNew(after: flights) { continue }
            if flight.asked.count >= count, let outcome = flight.outcome { return try outcome.get() }
        }
    }

    /// The load under way, or a new one, which asks for nothing if a load has asked for this mark already.
    func flight(for mark: Date? = nil, anew: Bool = false) async throws(LoadError) -> Flight {
        try await flights.value(for: cache.key) { () async throws(LoadError) -> Flight in
            if let mark, self.answered.withLock({ $0 }) == mark {
                return Flight(outcome: nil, asked: Asked(count: 0, mark: mark))
            }
            guard self.cache.mayEnd else { return await self.run(anew: anew) }
            return try await self.cache.untilEnd { () async throws(LoadError) -> Flight in
                let flight = await self.run(anew: anew)
                // The end of a scope cancels what runs in it.
                if case .failure(.cancelled)? = flight.outcome { throw .cancelled }
                return flight
            }
        }
    }

    /// The number of callers that wait for a load under way.
    package var waiters: Int { flights.waiters(for: cache.key) }

    private var invalidationCount: UInt64 { invalidations.withLock { $0 } }

    private func run(anew: Bool) async -> Flight {
        // What could not be made invalid in the store would be taken there for valid.
        guard let leases = cache.leases, !mustAsk.withLock({ $0 }) else { return await askRemote() }
        return await run(leases, anew: anew) { await self.askRemote() }
    }

    private func askRemote() async -> Flight {
        var asked = Asked(count: invalidationCount)
        let outcome: Result<Loaded<Value>, LoadError>
        do throws(LoadError) {
            outcome = .success(try await latest(&asked))
            deniedAt.withLock { $0 = nil }
            mustAsk.withLock { $0 = false }
        } catch {
            outcome = await instead(of: error)
        }
        if !Task.isCancelled { answered.withLock { $0 = asked.mark } }
        return Flight(outcome: outcome, asked: asked)
    }

    /// The most requests of one load. Each but the first follows a change that was made here meanwhile.
    private static var attempts: Int { 3 }

    private func latest(_ asked: inout Asked) async throws(LoadError) -> Loaded<Value> {
        var loaded = try await attempt(&asked)
        for _ in 1..<Self.attempts
        where loaded.source != .remote || asked.isOvertaken || asked.count != invalidationCount {
            (asked.count, asked.isAgain) = (invalidationCount, true)
            loaded = try await attempt(&asked)
        }
        if asked.count != invalidationCount, let savedAt = loaded.savedAt {
            loaded.source = .cache(savedAt: savedAt, because: nil)
        }
        return loaded
    }

    /// Asks once, and deletes the saved copy if the server says that the value is gone.
    private func attempt(_ asked: inout Asked) async throws(LoadError) -> Loaded<Value> {
        let count = invalidationCount
        let beginning = await cache.begin(asked.isAgain, for: remote.fields) { [invalidations] in
            invalidations.withLock { $0 } != count
        }
        asked.mark = beginning.knownMark
        // Nothing is asked for a user who has logged out.
        if case .failure(.ended(let scope)) = beginning.found { throw .ended(scope) }
        asked.isOvertaken = false
        do throws(LoadError) { return try await attempt(beginning, &asked) } catch {
            if case .invalidData(.gone) = error, !Task.isCancelled {
                // The error says what matters. A copy that could not be deleted is not delivered after it either, and the
                // next load tries again.
                try? await cache.remove(since: beginning, isGone: true)
            } else if isDenial(error), [.denied, .missing].contains(error.trouble), !Task.isCancelled {
                // This instance knows it all the same.
                try? await cache.deny(since: beginning)
            }
            throw error
        }
    }

    /// Asks once. Delivers the saved copy if it was changed here meanwhile.
    private func attempt(
        _ beginning: Cache<Value>.Beginning, _ asked: inout Asked
    ) async throws(LoadError) -> Loaded<Value> {
        guard let entry = beginning.known else { return try await fresh(beginning, &asked) }
        let reply = try await reply(unless: entry.validators)
        switch reply.answer {
        case .value(let value, let validators, let answeredAt):
            return try await deliver(value, &asked, sentAt: beginning.sentAt) { () async throws(StoreError) in
                try await self.cache.save(
                    value, validators: validators, answeredAt: answeredAt, head: reply.head, since: beginning)
            }
        case .notModified(let answeredAt):
            // A copy that cannot be decoded is useless even if it is the latest: load the value again.
            guard let value = decoded(entry) else { return try await fresh(beginning, &asked) }
            return try await deliver(value, &asked, sentAt: beginning.sentAt) { () async throws(StoreError) in
                try await self.cache.renew(entry, value, answeredAt: answeredAt, head: reply.head, since: beginning)
            }
        }
    }

    private func reply(unless validators: Validators) async throws(LoadError) -> RemoteLoader<Value>.Reply {
        guard let events = cache.events else { return try await remote.reply(unless: validators) }
        return try await cache.telling(events) { meter throws(LoadError) in
            try await remote.reply(unless: validators, metered: meter)
        }
    }

    private func fresh(
        _ beginning: Cache<Value>.Beginning, _ asked: inout Asked
    ) async throws(LoadError) -> Loaded<Value> {
        let reply = try await reply(unless: .none)
        guard case .value(let value, let validators, let answeredAt) = reply.answer else {
            throw .invalidData(.status(304))
        }
        return try await deliver(value, &asked, sentAt: beginning.sentAt) { () async throws(StoreError) in
            try await self.cache.save(
                value, validators: validators, answeredAt: answeredAt, head: reply.head, since: beginning)
        }
    }

    private func deliver(
        _ value: Value, _ asked: inout Asked, sentAt: Date,
        saving save: () async throws(StoreError) -> Cache<Value>.Outcome
    ) async throws(LoadError) -> Loaded<Value> {
        // A cancelled load must not save its outcome over that of a later one.
        guard !Task.isCancelled else { throw .cancelled }
        let hub = hub.withLock { $0 }
        hub?.beginSave()
        let loaded: Loaded<Value>
        let kept: UpdateHub<Value>.Kept
        do throws(StoreError) {
            switch try await save() {
            case .latest(let saved, let entry, let isSaved):
                loaded = Loaded(saved.value, source: .remote, savedAt: saved.savedAt)
                kept = .entry(entry, isSaved: isSaved)
            case .changedHere(let saved, let entry, let isSaved):
                loaded = Self.copy(saved)
                kept = .entry(entry, isSaved: isSaved)
            case .unsaved(let value, let isOvertaken):
                asked.isOvertaken = isOvertaken
                loaded = Loaded(value, source: .remote)
                kept = .nothing
            }
        } catch {
            if case .ended(let scope) = error {
                hub?.endSave(nil, .unknown)
                throw .ended(scope)
            }
            loaded = Loaded(value, source: .remote, saveError: error)
            kept = .unknown
        }
        // What is asked for once more is not shown before.
        hub?.endSave(asked.isOvertaken ? nil : loaded, kept, askedAt: sentAt)
        return loaded
    }

    private func decoded(_ entry: StoredEntry) -> Value? {
        do throws(StoreError) { return try cache.decode(entry).value } catch { return nil }
    }
}

extension Resource {
    /// Loads the latest value as ``load()`` does, and delivers the fresh saved copy if there is no answer after `patience`. Its cause is
    /// ``LoadError/connectivity(_:)`` with `.timedOut`.
    ///
    /// The request goes on in the background (``updateEnded()``, ``cancelUpdate()``): its answer is saved, and told to those who follow
    /// ``updates``. A server that was slow within the last minute is waited for an eighth as long, until it answers: by all
    /// resources whose policies are copies of one, such as the default. Without a copy that ``fallback`` allows the load waits for the
    /// answer.
    ///
    /// - Throws: the errors of ``load()``.
    public func load(patience: Duration) async throws(LoadError) -> Loaded<Value> {
        try await load(within: patience)
    }

    /// What comes first.
    private enum First: Sendable {
        case end(Result<Loaded<Value>, LoadError>)
        case late
    }

    /// Asks, and delivers the copy if there is no answer in time.
    func ask(within patience: Duration) async throws(LoadError) -> Loaded<Value> {
        let (slow, server) = (cache.policy.slow, remote.server ?? cache.key)
        let patience = slow.has(server, at: cache.time) ? patience / 8 : patience
        let (firsts, teller) = AsyncStream.makeStream(of: First.self)
        let asking = Task {
            let end = await self.end()
            if Self.isAnswer(end) { slow.remove(server) }
            teller.yield(.end(end))
            return end
        }
        let timer = Task { [clock, cache] in
            // Sleeping throws only when it is not needed any more.
            do { try await clock.pause(for: patience) } catch { return }
            // Marked here: an answer that comes before `.late` is handled takes the mark back.
            slow.insert(server, at: cache.time)
            teller.yield(.late)
        }
        defer { timer.cancel() }
        // A caller who leaves cancels the request only while it waits for it.
        for await first in firsts {
            switch first {
            case .end(let end): return try end.get()
            case .late:
                guard !Task.isCancelled else { break }
                if let copy = await copy(insteadOf: patience) {
                    goOn(asking)
                    return copy
                }
            }
        }
        asking.cancel()
        throw .cancelled
    }

    /// True if the server has answered, whatever it said.
    private static func isAnswer(_ end: Result<Loaded<Value>, LoadError>) -> Bool {
        switch end {
        case .success(let loaded):
            if case .cache(_, .invalidData?) = loaded.source { true } else { loaded.source == .remote }
        case .failure(.invalidData): true
        case .failure: false
        }
    }

    /// The fresh copy that stands in for an answer which takes too long.
    private func copy(insteadOf patience: Duration) async -> Loaded<Value>? {
        let error = LoadError.connectivity(TransportError(.timedOut, "slow: no answer after \(patience)"))
        guard fallback.allows(error), deniedAt.withLock({ $0 }) == nil else { return nil }
        // A copy that cannot be read is no reason to fail: the answer may come.
        guard let entry = try? await cache.entry(), !entry.asking.isDenied,
            let saved = try? cache.fresh(entry)  // as above
        else { return nil }
        if cache.events != nil { cache.tellStandIn(savedAt: saved.savedAt, because: error) }
        let copy = Self.copy(saved, because: error)
        // The answer may have been saved since.
        hub.withLock { $0 }?.publish(partOf: copy, EntryFingerprint(entry), keepsSource: false)
        return copy
    }

    /// How a load ends that asks.
    func end() async -> Result<Loaded<Value>, LoadError> {
        do throws(LoadError) { return .success(try await ask()) } catch { return .failure(error) }
    }

    /// Lets a load go on as the update in the background. If there is one, its request goes on.
    private func goOn(_ asking: Task<Result<Loaded<Value>, LoadError>, Never>) {
        backgroundUpdate.withLock { update in
            guard update == nil else { return asking.cancel() }
            update = Task {
                let end = await withTaskCancellationHandler {
                    await asking.value
                } onCancel: {
                    asking.cancel()
                }
                await self.updated.withLock { $0 }?(end)
                self.backgroundUpdate.withLock { $0 = nil }
            }
        }
    }
}
