import Aquifer
import AquiferConcurrency
import Foundation
import Observation

/// Sends the items of the outbox for as long as the server runs, unless it is paused. A connection that comes back sends those
/// that wait for one.
///
/// The pause is saved beside the items: it holds after a restart, and at all replicas. Nothing is sent before it is known.
@MainActor @Observable
final class OutboxRunner {
    /// True while nothing is sent, until ``resume()``.
    private(set) var isPaused = false
    @ObservationIgnored private let outbox: Outbox
    @ObservationIgnored private let pauses: OutboxPause
    @ObservationIgnored private let clock: any Clock<Duration>
    @ObservationIgnored private var task: Task<Void, Never>?
    @ObservationIgnored private var following: (look: Task<Void, Never>, observation: StoreObservation)?
    /// The number of the last change here. A look that began before it knows less.
    @ObservationIgnored private var changes = 0
    @ObservationIgnored private var isKnown = false
    @ObservationIgnored private var isStarted = false
    /// How far the store has taken what the user wants, which goes before what the store has.
    private enum Saving { case saved, underWay, late }
    private var saving = Saving.saved
    /// True while the store has not taken the pause, or its end: other replicas may not know of it.
    var isUnsaved: Bool { saving == .late }
    /// Has the pause looked at.
    @ObservationIgnored private var ring: AsyncStream<Void>.Continuation?

    /// - Parameters:
    ///   - store: the store of the items.
    ///   - clock: measures the time until a store that fails is asked again.
    init(_ outbox: Outbox, in store: any CacheStore, clock: any Clock<Duration> = ContinuousClock()) {
        (self.outbox, self.clock) = (outbox, clock)
        pauses = OutboxPause(store: store)
    }

    /// Starts sending, unless it is paused.
    func start() {
        if !isStarted { outbox.follow(SystemConnectionMonitor()) }
        isStarted = true
        if following == nil { follow() }
        begin()
    }

    /// Stops sending. An item that is being sent is cancelled, and stays in the queue.
    func pause() async { await set(true) }

    /// Sends again.
    func resume() async { await set(false) }

    private func set(_ paused: Bool) async {
        changes += 1
        take(paused)
        saving = .underWay
        let number = changes
        // A store that fails is told by the queue itself. Until it works, this process has the pause alone, and saves it then.
        do throws(StoreError) { try await pauses.set(paused) } catch {
            saving = .late
            ring?.yield()
            return
        }
        if number == changes { saving = .saved }
    }

    private func take(_ paused: Bool) {
        (isKnown, isPaused) = (true, paused)
        if paused {
            task?.cancel()
            task = nil
        } else {
            begin()
        }
    }

    private func begin() {
        guard isStarted, isKnown, !isPaused, task == nil else { return }
        task = Task { [outbox] in await outbox.run() }
    }

    /// Looks at the pause now, and after each change of it.
    private func follow() {
        let (heard, ring) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        self.ring = ring
        let observation = pauses.observe { ring.yield() }
        ring.yield()
        let look = Task { [weak self] in
            for await _ in heard {
                while await self?.look() == false {
                    // It ends when it is cancelled.
                    guard let clock = self?.clock, (try? await clock.sleep(for: .seconds(1))) != nil else { return }
                }
            }
        }
        following = (look, observation)
    }

    /// Looks at the pause; false if it has to be looked at again.
    private func look() async -> Bool {
        let before = changes
        // A wish that is just being saved is told by the store, or is late.
        if saving == .underWay { return true }
        if saving == .late {
            guard (try? await pauses.set(isPaused)) != nil else { return false }  // it is tried again
            // If the user has changed it meanwhile, this write may have come after that one.
            saving = before == changes ? .saved : .late
            if saving == .late { return false }
        }
        // A store that fails is asked again.
        guard let paused = try? await pauses.isSet() else { return false }
        if before == changes, saving == .saved, isStarted { take(paused) }
        return true
    }

    /// Begins no further item. Returns when the items under way have been sent, or after `limit`; what is still under way then goes
    /// on until ``stop()``.
    func finish(within limit: Duration) async {
        isStarted = false
        // The store may take it by now. If it does not, nothing more can be done.
        if saving != .saved { _ = await firstWithin(limit) { [pauses, isPaused] in try? await pauses.set(isPaused) } }
        guard let task else { return }
        await outbox.finish()
        _ = await firstWithin(limit) { await task.value }
    }

    /// Ends for good, and returns when nothing is being sent any more. An item that is being sent is cancelled, and stays in the queue.
    func stop() async {
        isStarted = false
        following?.observation.cancel()
        following?.look.cancel()
        following = nil
        task?.cancel()
        await task?.value
        task = nil
    }
}

/// The pause of an outbox, in an entry beside its items.
struct OutboxPause: Sendable {
    static let key = "outbox:paused"

    let store: any CacheStore

    /// True if it is paused. A damaged entry pauses: its user may not want that anything is sent, and can resume.
    func isSet() async throws(StoreError) -> Bool {
        do throws(StoreError) { return try await store.retrieve(Self.key) != nil } catch {
            guard case .unreadable = error else { throw error }
            return true
        }
    }

    func set(_ paused: Bool) async throws(StoreError) {
        guard paused else { return try await store.delete(Self.key) }
        try await store.insert(
            StoredEntry(bytes: Data("paused".utf8), savedAt: Date(timeIntervalSince1970: 0)), for: Self.key)
    }

    func observe(_ onChange: @escaping @Sendable () -> Void) -> StoreObservation {
        store.changes.observe { change in if change.concerns(Self.key) { onChange() } }
    }
}
