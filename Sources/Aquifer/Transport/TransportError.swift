/// Why a transfer gave no whole answer.
public struct TransportError: Error, Sendable, Hashable, CustomStringConvertible {
    /// What went wrong, in the terms that decide what happens next.
    public enum Kind: String, Sendable, Hashable, CaseIterable {
        /// The task was cancelled, or the body dropped.
        case cancelled
        /// There is no network, or the client was told to act so.
        case offline
        /// The host's name could not be resolved.
        case cannotResolve
        /// No connection could be made: refused, unreachable, the proxy failed.
        case cannotConnect
        /// A limit of time was reached.
        case timedOut
        /// The connection ended before the answer was whole.
        case interrupted
        /// No secure connection: the certificate or the handshake was not accepted.
        case insecure
        /// The answer broke the rules of HTTP.
        case malformed
        /// More redirects than the request allows, or one that leads to another scheme.
        case tooManyRedirects
        /// More header bytes than the request allows.
        case headersTooLarge
        /// More body bytes than the caller allows.
        case bodyTooLarge
        /// The URL is not one this client can carry out: another scheme than `http(s)`, no host.
        case unsupportedURL
        /// A piece of the request's body could not be read.
        case unreadableBody
    }

    /// What went wrong.
    public var kind: Kind
    /// What happened, for developers. Never holds a body, a key or a credential.
    public var detail: String

    /// An error of this kind.
    public init(_ kind: Kind, _ detail: String = "") {
        self.kind = kind
        self.detail = detail
    }

    /// Whether no (whole) answer came, in contrast to an answer that cannot be used.
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
