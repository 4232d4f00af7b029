import AquiferFoundation
import CSodium

/// Signatures over the curve edwards25519 (RFC 8032): checking them, and telling points from other bytes.
public enum Ed25519 {
    /// The length of a public key in bytes.
    public static let publicKeyLength = Int(crypto_sign_PUBLICKEYBYTES)
    /// The length of a signature in bytes.
    public static let signatureLength = Int(crypto_sign_BYTES)

    /// True if `signature` is one of `message` made with the secret of `publicKey`. Anything of another length is not,
    /// nor is one with a key of small order or a number that is not reduced: no signature has a second form.
    public static func isValid(_ signature: Data, of message: Data, by publicKey: Data) -> Bool {
        guard Sodium.isReady, signature.count == signatureLength, publicKey.count == publicKeyLength else {
            return false
        }
        return signature.withUnsafeBytes { (signature: UnsafeRawBufferPointer) in
            message.withUnsafeBytes { (message: UnsafeRawBufferPointer) in
                publicKey.withUnsafeBytes { (key: UnsafeRawBufferPointer) in
                    guard let signature = signature.baseAddress, let key = key.baseAddress else { return false }
                    return crypto_sign_verify_detached(
                        signature.assumingMemoryBound(to: UInt8.self),
                        message.baseAddress?.assumingMemoryBound(to: UInt8.self), UInt64(message.count),
                        key.assumingMemoryBound(to: UInt8.self)) == 0
                }
            }
        }
    }

    /// True if these 32 bytes are a point of the curve, of whatever order.
    ///
    /// Not `crypto_core_ed25519_is_valid_point`, which asks for the main subgroup too. Adding asks only that both decode.
    public static func isPoint(_ bytes: Data) -> Bool {
        guard Sodium.isReady, bytes.count == publicKeyLength else { return false }
        var sum = [UInt8](repeating: 0, count: publicKeyLength)
        return bytes.withUnsafeBytes { (raw: UnsafeRawBufferPointer) in
            guard let point = raw.baseAddress?.assumingMemoryBound(to: UInt8.self) else { return false }
            return crypto_core_ed25519_add(&sum, point, point) == 0
        }
    }
}
