import Aquifer
import Foundation

/// The place of the users' data: a file of users names the one that it belongs to.
public struct UsersPlace: Codable, Sendable, Hashable {
    /// Identifies the store of the users' data, which has it in an entry.
    let mark: String
    /// The data folder of the server.
    public let data: String
    /// The folder of the server's keys.
    public let keys: String
    /// True if the data is in stores that machines share, and not in the folder.
    public let isShared: Bool

    /// The number of the last version of the file that was used, so that an older copy is noticed.
    var generations: UsersGenerations { generations(in: keys) }

    /// The same in another folder of keys.
    func generations(in keys: String) -> UsersGenerations {
        UsersGenerations(path: "\(keys)/users/.generation-\(mark)")
    }
}

extension StorePlace {
    private static var key: String { "users:place" }

    /// The mark of the users' data. It is made when a server first has users.
    ///
    /// - Throws: the errors of the store, and of an entry that is damaged.
    func usersMark() async throws(StoreError) -> String {
        let draft = AccessToken.random()
        return try await store(.users).decide(Self.key) { found throws(StoreError) -> (EntryChange, String) in
            if let entry = try found.get() { return (.keep, String(decoding: entry.bytes, as: UTF8.self)) }
            let entry = StoredEntry(bytes: Data(draft.utf8), savedAt: Date(timeIntervalSince1970: 0))
            return (.replace(entry), draft)
        }
    }

    /// The mark of the users' data; `nil` if no server has had users here.
    func knownUsersMark() async throws(StoreError) -> String? {
        try await store(.users).retrieve(Self.key).map { String(decoding: $0.bytes, as: UTF8.self) }
    }
}

extension Groundwork {
    /// The place of the users' data, which gets its mark.
    func usersPlace() async throws(StoreError) -> UsersPlace {
        func path(_ folder: URL) throws(StoreError) -> String {
            let path = folder.standardizedFileURL.path(percentEncoded: false)
            try POSIX.makeFolder(path)
            return POSIX.resolved(path)
        }
        return UsersPlace(
            mark: try await place.usersMark(), data: try path(configuration.data), keys: try path(configuration.keys),
            isShared: !place.ownsFolders)
    }
}
