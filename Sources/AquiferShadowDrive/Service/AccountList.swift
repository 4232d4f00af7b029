import Aquifer
import AquiferFoundation

/// An owner's storage accounts.
///
/// Each account has its own age. Adding a new account does not change the age of the others.
public struct AccountList: Sendable, Hashable, Codable {
    /// The accounts, in the order of their creation.
    public var accounts: [StorageAccount]
    /// True if the list contains all accounts. It is false if an account was added without a valid saved list; older
    /// accounts may then be missing.
    public var isComplete: Bool
    /// The time of the fetch, if accounts were added since. It is `nil` while the saved entry's timestamp is the time
    /// of the fetch.
    private var fetchedAt: Date?
    /// The creation times of the accounts that were added since, by address.
    private var addedAt: [String: Date]?

    /// Creates a list.
    public init(_ accounts: [StorageAccount], isComplete: Bool = true) {
        self.accounts = accounts
        self.isComplete = isComplete
    }

    /// The accounts that a text identifies: the account with this address, or all accounts with this name.
    public func accounts(called text: String) -> [StorageAccount] {
        if let found = accounts.first(where: { "\($0.address)" == text }) { return [found] }
        return accounts.filter { $0.identifier == text }
    }

    /// True if the account of this address is in the list.
    func has(_ account: PublicKey) -> Bool { accounts.contains { $0.address == account } }

    /// The time at which an account was added to the fetched list; `nil` for an account that was fetched with it.
    public func addedAt(_ account: PublicKey) -> Date? { addedAt?["\(account)"] }

    /// The list with an account added. It replaces the account of the same address, or is appended.
    ///
    /// - Parameters:
    ///   - stamp: the time of the account's creation.
    ///   - fetchedAt: the time at which the others were fetched; `nil` if there are none.
    func adding(_ account: StorageAccount, at stamp: Date, fetchedAt: Date?) -> AccountList {
        var list = self
        list.fetchedAt = list.fetchedAt ?? fetchedAt
        if list.fetchedAt != nil { list.addedAt = (addedAt ?? [:]).merging(["\(account.address)": stamp]) { $1 } }
        if let place = list.accounts.firstIndex(where: { $0.address == account.address }) {
            list.accounts[place] = account
        } else {
            list.accounts.append(account)
        }
        return list
    }

    /// The accounts that are still fresh, and the time of the oldest.
    ///
    /// - Parameter stamp: the timestamp of the entry from which the list was read.
    func aged(_ stamp: Date, _ isFresh: (Date) -> Bool) -> (list: AccountList, savedAt: Date) {
        let fetchedAt = fetchedAt ?? stamp
        var list = self
        list.accounts.removeAll { !isFresh(addedAt($0.address) ?? fetchedAt) }
        let added = list.accounts.compactMap { addedAt($0.address) }
        guard isFresh(fetchedAt) else {
            list.isComplete = false
            return (list, added.min() ?? stamp)
        }
        return (list, min(fetchedAt, added.min() ?? fetchedAt))
    }
}

/// The contents of a storage account.
public struct AccountContents: Sendable, Hashable, Codable {
    /// The account.
    public var account: StorageAccount
    /// The account's files, in the server's order.
    public var files: [StoredFile]

    /// Creates the contents of an account.
    public init(account: StorageAccount, files: [StoredFile]) {
        self.account = account
        self.files = files
    }

    /// The contents after a file was stored or replaced.
    func storing(_ file: StoredFile) -> AccountContents {
        var contents = removing(file.name)
        contents.files = files
        if let place = contents.files.firstIndex(where: { $0.id == file.id }) {
            contents.files[place] = file
        } else {
            contents.files.append(file)
        }
        contents.account.currentUsage = contents.account.currentUsage.saturatingAdding(file.size)
        return contents
    }

    /// The contents after a file was deleted.
    func removing(_ name: String) -> AccountContents {
        var contents = self
        let gone = files.filter { $0.name.isExactly(name) }.map(\.size).saturatingSum
        contents.files.removeAll { $0.name.isExactly(name) }
        contents.account.currentUsage -= min(gone, account.currentUsage)
        return contents
    }
}

/// The use cases "save", "load" and "validate" for the storage accounts of one owner, which are kept for seven days.
public struct AccountShelf: Sendable {
    /// The saved list.
    public let cache: Cache<AccountList>
    private let now: @Sendable () -> Date

    init(
        key: String, store: any CacheStore, patience: Duration? = nil, now: @escaping @Sendable () -> Date,
        events: (any AquiferEvents)? = nil
    ) {
        cache = Cache(
            key: key, in: store, policy: CachePolicy(patience: patience), codec: .json,
            aging: { saved, isFresh in
                var good = saved
                (good.value, good.savedAt) = saved.value.aged(saved.savedAt, isFresh)
                return good
            }, now: now, events: events)
        self.now = now
    }

    /// Adds a new account to the saved list, in one atomic step and without the network.
    ///
    /// The new account gets the current time as its timestamp. The others keep the timestamp of their fetch, and are
    /// shown for at most seven days from then. A damaged list is replaced by a list of the new account alone.
    ///
    /// - Parameters:
    ///   - account: the new account.
    ///   - isFirst: true if the owner has no other account, so that a list of it alone is complete.
    /// - Throws: `StoreError`; the previously saved list is then unchanged.
    public func add(_ account: StorageAccount, isFirst: Bool) async throws(StoreError) {
        let stamp = now()
        try await cache.update(restamping: { saved in
            let list = saved?.value ?? AccountList([], isComplete: isFirst)
            return (list.adding(account, at: stamp, fetchedAt: saved?.savedAt), stamp)
        })
    }

    /// Adds an account that was created earlier, if the saved list does not have it. Saved data may be newer than the
    /// account's creation, so it stays. A list of the account alone is never complete.
    ///
    /// - Throws: `StoreError`; the previously saved list is then unchanged.
    func addMissing(_ account: StorageAccount) async throws(StoreError) {
        // A list that cannot be read has no account. The step below replaces it, or tells the error.
        let known = try? await cache.load()
        if known?.value.has(account.address) == true { return }
        let stamp = now()
        try await cache.update(restamping: { saved in
            // Somebody may have added it since.
            if let saved, saved.value.has(account.address) { return (saved.value, saved.savedAt) }
            let list = saved?.value ?? AccountList([], isComplete: false)
            return (list.adding(account, at: stamp, fetchedAt: saved?.savedAt), stamp)
        })
    }

    /// Changes one account of the saved list, if it is there. The timestamp does not change.
    func amend(_ account: PublicKey, _ change: @Sendable (inout StorageAccount) -> Void) async throws(StoreError) {
        try await cache.amend { list in
            guard let place = list.accounts.firstIndex(where: { $0.address == account }) else { return nil }
            var changed = list
            change(&changed.accounts[place])
            return changed == list ? nil : changed
        }
    }
}
