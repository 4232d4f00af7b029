/// Why a store could not do what it was asked. Nothing was changed.
public enum StoreError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The entry is there, and is not what was stored: its checksum, size or form is wrong.
    case unreadable(key: String, reason: String)
    /// What is at this place is not a store of this kind. It was left as it is.
    case notAStore(path: String)
    /// The store was written by a newer version of this library. It was left as it is.
    case newerVersion(path: String, found: Int, supported: Int)
    /// The place cannot be written to.
    case readOnly(path: String)
    /// There is no room left on the device.
    case full(path: String)
    /// Another user of the store held it for longer than this one was ready to wait.
    case busy(path: String)
    /// Reading or writing failed in another way.
    case failed(operation: String, reason: String)
    /// A key that no store takes: the empty one.
    case invalidKey(String)

    /// One line: what was wrong, and what to do.
    public var description: String {
        switch self {
        case .unreadable(let key, let reason):
            "the saved copy of \"\(key)\" cannot be read (\(reason)); delete it with `aquifer cache validate`, or load again while online"
        case .notAStore(let path):
            "\(path) is not a store of Aquifer's; name another folder, or move that file away"
        case .newerVersion(let path, let found, let supported):
            "\(path) was written by a newer version (format \(found), this one knows \(supported)); update, or name another folder"
        case .readOnly(let path):
            "\(path) cannot be written to; check its permissions, or name another folder"
        case .full(let path):
            "there is no room left on the device of \(path); free some, then load again"
        case .busy(let path):
            "\(path) is held by another process; try again"
        case .failed(let operation, let reason):
            "the store could not \(operation): \(reason)"
        case .invalidKey(let key):
            "\"\(key)\" is not a key: a key has at least one character"
        }
    }
}
