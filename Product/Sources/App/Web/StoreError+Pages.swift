import Aquifer
import HTTPServer

extension StoreError {
    /// This error without what concerns only those who run the server: hosts, databases, folders and keys. The log has it.
    var forPages: StoreError {
        let place = "the server's store"
        let reason = "the log of the server tells more"
        return switch self {
        case .unreadable, .ended, .invalidKey: self
        case .damaged: .damaged(path: place, reason: reason)
        case .lost: .lost(path: place)
        case .notAStore: .notAStore(path: place)
        case .otherVersion(_, let found, let supported): .otherVersion(path: place, found: found, supported: supported)
        case .readOnly: .readOnly(path: place)
        case .full: .full(path: place)
        case .busy: .busy(path: place)
        // The operation has the key, in which the address of a remote can be.
        case .failed: .failed(operation: "read or save this", reason: reason)
        case .uncertain: .uncertain(operation: "save this", reason: reason)
        }
    }

    /// True if the store may only be out of reach of this process, and whole.
    var isOutOfReach: Bool {
        switch self {
        case .failed, .uncertain, .busy: true
        default: false
        }
    }

    /// The reason of a failure, for the log: it has no key.
    var reasonForLog: String {
        switch self {
        case .unreadable(_, let reason), .failed(_, let reason), .uncertain(_, let reason): reason
        case .damaged, .lost, .notAStore, .otherVersion, .readOnly, .full, .busy: description
        case .ended: "the user has logged out"
        case .invalidKey: "a key is empty"
        }
    }
}

extension ServerResponse {
    /// The answer to a request for which a store has failed. If another replica may reach the store, it is 503, as ``Gate/outOfReach``.
    static func failure(of error: StoreError, _ message: String? = nil) -> ServerResponse {
        var answer = problem(error.isOutOfReach ? 503 : 500, "store", message ?? "\(error.forPages)")
        if error.isOutOfReach { answer.headers["Retry-After"] = Gate.outOfReach.headers["Retry-After"] }
        return answer
    }
}
