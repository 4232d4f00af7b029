import Aquifer
import AquiferConcurrency
import AquiferPayments
import AquiferSQLite
import Foundation

/// Stores in a folder of this machine: a file each, which is opened at its first use.
struct LocalStores: StorePlace {
    let folder: URL
    private let opened = Locked<[StoreKind: LazyStore]>([:])

    init(_ folder: URL) { self.folder = folder }

    func store(_ kind: StoreKind) -> any CacheStore {
        opened.withLock { opened in
            if let store = opened[kind] { return store }
            let file = folder.appending(path: name(of: kind))
            let store = LazyStore { () throws(StoreError) in
                try SQLiteStore(
                    file: file, durability: kind.outlivesPower ? .power : .process,
                    isIrreplaceable: kind.isIrreplaceable)
            }
            opened[kind] = store
            return store
        }
    }

    func name(of kind: StoreKind) -> String { "\(kind.rawValue).sqlite" }

    func files(
        in folder: URL, own: (any CacheStore)?, copies: @escaping @Sendable () throws(StoreError) -> URL
    ) -> OutboxFiles { .folder(folder) }

    func drafts(own: (any CacheStore)?) -> (any CacheStore)? { nil }

    func ring(in keys: URL, now: @escaping @Sendable () -> Date) -> KeyRing? { nil }

    var users: StoredUsers? { nil }

    var ownsFolders: Bool { true }

    func token() -> String { AccessToken.kept(in: folder) }

    func savedToken() throws(StoreError) -> String? { try AccessToken.saved(in: folder) }
}
