/// The reason why a transfer gave no complete answer.
public struct TransportError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The kind of a failure, which decides the next step.
    public enum Kind: String, Sendable, Hashable, CaseIterable {
        /// The task was cancelled, or the body was dropped.
        case cancelled
        /// There is no network, or the client was set to act as if there were none.
        case offline
        /// The host's name could not be resolved.
        case cannotResolve
        /// No connection could be made: refused, unreachable, the proxy failed.
        case cannotConnect
        /// A time limit was reached.
        case timedOut
        /// The connection ended before the answer was complete.
        case interrupted
        /// No secure connection could be made: the certificate or the handshake was not accepted.
        case insecure
        /// The answer broke the rules of HTTP.
        case malformed
        /// The answer had more redirects than the request allows, or one to another scheme.
        case tooManyRedirects
        /// The header fields have more bytes than the request allows.
        case headersTooLarge
        /// The body has more bytes than the caller allows.
        case bodyTooLarge
        /// The client does not support the URL: its scheme is not `http(s)`, or it has no host.
        case unsupportedURL
        /// A piece of the request's body could not be read.
        case unreadableBody

        /// True if there was no connection, so that no part of the request can have arrived.
        public var precedesSending: Bool {
            switch self {
            case .offline, .cannotResolve, .cannotConnect, .insecure: true
            case .cancelled, .timedOut, .interrupted, .malformed, .tooManyRedirects, .headersTooLarge, .bodyTooLarge,
                .unsupportedURL, .unreadableBody:
                false
            }
        }
    }

    /// The kind of the failure.
    public var kind: Kind
    /// The details for developers. They never contain a body, a key or a credential.
    public var detail: String

    /// An error of this kind.
    public init(_ kind: Kind, _ detail: String = "") {
        self.kind = kind
        self.detail = detail
    }

    /// True if no complete answer arrived; false if an answer arrived that cannot be used.
    public var isConnectivity: Bool {
        switch kind {
        case .offline, .cannotResolve, .cannotConnect, .timedOut, .interrupted, .insecure: true
        case .cancelled, .malformed, .tooManyRedirects, .headersTooLarge, .bodyTooLarge, .unsupportedURL,
            .unreadableBody:
            false
        }
    }

    /// The kind, and the detail if there is one.
    public var description: String { detail.isEmpty ? kind.rawValue : "\(kind.rawValue): \(detail)" }

    /// The task was cancelled.
    public static let cancelled = TransportError(.cancelled)

    /// The body is larger than `limit` bytes.
    public static func bodyTooLarge(limit: Int) -> TransportError {
        TransportError(.bodyTooLarge, "the body is larger than the \(limit) bytes allowed")
    }
}
