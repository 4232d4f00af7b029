/// The decision of a server about a request's head, before anything of its body is read.
public enum ServerAdmission: Sendable {
    /// The request is handled, and has shown that its sender belongs here: its connection is kept for longest when there
    /// are too many.
    case known
    /// The request is handled, although its sender has shown nothing: its connection is among the first to go when there
    /// are too many.
    case unknown
    /// The request is answered with this, and its connection closed. Nothing of its body is read.
    case refused(ServerResponse)
}

/// Looks at a request's head. It is called on the network's thread and must not block; the request's body cannot be read yet.
public typealias ServerGate = @Sendable (ServerRequest) -> ServerAdmission
