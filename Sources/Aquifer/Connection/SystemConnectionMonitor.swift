/// The connection as the operating system tells it.
///
/// - On Linux there is a connection if an interface is up and has an address from which others can be reached. The kernel tells
///   of changes (rtnetlink). In a sandbox that does not allow this the state is ``ConnectionState/unknown``.
/// - On Apple systems it is what `NWPathMonitor` says.
///
/// It costs nothing while there is no reader: no thread, no descriptor, no timer. With readers it waits for the system, and
/// never looks at intervals.
///
/// ```swift
/// let monitor = SystemConnectionMonitor()
/// outbox.follow(monitor)
/// ```
public final class SystemConnectionMonitor: ConnectionMonitor {
    private let listeners = ConnectionListeners { tell in ConnectionWatch(tell) }

    /// A monitor of this machine's connection.
    public init() {}

    /// See ``ConnectionMonitor/updates``.
    public var updates: AsyncStream<ConnectionState> { listeners.updates }
}
