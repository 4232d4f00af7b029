/// The decision of a server about a request's head, before anything of its body is read.
public enum ServerAdmission: Sendable {
    /// The request is handled, and has shown that its sender belongs here: its connection is kept for longest when there
    /// are too many.
    case known
    /// The request is handled, although its sender has shown nothing: its connection is among the first to go when there
    /// are too many. Nothing of its body is taken before the handler reads it. If the handler answers without reading, the connection is
    /// closed as soon as more than 64 KiB more have come.
    case unknown
    /// The request is answered with this, and its connection closed. Nothing of its body is read.
    case refused(ServerResponse)
}

/// Looks at a request's head. It is called on the network's thread and must not block; the request's body cannot be read yet.
public typealias ServerGate = @Sendable (ServerRequest) -> ServerAdmission

/// Hears of a request that the server itself refuses, before the gate or the handler has seen it whole: its head is malformed or too
/// large, its body is announced as too large, its connection is one too many, or the server is being stopped. It is called on the
/// network's thread and must not block.
///
/// The request is `nil` if its head could not be read. The watch returns the answer to send, to which it may add header fields. Of what
/// libmicrohttpd refuses before its head is whole only the status is told, and the answer is its own.
public typealias ServerRefusalWatch =
    @Sendable (_ request: ServerRequest?, _ response: ServerResponse) -> ServerResponse
