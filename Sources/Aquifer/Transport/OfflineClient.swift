/// A client without a network: every request fails with ``TransportError/Kind/offline``.
///
/// Use it for a switch "work offline", for previews, and for tests in which the network is away all the time. Loads then
/// deliver what is saved, and an ``Outbox`` keeps what it is given.
public struct OfflineClient: HTTPClient {
    private let detail: String

    /// A client without a network.
    ///
    /// - Parameter detail: the reason, for developers: ``TransportError/detail``.
    public init(_ detail: String = "") {
        self.detail = detail
    }

    /// True: it never sends anything.
    public var asksBeforeSending: Bool { true }

    /// Sends nothing.
    ///
    /// - Throws: `.cancelled` when the task was cancelled, otherwise `.offline`.
    public func send(_ request: HTTPRequest) async throws(TransportError) -> HTTPResponse {
        if Task.isCancelled { throw .cancelled }
        throw TransportError(.offline, detail)
    }
}
