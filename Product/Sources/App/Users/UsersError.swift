import Aquifer

/// The failure of a change or a reading of the users.
public enum UsersError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The text is no name of a user.
    case badName(String)
    /// There is no file: nobody has been added.
    case none(path: String)
    /// The shared store has no users: nobody has been added.
    case noneStored
    /// The users in the shared store are not as they were written.
    case damagedInStore(String)
    /// The file is not as it was written.
    case damaged(path: String, reason: String)
    /// The file is an older copy than the one that a server has used last.
    case older(path: String, mark: String)
    /// The number of the last version that a server has used cannot be read.
    case damagedGeneration(path: String, mark: String)
    /// A server has used a file, and there is none now.
    case gone(path: String, mark: String)
    /// The users of the file have their data in another place.
    case elsewhere(path: String, data: String)
    /// Another version wrote the file: a newer one, or one before the first release. It is unchanged.
    case otherVersion(path: String, found: Int, supported: Int)
    /// Others can read the file, or it is another user's, or no file.
    case open(path: String)
    /// There is a user of this name, or of one that differs in its case only.
    case exists(String)
    /// There is no user of this name.
    case unknown(String)
    /// The user is being removed.
    case leaving(String)
    /// Something of the user has not been sent yet, or is not known to have arrived.
    case unsent(String, changes: Int, payments: Int)
    /// The system failed.
    case store(StoreError)

    /// One line with the failure and the remedy.
    public var description: String {
        switch self {
        case .badName(let name):
            "\"\(name)\" is no name of a user: use 1 to \(UserName.most) letters (a to z), digits, \".\", \"-\" and \"_\","
                + " and begin with a letter or a digit"
        case .none(let path): "there are no users yet: \(path) is missing"
        case .noneStored: "there are no users yet: the shared store has none"
        case .damagedInStore(let reason):
            "the list of users in the shared store is damaged (\(reason)), and nobody is let in; put the store back from a backup"
        case .damaged(let path, let reason):
            "\(path) is damaged (\(reason)), and nobody is let in; put it back from a backup; users who are added again"
                + " in another file begin with nothing"
        case .older(let path, let mark):
            "\(path) is an older copy than the one that was used last, so that links which have ended could open again, and"
                + " nobody is let in; put the latest copy back, or remove \(mark) to accept this one"
        case .damagedGeneration(let path, let mark):
            "\(mark) is damaged, so that nobody knows whether \(path) is the latest copy, and nobody is let in; make sure"
                + " that it is, and remove \(mark)"
        case .gone(let path, let mark):
            "\(path) is gone, and nobody is let in; put it back from a backup, or remove \(mark) to begin with nobody"
        case .elsewhere(let path, let data):
            "the users of \(path) have their data in \(data), not in this folder or store; nothing was changed"
        case .otherVersion(let path, let found, let supported):
            "\(StoreError.words(of: path, found: found, supported: supported)); nobody is let in"
        case .open(let path):
            "\(path) must be a file of yours that nobody else can read; look at it, then run: chmod 600 \(path)"
        case .exists(let name): "there is a user \"\(name)\" already"
        case .unknown(let name): "there is no user \"\(name)\""
        case .leaving(let name): "\"\(name)\" is being removed; finish that first"
        case .unsent(let name, let changes, let payments):
            "\"\(name)\" has \(Self.words(changes, payments)), and was not removed"
        case .store(let error): "\(error)"
        }
    }

    private static func words(_ changes: Int, _ payments: Int) -> String {
        let parts = [
            changes == 0
                ? nil
                : changes == 1 ? "one change that has not been sent" : "\(changes) changes that have not been sent",
            payments == 0
                ? nil
                : payments == 1
                    ? "one payment whose outcome is not known" : "\(payments) payments whose outcome is not known",
        ]
        return parts.compactMap(\.self).joined(separator: " and ")
    }
}
