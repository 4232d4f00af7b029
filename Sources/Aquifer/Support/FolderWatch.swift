import AquiferConcurrency
import Dispatch

/// Watches a folder for what happens to its files, in this process or another. Nothing runs while nothing happens.
///
/// Linux tells the name of each file that was written, replaced, made or deleted. Apple's systems tell that of the named
/// files, and that something happened to the names in the folder.
package enum FolderWatch {
    /// The time after which a watch that could not begin is tried again.
    static let pause = Duration.seconds(1)

    /// Begins to watch.
    ///
    /// The system may refuse a watch: all descriptors of the process may be in use, or all watches of the user, or the folder may be
    /// missing. The watch is then tried again each second, and tells ``FolderEvent/unknown`` when it has begun.
    ///
    /// - Parameters:
    ///   - folder: the path of the folder.
    ///   - names: the files to be told of; `nil` for all of them.
    ///   - clock: waits for another attempt.
    ///   - onEvent: is called on a queue of the watch, one event after another.
    /// - Returns: the watch, which ends when it is cancelled or released.
    package static func begin(
        _ folder: String, names: Set<String>?, clock: any Clock<Duration> = ContinuousClock(),
        onEvent: @escaping @Sendable (FolderEvent) -> Void
    ) -> StoreObservation {
        // A simulated disk that tells nothing will tell nothing later, too.
        if let conductor = Conducting.conductor {
            return conductor.watch(folder, names, onEvent) ?? StoreObservation {}
        }
        if let watch = attempt(folder, names, isLate: false, onEvent) { return watch }
        let late = LateWatch(clock) { attempt(folder, names, isLate: true, onEvent) }
        late.waitForAttempt()
        return StoreObservation { late.end() }
    }

    /// - Returns: the watch; `nil` if the folder cannot be watched now.
    private static func attempt(
        _ folder: String, _ names: Set<String>?, isLate: Bool, _ onEvent: @escaping @Sendable (FolderEvent) -> Void
    ) -> StoreObservation? {
        guard let watched = WatchedFolder(folder, names) else { return nil }
        let queue = DispatchQueue(label: "aquifer.folder-watch")
        // The source is told to begin and to end from any thread, as its documentation allows.
        nonisolated(unsafe) let source = DispatchSource.makeReadSource(
            fileDescriptor: watched.descriptor, queue: queue)
        source.setEventHandler {
            for event in watched.events() { onEvent(event) }
        }
        // The descriptor stays open until the source has ended.
        source.setCancelHandler { withExtendedLifetime(watched) {} }
        if isLate { queue.async { onEvent(.unknown) } }
        source.resume()
        return StoreObservation { source.cancel() }
    }
}

/// A watch that could not begin at once.
private final class LateWatch: Sendable {
    private struct State {
        /// The wait for the next attempt; then the watch.
        var held: StoreObservation?
        var hasEnded = false
    }

    private let clock: any Clock<Duration>
    private let attempt: @Sendable () -> StoreObservation?
    private let state = Locked(State())

    init(_ clock: any Clock<Duration>, _ attempt: @escaping @Sendable () -> StoreObservation?) {
        self.clock = clock
        self.attempt = attempt
    }

    func waitForAttempt() {
        hold {
            Alarm.after(FolderWatch.pause, on: clock) { [weak self] in
                guard let self else { return }
                if let watch = self.attempt() { self.hold { watch } } else { self.waitForAttempt() }
            }
        }
    }

    /// Holds an observation in place of the one before. After the end nothing is held.
    private func hold(_ next: () -> StoreObservation) {
        let earlier = state.withLock { state -> StoreObservation? in
            if state.hasEnded { return nil }
            // It is made under the lock: an alarm that rings at once does not overtake it.
            let earlier = state.held
            state.held = next()
            return earlier
        }
        withExtendedLifetime(earlier) {}  // ended without the lock
    }

    func end() {
        let held = state.withLock { state in
            state.hasEnded = true
            return state.held.take()
        }
        held?.cancel()
    }
}
