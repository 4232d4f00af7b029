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
    /// True if a connection has come back while nobody watched.
    private var hasMissedReturn = false

    init(_ screen: any Screen) {
        self.screen = screen
    }

    var isWatched: Bool { watchers > 0 }

    private var isPrepared = false
    private var preparing: Task<Void, Never>?

    /// Lets the screen find again what another replica has kept of it.
    ///
    /// - Parameter isBack: true if a page has come, which may have been elsewhere since.
    func prepare(isBack: Bool = false) async {
        if preparing == nil, !isPrepared || isBack && !isWatched {
            preparing = Task {
                await screen.prepare()
                (isPrepared, preparing) = (true, nil)
            }
        }
        await preparing?.value
    }

    /// Starts the intent of a message.
    ///
    /// - Throws: ``IntentError`` if the screen cannot do what the message says.
    func start(_ message: IntentMessage) throws(IntentError) {
        let action = try screen.response(to: message)
        lastUse = .now
        run(action)
    }

    private func run(_ action: @escaping ScreenAction) {
        let id = UUID()
        running[id] = Task {
            await action()
            running[id] = nil
        }
    }

    /// Ends the loads of this screen. Returns when all of its intents have ended; a payment and a post that is being sent go on until then.
    func finish() async {
        while let task = running.values.first {
            task.cancel()
            await task.value
        }
    }

    /// There is a connection again: the screen loads what it lacks, at once or when somebody looks at it next.
    func connectionRestored() {
        guard isWatched else { return hasMissedReturn = true }
        run { [screen] in await screen.connectionRestored() }
    }

    /// The states of the screen from now on: the current one at once, then one after each change. A slow reader
    /// receives only the newest. When the last reader leaves, the loads under way for the screen are cancelled.
    ///
    /// - Parameters:
    ///   - period: The period after which the state is sent again, changed or not, because its addresses may have
    ///     expired.
    ///   - clock: The clock that measures `period`.
    func states<Shown: Sendable>(
        renewedEvery period: Duration? = nil, clock: any Clock<Duration> = ContinuousClock(),
        _ render: @escaping @MainActor (any Screen) -> Shown
    ) -> AsyncStream<Shown> {
        watchers += 1
        lastUse = .now
        let (stream, continuation) = AsyncStream.makeStream(of: Shown.self, bufferingPolicy: .bufferingNewest(1))
        let watch = Watch(screen: screen, render: render, continuation: continuation)
        let renewal = period.map { period in
            Task {
                // It ends when it is cancelled.
                while (try? await clock.sleep(for: period)) != nil { watch.renew() }
            }
        }
        continuation.onTermination = { _ in
            renewal?.cancel()
            Task { @MainActor in
                watch.stop()
                self.leave()
            }
        }
        watch.track()
        if hasMissedReturn {
            hasMissedReturn = false
            connectionRestored()
        }
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
private final class Watch<Shown: Sendable> {
    private let screen: any Screen
    private let render: @MainActor (any Screen) -> Shown
    private let continuation: AsyncStream<Shown>.Continuation
    private var isStopped = false

    init(
        screen: any Screen, render: @escaping @MainActor (any Screen) -> Shown,
        continuation: AsyncStream<Shown>.Continuation
    ) {
        self.screen = screen
        self.render = render
        self.continuation = continuation
    }

    func stop() { isStopped = true }

    /// Gives the present state again. It is being tracked already.
    func renew() {
        if !isStopped { continuation.yield(render(screen)) }
    }

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
