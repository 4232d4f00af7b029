import Aquifer
import AquiferCrypto
import AquiferFoundation

/// The header of a vault's file. It is not secret. It is authenticated with the cards: no byte of it can change
/// unnoticed.
///
/// | bytes | what |
/// |---|---|
/// | 8 | title |
/// | 4 | version, big-endian |
/// | 16 | the vault's id, which names its key file |
/// | 16 | the fingerprint of the key |
/// | 8 | a checksum of these: distinguishes a damaged file from a file of another key |
///
/// The rest of the file is one sealed box with all the cards. A single card cannot be removed, restored or swapped.
///
/// The box contains the number of the vault's last change as well (see ``VaultCounter``). A vault of another version is
/// refused, and left as it is.
struct VaultHeader: Hashable, Sendable {
    static let version = 2
    static let length = 52
    private static let title = Data("AQVAULT\n".utf8)

    let vault: UUID
    let key: Data

    /// - Throws: ``VaultError/damaged(path:)``, ``VaultError/otherVersion(path:found:supported:)``.
    init(reading file: Data, path: String) throws(VaultError) {
        guard file.count >= 12, file.prefix(8) == Self.title else { throw .damaged(path: path) }
        let version = file[8..<12].reduce(0) { $0 << 8 | Int($1) }
        // This check precedes the checksum: another version may have another header.
        guard version > 0 else { throw .damaged(path: path) }
        guard version == Self.version else {
            throw .otherVersion(path: path, found: version, supported: Self.version)
        }
        guard file.count >= Self.length + Sealed.overhead,
            file[44..<52] == Self.checksum(of: file.prefix(44))
        else { throw .damaged(path: path) }
        vault = file.withUnsafeBytes { UUID(uuid: $0.loadUnaligned(fromByteOffset: 12, as: uuid_t.self)) }
        key = Data(file[28..<44])
    }

    init(vault: UUID, key: SealingKey) {
        self.vault = vault
        self.key = key.fingerprint
    }

    var bytes: Data {
        var bytes = Self.title
        withUnsafeBytes(of: UInt32(Self.version).bigEndian) { bytes.append(contentsOf: $0) }
        withUnsafeBytes(of: vault.uuid) { bytes.append(contentsOf: $0) }
        bytes.append(key)
        bytes.append(Self.checksum(of: bytes))
        return bytes
    }

    private static func checksum(of bytes: Data) -> Data {
        let sum = bytes.withUnsafeBytes { Checksum.xxh64($0) }
        return withUnsafeBytes(of: sum.bigEndian) { Data($0) }
    }
}

/// The encoding of the cards in the box. No other code encodes a card's number.
enum VaultBox {
    private struct Record: Codable {
        let id: UUID
        let number: String
        let holder: String
        let expiry: Expiry
    }

    /// The content of a box.
    private struct Content: Codable {
        /// The number of the vault's last change.
        let change: UInt64
        let cards: [Record]
    }

    /// The content of an opened box.
    struct Opened {
        /// The number of the vault's last change.
        let change: UInt64
        let cards: [Card]
    }

    /// - Parameter label: authenticated beside the header, and kept nowhere.
    static func seal(
        _ cards: [Card], change: UInt64, with key: SealingKey, header: Data, beside label: Data = Data()
    ) throws(VaultError) -> Data {
        let records = cards.map {
            Record(id: $0.id, number: $0.number.digits, holder: $0.holder, expiry: $0.expiry)
        }
        var plain: Data
        do { plain = try JSONEncoder().encode(Content(change: change, cards: records)) } catch {
            // The reason omits the error itself, which may quote the values that could not be encoded.
            throw .failed(reason: "a card could not be encoded")
        }
        defer { wipe(&plain) }
        do throws(CryptoError) {
            return try Sealed.seal(plain, with: key, authenticating: header + label)
        } catch {
            throw .failed(reason: "\(error)")
        }
    }

    static func open(
        _ box: Data, with key: SealingKey, header: VaultHeader, beside label: Data = Data(), path: String
    ) throws(VaultError) -> Opened {
        var plain: Data
        do throws(CryptoError) {
            plain = try Sealed.open(box, with: key, authenticating: header.bytes + label)
        } catch {
            throw VaultError(error, path)
        }
        defer { wipe(&plain) }
        let content: Content
        do { content = try JSONDecoder().decode(Content.self, from: plain) } catch {
            throw .damaged(path: path)  // and not the error itself: it may quote what could not be decoded
        }
        return Opened(
            change: content.change,
            cards: content.cards.map {
                Card(id: $0.id, number: CardNumber(stored: $0.number), holder: $0.holder, expiry: $0.expiry)
            })
    }
}
