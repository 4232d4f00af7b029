import Aquifer
import AquiferCrypto
import Foundation

/// What a vault's file begins with. It is not secret, and is authenticated with the cards: no byte of it can change.
///
/// | bytes | what |
/// |---|---|
/// | 8 | title |
/// | 4 | version, big-endian |
/// | 16 | the vault's id, which names its key file |
/// | 16 | the fingerprint of the key |
/// | 8 | a checksum of these: tells a damaged file from one of another key |
///
/// All that follows is one sealed box with all the cards: a card cannot be left out, put back or swapped by itself.
struct VaultHeader: Hashable, Sendable {
    static let version = 1
    static let length = 52
    private static let title = Data("AQVAULT\n".utf8)

    let vault: UUID
    let key: Data

    /// - Throws: ``VaultError/damaged(path:)``, ``VaultError/newerVersion(path:found:supported:)``.
    init(reading file: Data, path: String) throws(VaultError) {
        guard file.count >= 12, file.prefix(8) == Self.title else { throw .damaged(path: path) }
        let version = file[8..<12].reduce(0) { $0 << 8 | Int($1) }
        // Before the checksum: a newer version may well have another header.
        guard version <= Self.version else {
            throw .newerVersion(path: path, found: version, supported: Self.version)
        }
        guard version == Self.version, file.count >= Self.length + Sealed.overhead,
            file[44..<52] == Self.checksum(of: file.prefix(44))
        else { throw .damaged(path: path) }
        vault = file.withUnsafeBytes { UUID(uuid: $0.loadUnaligned(fromByteOffset: 12, as: uuid_t.self)) }
        key = Data(file[28..<44])
    }

    init(vault: UUID, key: SymmetricKey) {
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

/// The cards as they are within the box: the one place where a number is encoded.
enum VaultBox {
    private struct Record: Codable {
        let id: UUID
        let number: String
        let holder: String
        let expiry: Expiry
    }

    static func seal(_ cards: [Card], with key: SymmetricKey, header: Data) throws(VaultError) -> Data {
        let records = cards.map {
            Record(id: $0.id, number: $0.number.digits, holder: $0.holder, expiry: $0.expiry)
        }
        var plain: Data
        do { plain = try JSONEncoder().encode(records) } catch {
            // Not the error itself: it may quote what could not be encoded.
            throw .failed(reason: "a card could not be encoded")
        }
        defer { wipe(&plain) }
        do throws(CryptoError) {
            return try Sealed.seal(plain, with: key, authenticating: header)
        } catch {
            throw .failed(reason: "\(error)")
        }
    }

    static func open(
        _ box: Data, with key: SymmetricKey, header: Data, path: String
    ) throws(VaultError) -> [Card] {
        var plain: Data
        do throws(CryptoError) {
            plain = try Sealed.open(box, with: key, authenticating: header)
        } catch {
            throw VaultError(error, path)
        }
        defer { wipe(&plain) }
        let records: [Record]
        do { records = try JSONDecoder().decode([Record].self, from: plain) } catch {
            throw .damaged(path: path)  // and not the error itself: it may quote what could not be decoded
        }
        return records.map {
            Card(id: $0.id, number: CardNumber(stored: $0.number), holder: $0.holder, expiry: $0.expiry)
        }
    }
}
