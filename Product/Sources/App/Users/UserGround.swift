import Aquifer
import Foundation

/// The data of one user alone: a ``Scope``, and the folders that end with it.
struct UserGround: Sendable {
    let user: UserIdentity
    var name: UserName { user.name }
    let scope: Scope
    /// The entries of the user, within the quota.
    let store: any CacheStore
    /// The entries of the user that can be loaded again, as the inspector sees them.
    let values: MeteredStore
    /// The settings and the last phrases of the user.
    let phrases: MeteredStore
    /// The files of the drive that were shown, within a bound.
    let files: EvictingStore
    let quota: UserQuota
    /// The folder of the user's files: cards, recordings that wait, uploads.
    let folder: URL
    /// The folder of the user's keys.
    let keys: URL

    /// The most bytes of the files that were shown.
    private static let filesBound = 32 << 20

    /// - Parameter users: The store of what each user has alone.
    init(_ user: UserIdentity, in users: any CacheStore, _ configuration: Configuration, bound: UInt64) {
        self.user = user
        folder = Self.folder(configuration.data, user.id)
        keys = Self.folder(configuration.keys, user.id)
        scope = Scope(Self.family + user.id.text, in: users)
        quota = UserQuota(bound: bound, scope.store, folder: folder)
        store = QuotaStore(scope.store, quota)
        values = MeteredStore(
            FamilyStore(store) {
                ["contacts:", "drive-accounts:", "drive-contents:", "drive-file:"].contains(where: $0.hasPrefix)
            })
        files = EvictingStore(FamilyStore(store) { $0.hasPrefix("drive-file:") }, bound: Self.filesBound)
        phrases = MeteredStore(FamilyStore(store) { $0.hasPrefix("foaas:") })
    }

    private static let family = "user/"

    /// True if a user has something in the store of what each has alone.
    static func isAny(in users: any CacheStore) async throws(StoreError) -> Bool {
        let page = try await users.page(prefix: ScopeKeys.entries + family.prefix(4), after: nil, limit: 1)
        return page.contents != StoreContents()
    }

    private static func folder(_ parent: URL, _ id: UserID) -> URL {
        parent.appending(path: "users", directoryHint: .isDirectory)
            .appending(path: id.text, directoryHint: .isDirectory)
    }

    /// Begins the scope, and lets its files end with it.
    ///
    /// - Parameter ownsFolders: false if folders of these names on another machine may belong to another server.
    func open(ownsFolders: Bool) async throws(StoreError) {
        try await scope.open()
        guard ownsFolders else { return }
        for place in [folder, keys] { try await scope.deleteAtEnd(place) }
    }
}

/// The entries of some families in a store that holds more: the others are not listed, and so are neither seen nor deleted.
struct FamilyStore: ForwardingStore, SeveralReads, UnflushedChanges {
    let base: any CacheStore
    private let isListed: @Sendable (String) -> Bool

    init(_ store: any CacheStore, _ isListed: @escaping @Sendable (String) -> Bool) {
        base = store
        self.isListed = isListed
    }

    func contents() async throws(StoreError) -> StoreContents { try await contents(prefix: "") }

    func contents(prefix: String) async throws(StoreError) -> StoreContents {
        listed(try await base.contents(prefix: prefix))
    }

    private func listed(_ all: StoreContents) -> StoreContents {
        StoreContents(
            entries: all.entries.filter { isListed($0.key) },
            damaged: all.damaged.filter { $0.key.map(isListed) ?? false })
    }

    func page(prefix: String, after: String?, limit: Int) async throws(StoreError) -> StorePage {
        var page = try await base.page(prefix: prefix, after: after, limit: limit)
        page.contents = listed(page.contents)
        return page
    }

    /// Deletes listed entries only.
    func deleteAll(prefix: String) async throws(StoreError) {
        for entry in try await contents(prefix: prefix).entries { try await base.delete(entry.key) }
    }

    var batches: (any EntryBatches)? { base.batches }
}
