extension StoreError {
    /// The name of the case, such as `busy`, without anything that the error tells about: for metrics and logs.
    public var kind: String {
        switch self {
        case .unreadable: "unreadable"
        case .damaged: "damaged"
        case .lost: "lost"
        case .notAStore: "notAStore"
        case .otherVersion: "otherVersion"
        case .readOnly: "readOnly"
        case .full: "full"
        case .busy: "busy"
        case .failed: "failed"
        case .uncertain: "uncertain"
        case .ended: "ended"
        case .invalidKey: "invalidKey"
        }
    }
}
