import AquiferConcurrency

/// The moments in which a connection has come back for good. A link that comes and goes makes no storm.
struct Reconnections: Sendable {
    let monitor: any ConnectionMonitor
    /// The time for which a connection must stay.
    let settle: Duration
    /// The shortest time from one of these moments to the next.
    let apart: Duration
    let clock: any Clock<Duration>

    /// The states so far. A connection has come back if it was not there before. The first state, another network, and a
    /// state that is unknown for a while are no such change.
    struct Seen: Sendable, Equatable {
        private(set) var isAway = false
        /// The number of times that the connection has come back.
        private(set) var returns: UInt64 = 0

        mutating func note(_ state: ConnectionState) {
            switch state {
            case .notConnected: isAway = true
            case .connected where isAway: (isAway, returns) = (false, returns + 1)
            case .connected, .unknown: break
            }
        }
    }

    /// Does something in each of these moments, one after another, until the task is cancelled or the monitor ends.
    func each(_ action: @escaping @Sendable () async -> Void) async {
        let seen = Changing(Seen())
        await withTaskGroup(of: Void.self) { group in
            group.addTask {
                for await state in monitor.updates { seen.update { $0.note(state) } }
            }
            group.addTask { await act(on: seen, action) }
            await group.next()
            group.cancelAll()
        }
    }

    private func act(on seen: Changing<Seen>, _ action: @Sendable () async -> Void) async {
        var done: UInt64 = 0
        while !Task.isCancelled {
            let (now, version) = seen.current
            guard !now.isAway, now.returns > done else {
                await seen.wait(after: version)
                continue
            }
            await seen.wait(after: version, atMost: settle, on: clock)
            // It was away again, or another network is there, which has to stay, too.
            guard !Task.isCancelled, seen.current.version == version else { continue }
            done = now.returns
            await action()
            // Sleeping throws only when the task was cancelled.
            do { try await clock.pause(for: apart) } catch { return }
        }
    }
}

/// A task that ends with its owner: when this is released.
final class Following: Sendable {
    private let task: Task<Void, Never>

    init(_ reconnections: Reconnections, _ action: @escaping @Sendable () async -> Void) {
        task = Task { await reconnections.each(action) }
    }

    deinit { task.cancel() }
}
