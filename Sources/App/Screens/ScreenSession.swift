import Aquifer
import Foundation
import Observation

/// One screen in one tab: its model, the intents that run, and the streams that watch it.
@MainActor
final class ScreenSession {
    let screen: any Screen
    private var running: [UUID: Task<Void, Never>] = [:]
    private var watchers = 0
    private(set) var lastUse: ContinuousClock.Instant = .now

    init(_ screen: any Screen) {
        self.screen = screen
    }

    var isWatched: Bool { watchers > 0 }

    /// Starts an intent; `false` when the screen knows no such intent.
    func start(_ intent: Intent) -> Bool {
        guard let action = screen.action(for: intent) else { return false }
        lastUse = .now
        let id = UUID()
        running[id] = Task {
            await action()
            running[id] = nil
        }
        return true
    }

    /// The states of the screen from now on: the present one at once, then one after each change; a reader who is slow
    /// is given the newest. When the last reader leaves, what still loads for the screen is cancelled.
    func states(_ render: @escaping @MainActor (any Screen) -> String) -> AsyncStream<String> {
        watchers += 1
        lastUse = .now
        let (stream, continuation) = AsyncStream.makeStream(of: String.self, bufferingPolicy: .bufferingNewest(1))
        let watch = Watch(screen: screen, render: render, continuation: continuation)
        continuation.onTermination = { _ in
            Task { @MainActor in
                watch.stop()
                self.leave()
            }
        }
        watch.track()
        return stream
    }

    private func leave() {
        watchers -= 1
        lastUse = .now
        guard watchers == 0 else { return }
        for task in running.values { task.cancel() }
    }
}

/// Follows a screen's observable state.
@MainActor
private final class Watch {
    private let screen: any Screen
    private let render: @MainActor (any Screen) -> String
    private let continuation: AsyncStream<String>.Continuation
    private var isStopped = false

    init(
        screen: any Screen, render: @escaping @MainActor (any Screen) -> String,
        continuation: AsyncStream<String>.Continuation
    ) {
        self.screen = screen
        self.render = render
        self.continuation = continuation
    }

    func stop() { isStopped = true }

    func track() {
        guard !isStopped else { return }
        let state = withObservationTracking {
            render(screen)
        } onChange: { [weak self] in
            // Called before the change is made: look again once it is.
            Task { @MainActor in self?.track() }
        }
        continuation.yield(state)
    }
}
