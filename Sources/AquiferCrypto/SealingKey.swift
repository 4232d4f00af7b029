import AquiferCSodium
import AquiferFoundation

/// A secret key of 32 bytes.
///
/// It is kept in memory that is locked where the system allows it (not swapped to a disk, not in a core dump), wiped
/// when the last reference goes, and never described.
public final class SealingKey: Sendable {
    /// The length of a key in bytes.
    public static let length = Int(crypto_aead_xchacha20poly1305_ietf_KEYBYTES)

    /// Written only before `init` returns: any thread may read it.
    private nonisolated(unsafe) let bytes: UnsafeMutableRawPointer

    /// A key of random bytes.
    ///
    /// - Throws: ``CryptoError/notReady``.
    public init() throws(CryptoError) {
        bytes = try Self.allocate()
        randombytes_buf(bytes, Self.length)
        sodium_mprotect_readonly(bytes)
    }

    /// A key that was kept elsewhere. Wiping that copy is the caller's: `wipe(_:)`.
    ///
    /// - Throws: ``CryptoError/wrongKeyLength(expected:)``, ``CryptoError/notReady``.
    public init(bytes source: UnsafeRawBufferPointer) throws(CryptoError) { bytes = try Self.copy(of: source) }

    /// A key that was kept elsewhere. Wiping that copy is the caller's: `wipe(_:)`.
    ///
    /// - Throws: ``CryptoError/wrongKeyLength(expected:)``, ``CryptoError/notReady``.
    public init(bytes source: Data) throws(CryptoError) {
        let made = source.withUnsafeBytes { raw in Result { () throws(CryptoError) in try Self.copy(of: raw) } }
        bytes = try made.get()
    }

    deinit {
        sodium_free(bytes)  // which wipes it first
    }

    /// Lends the bytes, to keep the key elsewhere. They must not outlive the call.
    public func withUnsafeBytes<Value>(_ body: (UnsafeRawBufferPointer) throws -> Value) rethrows -> Value {
        try body(UnsafeRawBufferPointer(start: bytes, count: Self.length))
    }

    /// 16 bytes that tell this key from others and say nothing of it (BLAKE2b, keyed with it).
    public var fingerprint: Data {
        let title = Array("Aquifer key fingerprint".utf8)
        var hash = [UInt8](repeating: 0, count: Int(crypto_generichash_BYTES_MIN))
        let key = bytes.assumingMemoryBound(to: UInt8.self)
        // It fails only for lengths that these are not.
        crypto_generichash(&hash, hash.count, title, UInt64(title.count), key, Self.length)
        return Data(hash)
    }

    /// A code that only the holders of this key can make of a message: 32 bytes (BLAKE2b, keyed). It vouches for the
    /// message: compare it with ``isCode(_:of:)``.
    public func code(of message: Data) -> Data {
        var hash = [UInt8](repeating: 0, count: Int(crypto_generichash_BYTES))
        let key = bytes.assumingMemoryBound(to: UInt8.self)
        message.withUnsafeBytes { raw in
            // It fails only for lengths that these are not.
            _ = crypto_generichash(
                &hash, hash.count, raw.bindMemory(to: UInt8.self).baseAddress, UInt64(raw.count), key, Self.length)
        }
        return Data(hash)
    }

    /// True if this is the ``code(of:)`` of a message. The time it takes does not tell how much of it was right.
    public func isCode(_ code: Data, of message: Data) -> Bool {
        let right = self.code(of: message)
        guard code.count == right.count else { return false }
        return sodium_memcmp([UInt8](code), [UInt8](right), right.count) == 0
    }

    private static func copy(of source: UnsafeRawBufferPointer) throws(CryptoError) -> UnsafeMutableRawPointer {
        guard source.count == length, let base = source.baseAddress else { throw .wrongKeyLength(expected: length) }
        let bytes = try allocate()
        bytes.copyMemory(from: base, byteCount: length)
        sodium_mprotect_readonly(bytes)
        return bytes
    }

    private static func allocate() throws(CryptoError) -> UnsafeMutableRawPointer {
        guard Sodium.isReady, let bytes = sodium_malloc(length) else { throw .notReady }
        return bytes
    }
}

extension SealingKey: Equatable {
    /// True if they are the same. The time that it takes does not depend on the place of a difference.
    public static func == (one: SealingKey, other: SealingKey) -> Bool {
        sodium_memcmp(one.bytes, other.bytes, length) == 0
    }
}

extension SealingKey: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// Says what it is and nothing of its bytes.
    public var description: String { "SealingKey" }
    /// Says what it is and nothing of its bytes.
    public var debugDescription: String { "SealingKey" }
    /// Nothing.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
