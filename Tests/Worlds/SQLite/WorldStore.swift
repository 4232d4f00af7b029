import Aquifer
import AquiferSQLite
import AquiferTesting
import Foundation

/// The store that a world runs over. The disk is the simulated one for both.
enum WorldStore {
    case files, database

    /// Opens the store of a process.
    func open(_ name: String, survives durability: SQLiteStore.Durability) throws -> any CacheStore {
        switch self {
        // Each decision runs several times, as it may in a store that machines share.
        case .files:
            RepeatingStore(try FileStore(directory: URL(fileURLWithPath: "/disk/\(name)", isDirectory: true)))
        case .database:
            // A job that waits in the middle keeps its connection, so there are more of them than tasks.
            try SQLiteStore(
                file: URL(fileURLWithPath: "/disk/\(name).sqlite"), durability: durability, readers: 16,
                isIrreplaceable: durability == .power)
        }
    }

    /// Moves the files of a damaged database away, as its error asks its user to.
    func moveAway(_ name: String) {
        guard self == .database, let files = Conducting.conductor?.files else { return }
        let path = "/disk/\(name).sqlite"
        for file in [path, path + "-wal", path + "-journal", path + "-shm", StoreError.mark(of: path)] {
            _ = files.removeName(file)
        }
    }

    /// Puts the files of SQLite onto the disk of a world that needs it.
    func prepare(_ world: Simulation) {
        if self == .database { DiskVFS.use(for: world) }
    }
}
