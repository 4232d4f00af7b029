import CSodium
import Foundation

/// A secret key of 32 bytes.
///
/// It is kept in memory that is locked where the system allows it (not swapped to a disk, not in a core dump), wiped
/// when the last reference goes, and never described.
public final class SymmetricKey: Sendable {
    /// How many bytes a key has.
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

    /// A key that was kept elsewhere. Wiping that copy is the caller's: ``wipe(_:)``.
    ///
    /// - Throws: ``CryptoError/wrongKeyLength(expected:)``, ``CryptoError/notReady``.
    public init(bytes source: UnsafeRawBufferPointer) throws(CryptoError) {
        guard source.count == Self.length, let base = source.baseAddress else {
            throw .wrongKeyLength(expected: Self.length)
        }
        bytes = try Self.allocate()
        bytes.copyMemory(from: base, byteCount: Self.length)
        sodium_mprotect_readonly(bytes)
    }

    /// A key that was kept elsewhere. Wiping that copy is the caller's: ``wipe(_:)``.
    ///
    /// - Throws: ``CryptoError/wrongKeyLength(expected:)``, ``CryptoError/notReady``.
    public convenience init(bytes source: Data) throws(CryptoError) {
        let made = source.withUnsafeBytes { raw in Result { () throws(CryptoError) in try SymmetricKey(bytes: raw) } }
        let key = try made.get()
        try self.init(bytes: UnsafeRawBufferPointer(start: key.bytes, count: Self.length))
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

    private static func allocate() throws(CryptoError) -> UnsafeMutableRawPointer {
        guard Sodium.isReady, let bytes = sodium_malloc(length) else { throw .notReady }
        return bytes
    }
}

extension SymmetricKey: Equatable {
    /// Whether they are the same, in a time that does not depend on where they differ.
    public static func == (one: SymmetricKey, other: SymmetricKey) -> Bool {
        sodium_memcmp(one.bytes, other.bytes, length) == 0
    }
}

extension SymmetricKey: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// Says what it is and nothing of its bytes.
    public var description: String { "SymmetricKey" }
    /// Says what it is and nothing of its bytes.
    public var debugDescription: String { "SymmetricKey" }
    /// Nothing.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
