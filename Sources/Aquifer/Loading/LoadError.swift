/// Why nothing could be delivered.
public enum LoadError: Error, Sendable, Hashable, CustomStringConvertible {
    /// No answer came, or not the whole of it, and nothing usable is saved.
    case connectivity(TransportError)
    /// An answer came that is not what the contract says, and nothing usable is saved.
    case invalidData(InvalidData)
    /// Nothing came from the remote, for the reason given, and the store failed when asked for the saved copy.
    case store(StoreError, after: FallbackReason)
    /// The caller's task was cancelled: nothing is delivered.
    case cancelled

    /// Why the remote gave nothing; `nil` when the caller left.
    public var reason: FallbackReason? {
        switch self {
        case .connectivity: .connectivity
        case .invalidData: .invalidData
        case .store(_, let reason): reason
        case .cancelled: nil
        }
    }

    /// One line for developers.
    public var description: String {
        switch self {
        case .connectivity(let error): "no connectivity (\(error))"
        case .invalidData(let error): "invalid data (\(error))"
        case .store(let error, let reason): "\(error) (asked because of: \(reason.rawValue))"
        case .cancelled: "cancelled"
        }
    }

    /// A transport error as the loading side sees it.
    package init(_ error: TransportError) {
        if error.kind == .cancelled {
            self = .cancelled
        } else if error.isConnectivity {
            self = .connectivity(error)
        } else {
            self = .invalidData(.unusable(error))
        }
    }
}

/// Why a saved copy stands in for the latest.
public enum FallbackReason: String, Sendable, Hashable, CaseIterable {
    /// No answer came, or not the whole of it.
    case connectivity
    /// An answer came that is not what the contract says.
    case invalidData
}

/// What about an answer is not as its contract says.
public enum InvalidData: Error, Sendable, Hashable, CustomStringConvertible {
    /// Another status than the contract's.
    case status(Int)
    /// Another media type than the contract's.
    case mediaType(String?)
    /// The body is not what it should be. Says where and why, and repeats nothing of the body.
    case body(String)
    /// The transfer was given up because the answer broke a limit or HTTP itself.
    case unusable(TransportError)

    /// One line for developers.
    public var description: String {
        switch self {
        case .status(let status): "status \(status)"
        case .mediaType(let type): "media type \(type ?? "missing")"
        case .body(let reason): reason
        case .unusable(let error): error.description
        }
    }

    /// An error of a mapper, told without repeating the body.
    init(mapping error: any Error) {
        switch error {
        case let error as InvalidData: self = error
        case let error as DecodingError: self = .body(error.place)
        default: self = .body("\(type(of: error))")
        }
    }
}

extension DecodingError {
    /// The place in the document and the kind of mistake, without the document's words.
    fileprivate var place: String {
        let (mistake, context): (String, Context) =
            switch self {
            case .typeMismatch(let type, let context): ("is not of type \(type)", context)
            case .valueNotFound(let type, let context): ("is null where \(type) is needed", context)
            case .keyNotFound(let key, let context): ("has no \"\(key.stringValue)\"", context)
            case .dataCorrupted(let context): ("cannot be read", context)
            @unknown default: ("cannot be decoded", Context(codingPath: [], debugDescription: ""))
            }
        let path = context.codingPath.map { $0.intValue.map { "[\($0)]" } ?? ".\($0.stringValue)" }.joined()
        return "\(path.isEmpty ? "the document" : path) \(mistake)"
    }
}
