import Aquifer
import AquiferFoundation

/// A small file beside a database whose contents cannot be loaded again. It records that the database was created, so
/// that a missing or empty database is never taken for a new one.
///
/// The mark is created after the tables were committed and flushed to the device. A process that is killed in between
/// leaves a database without a mark, which the next opening marks. There is never a mark without a created database.
struct BirthMark: Sendable {
    private let path: String
    /// The path of the mark.
    var file: String { StoreError.mark(of: path) }

    init(of path: String) {
        self.path = path
    }

    /// - Throws: ``StoreError/lost(path:)`` when the database was created, and is missing or empty.
    func check() throws(StoreError) {
        // SQLite takes a file that is shorter than a header (100 bytes) for an empty one, and makes a new database of it.
        if POSIX.isMissing(path, orShorterThan: 100), POSIX.exists(file) { throw .lost(path: path) }
    }

    /// Marks a database, unless it is marked. The mark is on the device when the call returns.
    func make(_ connection: Connection) throws(StoreError) {
        if POSIX.exists(file) { return }
        try connection.flush()
        let text = """
            The database beside this file has been made, and what is in it cannot be loaded again. While this file is here,
            a missing or empty database is an error. To begin anew without what was in it, delete both.

            """
        let file = try POSIX.openToWrite(file, truncate: true)
        try POSIX.write(file, Data(text.utf8))
        try POSIX.flush(file)
        let folder = FilePath.folder(of: path)
        if let folder = try POSIX.openToRead(folder) { try POSIX.flush(folder) }
    }
}
