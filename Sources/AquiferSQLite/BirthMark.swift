import Aquifer
import AquiferFoundation

/// A small file beside a database whose contents cannot be loaded again. It records that the database was created, so
/// that a missing or empty database is never taken for a new one. It also has the number of the last acknowledged commit
/// (``CommitCount``), so that a database whose log was cut is never taken for a whole one.
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

    /// - Throws: ``StoreError/lost(path:)`` when the database was created, and is missing or empty; `.failed` when it has another name
    ///   (a hard link): each name has a log of its own, and a change through one takes those of the other away.
    func check() throws(StoreError) {
        if let status = POSIX.status(path), status.size >= 100 {
            if status.links <= 1 { return }
            throw .failed(
                operation: "use \(path)",
                reason: "it is in another folder, too, under a hard link, and changes there would be lost here;"
                    + " delete that link, or put a copy of the file (cp) in the place of one of the two")
        }
        // SQLite takes a file that is shorter than a header (100 bytes) for an empty one, and makes a new database of it.
        if POSIX.isMissing(path, orShorterThan: 100), POSIX.exists(file) { throw .lost(path: path) }
    }

    /// Marks a database, unless it is marked. The mark is on the device when the call returns.
    func make(_ connection: Connection) throws(StoreError) {
        if POSIX.exists(file) { return }
        try connection.flush()
        let file = try POSIX.openToWrite(file, truncate: true)
        try POSIX.write(file, Self.text)
        try POSIX.flush(file)
        let folder = FilePath.folder(of: path)
        if let folder = try POSIX.openToRead(folder) { try POSIX.flush(folder) }
    }

    private static let text = Data(
        """
        The database beside this file has been made, and what is in it cannot be loaded again. While this file is here,
        a missing or empty database is an error. To begin anew without what was in it, delete both.

        """.utf8)

    /// The number of the last commit that was acknowledged; 0 if none is recorded, or the record is damaged.
    func acknowledged() -> UInt64 {
        // A mark that cannot be read records nothing: it guards the database, and must not be in its way.
        guard let file = try? POSIX.openToRead(file),
            let bytes = try? POSIX.read(file, upTo: Self.text.count + 64)  // as above
        else { return 0 }
        let words = String(decoding: bytes.dropFirst(Self.text.count), as: UTF8.self).split(separator: " ")
        guard words.count == 2, words[1] == Self.seal(words[0]) else { return 0 }
        return UInt64(words[0], radix: 16) ?? 0
    }

    /// Records that a commit was acknowledged, unless the user has deleted the mark.
    ///
    /// The record is not flushed. After a loss of power it may be an earlier one, which is true too.
    func acknowledge(_ number: UInt64) {
        guard POSIX.exists(file) else { return }
        let digits = number.hexadecimal
        let record = Data("\(digits) \(Self.seal(digits))".utf8)
        // As above. The record has a fixed length, so that no part of an earlier one is left.
        guard let file = try? POSIX.openToWrite(file, truncate: false) else { return }
        try? record.withBytes { raw throws(StoreError) in try POSIX.write(file, raw, at: Self.text.count) }  // as above
    }

    private static func seal(_ digits: some StringProtocol) -> String { Checksum.xxh64(String(digits)).hexadecimal }
}
