/// The reason why the latest value could not be delivered.
///
/// A load throws it if there is no fresh copy, or if the ``FallbackPolicy`` does not allow one after this error. Otherwise the
/// load delivers the copy, and this is the `because` of its ``LoadSource/cache(savedAt:because:)``.
public enum LoadError: Error, Sendable, Hashable, CustomStringConvertible {
    /// No complete answer arrived.
    case connectivity(TransportError)
    /// An answer arrived, and breaks the contract: its status, its media type or its body is not one that the app understands.
    case invalidData(InvalidData)
    /// The remote gave no value, for the given reason, and the store failed to read the saved copy. With
    /// ``StoreError/ended(scope:)`` nothing was asked, and the reason says nothing.
    case store(StoreError, after: FallbackReason)
    /// The caller's task was cancelled: nothing is delivered.
    case cancelled

    /// The kind of the failure after which the saved copy was looked for; `nil` if it was not: the caller left, or the
    /// ``Scope`` has ended, so that nothing was asked.
    public var reason: FallbackReason? {
        switch self {
        case .connectivity: .connectivity
        case .invalidData: .invalidData
        case .store(.ended, _), .cancelled: nil
        case .store(_, let reason): reason
        }
    }

    /// True if no credentials of this login are accepted any more, as an ``AuthenticatingClient`` finds out: ask the user to log in
    /// again. ``trouble`` is ``RemoteTrouble/denied`` then, as for a user who may not see this one value.
    public var isUnauthorized: Bool {
        guard case .invalidData(let error) = self else { return false }
        return error.isUnauthorized
    }

    /// The status of the answer, if it is what broke the contract, or if the server says that the value is gone.
    public var status: Int? {
        guard case .invalidData(let error) = self else { return nil }
        return error.status
    }

    /// One line for developers.
    public var description: String {
        switch self {
        case .connectivity(let error): "no connectivity (\(error))"
        case .invalidData(let error): "invalid data (\(error))"
        case .store(.ended(let scope), _): "\(StoreError.ended(scope: scope))"
        case .store(let error, let reason): "\(error) (asked because of: \(reason.rawValue))"
        case .cancelled: "cancelled"
        }
    }

    /// The error of a load over a scope that has ended: nothing is asked, saved or shown.
    static func ended(_ scope: String) -> LoadError { .store(.ended(scope: scope), after: .connectivity) }

    /// True if it is that error.
    var isEnd: Bool { if case .store(.ended, _) = self { true } else { false } }

    /// Maps a transport error to a load error.
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

/// The kind of a failure after which a saved copy is delivered instead of the latest.
public enum FallbackReason: String, Sendable, Hashable, CaseIterable {
    /// No complete answer arrived.
    case connectivity
    /// The answer breaks the contract.
    case invalidData
}

/// The way in which an answer breaks its contract.
public enum InvalidData: Error, Sendable, Hashable, CustomStringConvertible {
    /// The status is not the contract's.
    case status(Int)
    /// The server itself says that the value does not exist any more. A load then deletes the saved copy.
    ///
    /// A mapper throws it, and only if it knows the answer as its server's, by a field or by the document: the page on
    /// which a hotel asks its guests to sign in may come with a 404, too.
    case gone(status: Int)
    /// The media type is not the contract's.
    case mediaType(String?)
    /// The body is invalid. The text gives the place and the reason, and repeats nothing of the body.
    case body(String)
    /// The transfer was ended because the answer broke a limit or the rules of HTTP.
    case unusable(TransportError)

    /// The status that the answer had, if that is what was wrong with it.
    public var status: Int? {
        switch self {
        case .status(let status), .gone(let status): status
        case .mediaType, .body, .unusable: nil
        }
    }

    /// True if no credentials of this login are accepted any more. See ``LoadError/isUnauthorized``.
    public var isUnauthorized: Bool {
        if case .unusable(let error) = self { error.kind == .unauthorized } else { false }
    }

    /// One line for developers.
    public var description: String {
        switch self {
        case .status(let status): "status \(status)"
        case .gone(let status): "the server says that it is gone (status \(status))"
        case .mediaType(let type): "media type \(type ?? "missing")"
        case .body(let reason): reason
        case .unusable(let error): error.description
        }
    }

    /// Maps an error of a mapper, without repeating the body.
    package init(mapping error: any Error) {
        switch error {
        case let error as InvalidData: self = error
        case let error as DecodingError: self = .body(error.place)
        default: self = .body("\(type(of: error))")
        }
    }

    /// Maps an error of a mapper that was given an answer of this status.
    ///
    /// A mapper that reads the type or the body first finds no value in a refusal. The status tells what it is.
    init(mapping error: any Error, status: Int) {
        let invalid = Self(mapping: error)
        switch error as? InvalidData {
        case .status, .gone, .body, .unusable: self = invalid
        case .mediaType, nil: self = HTTPStatus.isSuccess(status) ? invalid : .status(status)
        }
    }
}

extension DecodingError {
    /// The place in the document and the kind of mistake, without the document's words.
    fileprivate var place: String {
        let (mistake, context): (String, Context) =
            switch self {
            case .typeMismatch(let type, let context): ("is not \(Self.words(for: type))", context)
            case .valueNotFound(let type, let context): ("is null instead of \(Self.words(for: type))", context)
            case .keyNotFound(let key, let context): ("has no \"\(key.stringValue)\"", context)
            case .dataCorrupted(let context): ("cannot be read", context)
            @unknown default: ("cannot be decoded", Context(codingPath: [], debugDescription: ""))
            }
        let path = context.codingPath.map { $0.intValue.map { "[\($0)]" } ?? ".\($0.stringValue)" }.joined()
        return "\(path.isEmpty ? "the document" : path) \(mistake)"
    }

    /// What JSON calls the values of a Swift type. A type of the app is an object, or is decoded from one.
    private static func words(for type: Any.Type) -> String {
        switch type {
        case is String.Type: "a string"
        case is Bool.Type: "true or false"
        case is any Numeric.Type: "a number"
        case is any Collection.Type where "\(type)".hasPrefix("Dictionary<"): "an object"
        case is any Collection.Type: "an array"
        default: "an object"
        }
    }
}

extension InvalidData {
    /// The body was compressed although it was not requested so. Its inflated size has no bound.
    package static let compressed = InvalidData.body("it came compressed, which was not asked for")
}
