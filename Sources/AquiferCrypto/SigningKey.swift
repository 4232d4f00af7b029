import AquiferCSodium
import AquiferFoundation

/// A secret key that signs (ed25519, RFC 8032), and the public key that goes with it.
///
/// It is kept in memory that is locked where the system allows it, wiped when the last reference goes, and never
/// described.
public final class SigningKey: Sendable {
    /// The length in bytes of a seed, from which everything else follows.
    public static let seedLength = Int(crypto_sign_SEEDBYTES)

    /// The seed and the public key. Written only before `init` returns: any thread may read it.
    private nonisolated(unsafe) let secret: UnsafeMutablePointer<UInt8>
    /// The public key: 32 bytes.
    public let publicKey: Data

    private static let secretLength = Int(crypto_sign_SECRETKEYBYTES)

    /// A key of a random seed.
    ///
    /// - Throws: ``CryptoError/notReady``.
    public convenience init() throws(CryptoError) {
        var seed = try SecureRandom.bytes(Self.seedLength)
        defer { wipe(&seed) }
        try self.init(seed: seed)
    }

    /// The key of a seed that was kept elsewhere. Wiping that copy is the caller's: `wipe(_:)`.
    ///
    /// - Throws: ``CryptoError/wrongKeyLength(expected:)``, ``CryptoError/notReady``.
    public convenience init(seed: Data) throws(CryptoError) {
        let made = seed.withUnsafeBytes { raw in Result { () throws(CryptoError) in try Secret(seed: raw) } }
        self.init(try made.get())
    }

    /// The key of a seed that was kept elsewhere. Wiping that copy is the caller's.
    ///
    /// - Throws: ``CryptoError/wrongKeyLength(expected:)``, ``CryptoError/notReady``.
    public convenience init(seed: UnsafeRawBufferPointer) throws(CryptoError) {
        self.init(try Secret(seed: seed))
    }

    private init(_ made: Secret) {
        secret = made.bytes
        publicKey = made.publicKey
    }

    deinit {
        sodium_free(secret)  // which wipes it first
    }

    /// The signature of a message: 64 bytes, always the same for the same message.
    public func sign(_ message: Data) -> Data {
        var signature = Data(count: Ed25519.signatureLength)
        signature.withUnsafeMutableBytes { (signature: UnsafeMutableRawBufferPointer) in
            message.withUnsafeBytes { (message: UnsafeRawBufferPointer) in
                guard let to = signature.baseAddress?.assumingMemoryBound(to: UInt8.self) else { return }
                // It cannot fail: every seed is a key, and every message can be signed.
                crypto_sign_detached(
                    to, nil, message.baseAddress?.assumingMemoryBound(to: UInt8.self), UInt64(message.count), secret)
            }
        }
        return signature
    }

    /// Lends the seed, to keep the key elsewhere. The bytes must not outlive the call.
    public func withUnsafeSeed<Value>(_ body: (UnsafeRawBufferPointer) throws -> Value) rethrows -> Value {
        try body(UnsafeRawBufferPointer(start: secret, count: Self.seedLength))
    }

    /// Both halves, in memory that is locked and read-only.
    private struct Secret {
        let bytes: UnsafeMutablePointer<UInt8>
        let publicKey: Data

        init(seed: UnsafeRawBufferPointer) throws(CryptoError) {
            guard seed.count == SigningKey.seedLength, let seed = seed.baseAddress else {
                throw .wrongKeyLength(expected: SigningKey.seedLength)
            }
            guard Sodium.isReady, let room = sodium_malloc(SigningKey.secretLength) else { throw .notReady }
            bytes = room.assumingMemoryBound(to: UInt8.self)
            var open = [UInt8](repeating: 0, count: Ed25519.publicKeyLength)
            // It cannot fail: every 32 bytes are a seed.
            crypto_sign_seed_keypair(&open, bytes, seed.assumingMemoryBound(to: UInt8.self))
            sodium_mprotect_readonly(room)
            publicKey = Data(open)
        }
    }
}

extension SigningKey: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// Says what it is and nothing of its bytes.
    public var description: String { "SigningKey" }
    /// Says what it is and nothing of its bytes.
    public var debugDescription: String { "SigningKey" }
    /// Nothing.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
