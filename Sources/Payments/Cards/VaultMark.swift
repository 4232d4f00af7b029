import Aquifer
import AquiferFoundation

/// The mark that a vault was created in a folder: `cards.mark`, beside `cards.vault`. It contains the vault's id.
///
/// The mark remains when the vault is deleted, so that a lost vault can be distinguished from one that never existed.
/// The file has a title and version in 8 bytes, the vault's id in 16 bytes, and a checksum of both in 8 bytes. It is
/// not secret.
struct VaultMark: Sendable {
    /// The content of the file.
    enum Reading: Sendable, Hashable {
        /// A vault of this id was made, or was about to be.
        case vault(UUID)
        /// There is no such file.
        case missing
        /// The file is truncated, or was changed since it was written.
        case damaged
    }

    private let mark: ChecksummedFile
    var file: PrivateFile { mark.file }

    init(in folder: PrivateFolder) {
        mark = ChecksummedFile(
            file: PrivateFile(path: folder.path + "/cards.mark"), title: Data("AQMARK\u{0}\u{1}".utf8), count: 16)
    }

    func read() throws(VaultError) -> Reading {
        switch try mark.read() {
        case .content(let id): .vault(id.withUnsafeBytes { UUID(uuid: $0.loadUnaligned(as: uuid_t.self)) })
        case .missing: .missing
        case .damaged: .damaged
        }
    }

    /// Writes the vault's id. The caller holds the folder's lock.
    func write(_ vault: UUID) throws(VaultError) {
        try mark.prepare(withUnsafeBytes(of: vault.uuid) { Data($0) })
        try file.commit()
    }

    /// Removes the mark. The caller holds the folder's lock.
    func remove() throws(VaultError) {
        _ = try posix { () throws(StoreError) in try POSIX.remove(file.path) }
    }
}
