import AquiferFoundation
import CSodium

/// A SHA-256 hash (FIPS 180-4), at once or piece by piece.
///
/// ```swift
/// var hash = SHA256Hash()
/// while let piece = next() { hash.update(piece) }
/// let digest = hash.finish()
/// ```
public struct SHA256Hash: Sendable {
    /// The length of a hash in bytes.
    public static let length = Int(crypto_hash_sha256_BYTES)

    private var state = crypto_hash_sha256_state()

    /// The beginning of a hash.
    public init() {
        crypto_hash_sha256_init(&state)
    }

    /// Takes in the next bytes.
    public mutating func update(_ bytes: Data) {
        bytes.withUnsafeBytes { update($0) }
    }

    /// Takes in the next bytes.
    public mutating func update(_ bytes: UnsafeRawBufferPointer) {
        guard let base = bytes.baseAddress else { return }
        crypto_hash_sha256_update(&state, base.assumingMemoryBound(to: UInt8.self), UInt64(bytes.count))
    }

    /// The hash of all that was taken in: 32 bytes. More can be taken in afterwards.
    public func finish() -> Data {
        var copy = state
        var digest = [UInt8](repeating: 0, count: Self.length)
        crypto_hash_sha256_final(&copy, &digest)
        return Data(digest)
    }

    /// The hash of these bytes: 32 bytes.
    public static func hash(_ bytes: Data) -> Data {
        var hash = SHA256Hash()
        hash.update(bytes)
        return hash.finish()
    }
}
