import Aquifer

/// An error of the engine that an app shows to its users: its words, and whether another try is worth a button.
///
/// A screen treats all of them alike:
///
/// ```swift
/// if let error = error as? any UserFacingError {
///     notice = error.message(in: language)
///     showsRetryButton = error.isRetryable
/// }
/// ```
///
/// Let errors of your own conform to it. An error after which it is unknown whether a change was carried out is not
/// retryable: send such a request with an `Outbox`, which repeats it under the same key.
public protocol UserFacingError: Error {
    /// The message for the user. Empty when the user left.
    func message(in language: Language) -> String

    /// True if the same request may succeed later without any change: there was no connection, no answer came, or the server
    /// had failed or was busy. It asks for a button, and not for a loop: a `RetryPolicy` decides on its own.
    var isRetryable: Bool { get }
}

extension TransportError: UserFacingError {
    /// True if no complete answer arrived.
    public var isRetryable: Bool { isConnectivity }
}

extension LoadError: UserFacingError {
    /// True if the remote may give the value later. The saved copy does not matter: another load asks the remote first.
    public var isRetryable: Bool {
        switch self {
        case .connectivity(let error): error.isRetryable
        case .invalidData(let error): error.mayPass
        case .store: reason == .connectivity
        case .cancelled: false
        }
    }
}

extension DownloadError: UserFacingError {
    /// True if the remote may give the rest later, or the folder was only busy.
    public var isRetryable: Bool {
        switch self {
        case .connectivity(let error): error.isRetryable
        case .invalidData(let error): error.mayPass
        case .store(.busy): true
        case .store, .cancelled: false
        }
    }
}

extension InvalidData {
    /// True if the server says that it is busy or has failed: 408, 429 and from 500.
    fileprivate var mayPass: Bool {
        guard let status else { return false }
        return status == 408 || status == 429 || HTTPStatus.isServerError(status)
    }
}
