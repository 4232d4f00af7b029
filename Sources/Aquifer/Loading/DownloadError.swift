/// Why a download is not there.
public enum DownloadError: Error, Sendable, Hashable, CustomStringConvertible {
    /// No answer came, or not the whole of it. What has come is kept, and the next try goes on from there.
    case connectivity(TransportError)
    /// An answer came that is not what was asked for.
    case invalidData(InvalidData)
    /// The folder failed: no room, no permission, held by another process. What has come is kept.
    case store(StoreError)
    /// The caller left, or its task was cancelled.
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

    /// A transport error as the loading side sees it.
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
