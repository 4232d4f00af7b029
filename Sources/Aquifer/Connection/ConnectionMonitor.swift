/// The state of this machine's connection to others.
public enum ConnectionState: String, Sendable, Hashable, CaseIterable {
    /// There is a network. Whether a server can be reached shows only when a request is sent.
    case connected
    /// There is no network.
    case notConnected
    /// The system does not tell.
    case unknown
}

/// Tells when this machine's connection goes and comes back.
///
/// ```swift
/// outbox.follow(monitor)  // a connection that comes back sends what waits for one
/// notes.follow(monitor)   // and loads what is on screen
/// ```
///
/// Nothing asks a monitor before it sends a request: only an answer shows that a server can be reached.
///
/// ``SystemConnectionMonitor`` asks the operating system. `ManualConnectionMonitor` of `AquiferTesting` says what a test
/// wants.
public protocol ConnectionMonitor: Sendable {
    /// The state of the moment as soon as it is known, then each other state. A reader that is slower than the network may
    /// miss old states, and never the last one.
    ///
    /// Each call gives a stream of its own, for one reader. The stream ends when it is dropped or its task is cancelled.
    var updates: AsyncStream<ConnectionState> { get }
}
