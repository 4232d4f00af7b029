/// The trouble with a remote, in the kinds that a user can tell apart. The texts for users are chosen by it, and by
/// nothing else.
public enum RemoteTrouble: String, Sendable, Hashable, CaseIterable {
    /// This machine has no network.
    case offline
    /// The network is there, or seems to be, and no connection to the server could be made.
    case unreachable
    /// The connection is not secure: a certificate or the handshake was not accepted.
    case insecure
    /// The answer did not come in time.
    case timedOut
    /// The server was reached, and ended the connection before its answer, or in the middle of it.
    case noAnswer
    /// The server says that it has failed: a status from 500.
    case serverFailed
    /// The server denies this to the user: 401 or 403, or no credentials are accepted any more.
    case denied
    /// The server does not have this, or not any more: 404 or 410.
    case missing
    /// The answer is not one that the app understands.
    case notUnderstood
}

extension TransportError {
    /// The trouble as users see it; `nil` when the caller left.
    public var trouble: RemoteTrouble? {
        switch kind {
        case .cancelled: nil
        case .offline: .offline
        case .cannotResolve, .cannotConnect: .unreachable
        case .insecure: .insecure
        case .timedOut: .timedOut
        case .interrupted: .noAnswer
        case .malformed, .tooManyRedirects, .headersTooLarge, .bodyTooLarge, .unsupportedURL, .unreadableBody:
            .notUnderstood
        case .unauthorized: .denied
        }
    }
}

extension InvalidData {
    /// The trouble as users see it.
    public var trouble: RemoteTrouble {
        switch self {
        case .gone: return .missing
        case .unusable where isUnauthorized: return .denied
        case .status, .mediaType, .body, .unusable: break
        }
        guard let status else { return .notUnderstood }
        return switch status {
        case 401, 403: .denied
        case 404, 410: .missing
        default: HTTPStatus.isServerError(status) ? .serverFailed : .notUnderstood
        }
    }
}

extension LoadError {
    /// The trouble as users see it; `nil` when the caller left, or when the store is what failed last.
    public var trouble: RemoteTrouble? {
        switch self {
        case .connectivity(let error): error.trouble
        case .invalidData(let error): error.trouble
        case .store, .cancelled: nil
        }
    }
}

extension DownloadError {
    /// The trouble as users see it; `nil` when the caller left, or when the folder failed.
    public var trouble: RemoteTrouble? {
        switch self {
        case .connectivity(let error): error.trouble
        case .invalidData(let error): error.trouble
        case .store, .cancelled: nil
        }
    }
}
