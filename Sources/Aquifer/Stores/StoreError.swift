/// The reason why an operation of a store failed. The operation changed nothing, unless the error is
/// ``uncertain(operation:reason:)``.
public enum StoreError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The entry is damaged: its checksum, size or form is wrong.
    case unreadable(key: String, reason: String)
    /// The store as a whole cannot be read, because the data for finding its entries is damaged. The store is
    /// unchanged.
    case damaged(path: String, reason: String)
    /// The store existed, cannot be recreated, and is gone or empty, or has lost its last changes. It is unchanged, and no
    /// new store was created in its place.
    case lost(path: String)
    /// The file or folder at this path is not a store of this kind. It is unchanged.
    case notAStore(path: String)
    /// The store, or an entry of it, was written by another version of this library: a newer one, or one before the first
    /// release. It is unchanged.
    case otherVersion(path: String, found: Int, supported: Int)
    /// The path cannot be written to.
    case readOnly(path: String)
    /// There is no space left on the device.
    case full(path: String)
    /// Another process or caller held the store for longer than the allowed wait.
    case busy(path: String)
    /// Reading or writing failed in another way.
    case failed(operation: String, reason: String)
    /// The connection to a shared store broke in the middle of a change, and did not come back in time to find out whether
    /// the change was made. Or a ``Scope`` ended in the middle of it, whose unsent changes may be kept. It was made completely
    /// or not at all. Look at what is there before you make it again.
    case uncertain(operation: String, reason: String)
    /// The ``Scope`` of the store has ended: its user has logged out. Make a new scope when the user logs in again.
    case ended(scope: String)
    /// The key is empty, which no store accepts.
    case invalidKey(String)

    /// True for the address of a server, false for a path.
    private static func isServer(_ place: String) -> Bool {
        place.split(separator: ":", maxSplits: 1).dropFirst().first?.hasPrefix("//") == true
    }

    /// One line with the failure and a remedy.
    public var description: String {
        switch self {
        case .unreadable(let key, let reason):
            "what is saved as \"\(key)\" is damaged (\(reason)); load it again while online, or delete it"
        case .damaged(let server, let reason) where StoreError.isServer(server):
            "\(server) is damaged (\(reason)); put its database back from a backup"
        case .damaged(let path, let reason):
            "\(path) is damaged (\(reason)); move it away, with the files beside it whose names begin like its own; then"
                + " put it back from a backup, or begin anew without what is in it"
        case .lost(let path):
            "\(path) is gone or empty or lacks its last changes, which cannot be loaded again; move \(path)-wal away, if it is"
                + " there, and put the store back from a backup, or delete \(StoreError.mark(of: path)) to go on without them"
        case .notAStore(let path):
            "\(path) is not a store of Aquifer's; name another folder, or move that file away"
        case .otherVersion(let path, let found, let supported):
            StoreError.words(of: path, found: found, supported: supported)
        case .readOnly(let path):
            "\(path) cannot be written to; check the rights to it, or name another place"
        case .full(let path):
            "there is no room left on the device of \(path); free some, then try again"
        case .busy(let path):
            "\(path) is held by another process; try again"
        case .failed(let operation, let reason):
            "the store could not \(operation): \(reason)"
        case .uncertain(let operation, let reason):
            "the store may or may not have done this: \(operation) (\(reason)); look at what is there before you try again"
        case .ended(let scope):
            "\"\(scope)\" has ended, and nothing of it is read or saved any more; log in again"
        case .invalidKey(let key):
            "\"\(key)\" is not a key: a key has at least one character"
        }
    }

    /// The sentence about something of another form than the one that this version writes. Nothing reads another one, and
    /// nothing changes it.
    package static func words(of path: String, found: Int, supported: Int) -> String {
        found < supported
            ? "\(path) was written by an earlier version of Aquifer, before its first release (form \(found), this one knows"
                + " \(supported)); it is left as it is: move it away or delete it"
            : "\(path) was written by a newer version of Aquifer (form \(found), this one knows \(supported)); it is left as it"
                + " is: update, or name another place"
    }

    /// The path of the marker file of a store at `path` that cannot be recreated. The file exists once the store was
    /// created.
    package static func mark(of path: String) -> String { path + "-made" }
}
