import Aquifer
import AquiferConcurrency
import Foundation

/// The last things that the engine has done, for the inspector. It keeps classes of keys and numbers, and no value.
final class EventLog: AquiferEvents {
    /// An event, and when it was told.
    struct Line: Sendable, Hashable, Identifiable {
        /// Counts all events of this run.
        let id: Int
        let date: Date
        let event: AquiferEvent
    }

    /// The number of lines that are kept.
    static let most = 200

    private struct State {
        var lines: [Line] = []
        var count = 0
        var readers: [UUID: AsyncStream<Void>.Continuation] = [:]
    }

    private let state = Locked(State())
    private let now: @Sendable () -> Date
    /// Told of each event, too.
    private let listener: (any AquiferEvents)?
    private let heard = Locked<(@Sendable (AquiferEvent) -> Void)?>(nil)

    init(now: @escaping @Sendable () -> Date, listener: (any AquiferEvents)? = nil) {
        (self.now, self.listener) = (now, listener)
    }

    /// Calls `body` for each event from now on, in place of the one before.
    func hear(_ body: @escaping @Sendable (AquiferEvent) -> Void) { heard.withLock { $0 = body } }

    /// The lines, the newest first.
    var lines: [Line] { state.withLock { $0.lines.reversed() } }

    func note(_ event: AquiferEvent) {
        let date = now()
        let readers = state.withLock { state in
            state.count += 1
            state.lines.append(Line(id: state.count, date: date, event: event))
            if state.lines.count > Self.most { state.lines.removeFirst(state.lines.count - Self.most) }
            return Array(state.readers.values)
        }
        for reader in readers { reader.yield() }
        listener?.note(event)
        heard.withLock { $0 }?(event)
    }

    /// Forgets all lines.
    func clear() {
        let readers = state.withLock { state in
            state.lines = []
            return Array(state.readers.values)
        }
        for reader in readers { reader.yield() }
    }

    /// An element after changes of the lines; of several, one.
    var changes: AsyncStream<Void> {
        let (stream, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        let id = UUID()
        continuation.onTermination = { [weak self] _ in
            self?.state.withLock { _ = $0.readers.removeValue(forKey: id) }
        }
        state.withLock { $0.readers[id] = continuation }
        continuation.yield()
        return stream
    }
}
