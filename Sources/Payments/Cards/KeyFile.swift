import Aquifer
import AquiferCrypto
import AquiferFoundation

/// The keys of one vault, in a folder of their own: `<vault-id>.key`.
///
/// The file holds one key, or two during a rotation, the new one first. It has a title and version in 8 bytes, the
/// number of keys in one byte, the keys, and a checksum of all of these in 8 bytes.
struct KeyFile: Sendable {
    private static let title = Data("AQKEYS\u{0}\u{1}".utf8)

    let file: PrivateFile
    private let folder: PrivateFolder

    init(of vault: UUID, in folder: PrivateFolder) {
        self.folder = folder
        file = PrivateFile(path: folder.path + "/" + vault.uuidString.lowercased() + ".key")
    }

    /// The keys, the newest first.
    func keys() throws(VaultError) -> [SealingKey] {
        if folder.exists { try Privacy.check(folder.path) }
        guard var bytes = try file.read() else { throw .missingKey(path: file.path) }
        defer { wipe(&bytes) }
        let bodyCount = bytes.count - 8
        guard bodyCount > Self.title.count, bytes.prefix(Self.title.count) == Self.title,
            bytes.suffix(8) == Self.checksum(of: bytes, count: bodyCount)
        else { throw .damaged(path: file.path) }
        let count = Int(bytes[Self.title.count])
        guard (1...2).contains(count), bodyCount == Self.title.count + 1 + count * SealingKey.length else {
            throw .damaged(path: file.path)
        }
        var keys: [SealingKey] = []
        for at in 0..<count {
            let start = Self.title.count + 1 + at * SealingKey.length
            do throws(CryptoError) {
                keys.append(
                    try bytes.withBytes { raw throws(CryptoError) in
                        try SealingKey(bytes: UnsafeRawBufferPointer(rebasing: raw[start..<start + SealingKey.length]))
                    })
            } catch { throw VaultError(error, file.path) }
        }
        return keys
    }

    /// Replaces the keys, and overwrites the old ones. The caller holds the folder's lock.
    func write(_ keys: [SealingKey]) throws(VaultError) {
        // The capacity is reserved at once: growing would leave copies of keys in memory.
        var bytes = Data(capacity: Self.title.count + 1 + keys.count * SealingKey.length + 8)
        defer { wipe(&bytes) }
        bytes.append(Self.title)
        bytes.append(UInt8(keys.count))
        for key in keys { key.withUnsafeBytes { bytes.append(contentsOf: $0) } }
        bytes.append(Self.checksum(of: bytes, count: bytes.count))
        try file.replace(with: bytes)
    }

    private static func checksum(of bytes: Data, count: Int) -> Data {
        let sum = bytes.withUnsafeBytes { Checksum.xxh64(UnsafeRawBufferPointer(rebasing: $0[..<count])) }
        return withUnsafeBytes(of: sum.bigEndian) { Data($0) }
    }
}

extension VaultError {
    /// The vault error for a failure to seal or open the file at `path`.
    init(_ error: CryptoError, _ path: String) {
        switch error {
        case .notAuthentic: self = .damaged(path: path)
        case .notReady, .wrongKeyLength: self = .failed(reason: "\(error)")
        }
    }
}
