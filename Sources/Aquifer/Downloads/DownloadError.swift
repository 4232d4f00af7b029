/// The reason why a download failed.
public enum DownloadError: Error, Sendable, Hashable, CustomStringConvertible {
    /// No answer arrived, or only part of one. The received bytes are kept, and the next attempt resumes after them.
    case connectivity(TransportError)
    /// The answer does not match the request.
    case invalidData(InvalidData)
    /// The folder failed: no space, no permission, locked by another process. The received bytes are kept.
    case store(StoreError)
    /// The caller left the download, or its task was cancelled.
    case cancelled

    /// One line for developers.
    public var description: String {
        switch self {
        case .connectivity(let error): "no connectivity (\(error))"
        case .invalidData(let error): "invalid data (\(error))"
        case .store(let error): error.description
        case .cancelled: "cancelled"
        }
    }

    /// Maps a transport error to a download error.
    init(_ error: TransportError) {
        if error.kind == .cancelled {
            self = .cancelled
        } else if error.isConnectivity {
            self = .connectivity(error)
        } else {
            self = .invalidData(.unusable(error))
        }
    }
}
