import Aquifer
import AquiferFoundation

/// The number of a vault's last change, stored beside its key: `<vault-id>.counter`.
///
/// The same number is sealed in the vault. A vault with a smaller number is an older copy. The vault is written before
/// the counter, so a process killed in between leaves a vault that is ahead of it. That is not a rollback, and the next
/// process that reads the vault raises the counter.
///
/// The file has a title and version in 8 bytes, the number in 8 bytes, and a checksum of both in 8 bytes. It is not
/// secret: anyone who can write to this folder has the key as well.
struct VaultCounter: Sendable {
    /// The content of the file.
    enum Reading: Sendable, Hashable {
        /// The number of the last change.
        case number(UInt64)
        /// There is no such file.
        case missing
        /// The file is cut, or has changed since it was written.
        case damaged
    }

    private let counter: ChecksummedFile
    var file: PrivateFile { counter.file }

    init(of vault: UUID, in folder: PrivateFolder) {
        counter = ChecksummedFile(
            file: PrivateFile(path: folder.path + "/" + vault.uuidString.lowercased() + ".counter"),
            title: Data("AQCOUNT\u{1}".utf8), count: 8)
    }

    func read() throws(VaultError) -> Reading {
        switch try counter.read() {
        case .content(let number): .number(number.reduce(0) { $0 << 8 | UInt64($1) })
        case .missing: .missing
        case .damaged: .damaged
        }
    }

    /// Prepares the write of the number. A lack of space makes this fail, and not ``commit()``. The caller holds the
    /// folder's lock.
    func prepare(_ number: UInt64) throws(VaultError) {
        try counter.prepare(withUnsafeBytes(of: number.bigEndian) { Data($0) })
    }

    /// Replaces the counter with the prepared one.
    func commit() throws(VaultError) { try file.commit() }

    /// Removes the prepared counter.
    func abandon() {
        // A leftover is harmless, and the next change sweeps it.
        try? PrivateFile.shred(file.incoming)
    }
}
