import Aquifer
import Foundation

/// An owner's storage accounts.
public struct AccountList: Sendable, Hashable, Codable {
    /// The accounts, in the order they were made.
    public var accounts: [StorageAccount]
    /// Whether these are all. Not so when an account was added while nothing good was saved: there may be older ones.
    public var isComplete: Bool

    /// A list.
    public init(_ accounts: [StorageAccount], isComplete: Bool = true) {
        self.accounts = accounts
        self.isComplete = isComplete
    }

    /// The account of this address, or, if there is exactly one, of this name.
    public func account(_ text: String) -> StorageAccount? {
        if let found = accounts.first(where: { "\($0.address)" == text }) { return found }
        let named = accounts.filter { $0.identifier == text }
        return named.count == 1 ? named[0] : nil
    }

    /// The list with an account in place of the one of its address, or at its end.
    func adding(_ account: StorageAccount) -> AccountList {
        var list = self
        if let place = list.accounts.firstIndex(where: { $0.address == account.address }) {
            list.accounts[place] = account
        } else {
            list.accounts.append(account)
        }
        return list
    }
}

/// What is in a storage account.
public struct AccountContents: Sendable, Hashable, Codable {
    /// The account.
    public var account: StorageAccount
    /// Its files, in the server's order.
    public var files: [StoredFile]

    /// What is in an account.
    public init(account: StorageAccount, files: [StoredFile]) {
        self.account = account
        self.files = files
    }

    /// The same after a file was stored, or replaced.
    func storing(_ file: StoredFile) -> AccountContents {
        var contents = removing(file.name)
        contents.files = files
        if let place = contents.files.firstIndex(where: { $0.name == file.name }) {
            contents.files[place] = file
        } else {
            contents.files.append(file)
        }
        contents.account.currentUsage += file.size
        return contents
    }

    /// The same after a file was deleted.
    func removing(_ name: String) -> AccountContents {
        var contents = self
        let gone = files.filter { $0.name == name }.reduce(0) { $0 + $1.size }
        contents.files.removeAll { $0.name == name }
        contents.account.currentUsage -= min(gone, account.currentUsage)
        return contents
    }
}

/// The use cases "save", "load" and "validate" for the storage accounts of one owner: kept for seven days.
public struct AccountShelf: Sendable {
    /// What is saved.
    public let cache: Cache<AccountList>
    private let store: any CacheStore
    private let now: @Sendable () -> Date

    init(key: String, store: any CacheStore, now: @escaping @Sendable () -> Date) {
        cache = Cache(key: key, in: store, now: now)
        self.store = store
        self.now = now
    }

    /// Adds a new account to the list saved, and stamps it, in one atomic step and without the network.
    ///
    /// What was saved seven days ago or earlier, or cannot be read, is replaced by a list of the new account alone.
    ///
    /// - Parameter isFirst: whether the owner has no other account, so that a list of it alone is complete.
    /// - Throws: ``StoreError``; then what was saved before still is.
    public func add(_ account: StorageAccount, isFirst: Bool) async throws(StoreError) {
        let codec = CacheCodec<AccountList>.json
        let (key, stamp) = (cache.key, now())
        try await store.update(key) { current throws(StoreError) in
            var list = AccountList([], isComplete: isFirst)
            // What is not fresh or cannot be read is not shown, and not kept.
            if case .success(let entry?) = current, cache.policy.isFresh(entry.savedAt, at: stamp),
                let saved = try? codec.decode(entry.bytes)
            {
                list = saved
            }
            do {
                return .replace(StoredEntry(bytes: try codec.encode(list.adding(account)), savedAt: stamp))
            } catch {
                throw .failed(operation: "encode \"\(key)\"", reason: "\(type(of: error))")
            }
        }
    }

    /// Changes one account of the list saved, if it is there. The stamp stays.
    func amend(_ account: PublicKey, _ change: @Sendable (inout StorageAccount) -> Void) async throws(StoreError) {
        try await cache.amend { list in
            guard let place = list.accounts.firstIndex(where: { $0.address == account }) else { return nil }
            var list = list
            change(&list.accounts[place])
            return list
        }
    }
}
