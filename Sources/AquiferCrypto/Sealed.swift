import AquiferFoundation
import CSodium

/// Seals bytes so that only a holder of the key can read them, and any change of them is found.
///
/// XChaCha20-Poly1305 (draft-irtf-cfrg-xchacha). A sealed box is a random nonce of 24 bytes, the sealed bytes, and a
/// tag of 16. Nonces of that length can be drawn at random for as many boxes as one likes.
public enum Sealed {
    /// By how many bytes a box is longer than what is in it.
    public static let overhead = nonceLength + tagLength

    static let nonceLength = Int(crypto_aead_xchacha20poly1305_ietf_NPUBBYTES)
    static let tagLength = Int(crypto_aead_xchacha20poly1305_ietf_ABYTES)

    /// Seals `plain`. The header is not in the box, and the box opens only beside the very same header.
    ///
    /// - Throws: ``CryptoError/notReady``.
    public static func seal(
        _ plain: Data, with key: SealingKey, authenticating header: Data = Data()
    ) throws(CryptoError) -> Data {
        try seal(plain, with: key, authenticating: header, nonce: try SecureRandom.bytes(nonceLength))
    }

    /// Opens a box.
    ///
    /// - Throws: ``CryptoError/notAuthentic`` if anything of box or header is not as it was, or the key is another.
    public static func open(
        _ box: Data, with key: SealingKey, authenticating header: Data = Data()
    ) throws(CryptoError) -> Data {
        guard box.count >= overhead else { throw .notAuthentic }
        var plain = Data(count: box.count - overhead)
        var isAuthentic = false
        let room = plain.count
        plain.withUnsafeMutableBytes { (plain: UnsafeMutableRawBufferPointer) in
            box.withUnsafeBytes { (box: UnsafeRawBufferPointer) in
                header.withUnsafeBytes { (header: UnsafeRawBufferPointer) in
                    key.withUnsafeBytes { key in
                        guard let from = box.bytes, let secret = key.bytes else { return }
                        // libsodium wants a place to write to even where there is nothing to write.
                        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 1) { spare in
                            let to = room > 0 ? plain.mutableBytes : spare.baseAddress
                            isAuthentic =
                                crypto_aead_xchacha20poly1305_ietf_decrypt(
                                    to, nil, nil, from + nonceLength, UInt64(box.count - nonceLength), header.bytes,
                                    UInt64(header.count), from, secret) == 0
                        }
                    }
                }
            }
        }
        guard isAuthentic else { throw .notAuthentic }
        return plain
    }

    /// Seals with a nonce of the caller's. Sealing twice with the same one gives both away: only for test vectors.
    static func seal(
        _ plain: Data, with key: SealingKey, authenticating header: Data, nonce: Data
    ) throws(CryptoError) -> Data {
        precondition(nonce.count == nonceLength)
        var box = nonce + Data(count: plain.count + tagLength)
        var isSealed = false
        box.withUnsafeMutableBytes { (box: UnsafeMutableRawBufferPointer) in
            plain.withUnsafeBytes { (plain: UnsafeRawBufferPointer) in
                header.withUnsafeBytes { (header: UnsafeRawBufferPointer) in
                    key.withUnsafeBytes { key in
                        guard let to = box.mutableBytes, let secret = key.bytes else { return }
                        isSealed =
                            crypto_aead_xchacha20poly1305_ietf_encrypt(
                                to + nonceLength, nil, plain.bytes, UInt64(plain.count), header.bytes,
                                UInt64(header.count), nil, to, secret) == 0
                    }
                }
            }
        }
        guard isSealed else { throw .notReady }
        return box
    }
}

/// Random bytes that no one can guess, from the operating system.
public enum SecureRandom {
    /// So many of them.
    ///
    /// - Throws: ``CryptoError/notReady``.
    public static func bytes(_ count: Int) throws(CryptoError) -> Data {
        guard Sodium.isReady else { throw .notReady }
        var bytes = Data(count: count)
        bytes.withUnsafeMutableBytes { raw in
            if let base = raw.baseAddress { randombytes_buf(base, raw.count) }
        }
        return bytes
    }
}

/// Overwrites a secret with zeros, in a way that no compiler leaves out.
///
/// Only if no one else shares these bytes: copies of a `Data` share them until one is changed.
public func wipe(_ secret: inout Data) {
    secret.withUnsafeMutableBytes { raw in
        if let base = raw.baseAddress { sodium_memzero(base, raw.count) }
    }
    secret = Data()
}

/// Overwrites a secret with zeros, in a way that no compiler leaves out.
///
/// Only if no one else shares these bytes: copies of an array share them until one is changed.
public func wipe(_ secret: inout [UInt8]) {
    secret.withUnsafeMutableBytes { raw in
        if let base = raw.baseAddress { sodium_memzero(base, raw.count) }
    }
    secret = []
}

extension UnsafeRawBufferPointer {
    fileprivate var bytes: UnsafePointer<UInt8>? { baseAddress?.assumingMemoryBound(to: UInt8.self) }
}

extension UnsafeMutableRawBufferPointer {
    fileprivate var mutableBytes: UnsafeMutablePointer<UInt8>? { baseAddress?.assumingMemoryBound(to: UInt8.self) }
}
