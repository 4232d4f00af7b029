import Aquifer
import AquiferConcurrency
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

    func files(copies: @escaping @Sendable () throws(StoreError) -> URL) -> OutboxFiles {
        .folder(folder.appending(path: "outbox", directoryHint: .isDirectory))
    }

    func token() -> String { AccessToken.kept(in: folder) }
}
