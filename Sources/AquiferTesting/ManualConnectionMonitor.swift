import Aquifer

/// A connection that comes and goes as a test says.
///
/// ```swift
/// let monitor = ManualConnectionMonitor(.notConnected)
/// outbox.follow(monitor)
/// monitor.state = .connected
/// await clock.waitForSleepers()
/// clock.advance(by: .seconds(1))  // it has stayed: the outbox sends
/// ```
public final class ManualConnectionMonitor: ConnectionMonitor {
    private let listeners: ConnectionListeners

    /// A connection in this state.
    public init(_ state: ConnectionState = .connected) {
        listeners = ConnectionListeners(state)
    }

    /// The state. Each reader is told a new one.
    public var state: ConnectionState {
        get { listeners.last ?? .unknown }
        set { listeners.tell(newValue) }
    }

    /// The number of readers.
    public var readers: Int { listeners.count }

    /// See `ConnectionMonitor.updates`.
    public var updates: AsyncStream<ConnectionState> { listeners.updates }
}
