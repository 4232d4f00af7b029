import AquiferCrypto
import AquiferFoundation

/// The reason why a text is not a key pair, or why its file cannot be used. It contains nothing of the secret.
public enum KeypairError: Error, Sendable, Hashable, CustomStringConvertible {
    /// There is no such file.
    case missing(path: String)
    /// The group or others have permissions on the file; `fix` is the command that removes them.
    case tooOpen(path: String, fix: String)
    /// A file of that name already exists. It is unchanged.
    case exists(path: String)
    /// The file exists and is empty.
    case empty(path: String)
    /// The file could not be read or written.
    case failed(reason: String)
    /// The text is neither a list of numbers in brackets nor base58.
    case notAKey(reason: String)
    /// The secret key does not have 64 bytes.
    case wrongLength(found: Int)
    /// The second half is not the public key of the first half. The file was modified or combined from two keys.
    case mismatch

    /// A description in one line: the problem and, if there is one, the remedy.
    public var description: String {
        switch self {
        case .missing(let path): "there is no key file \(path); make one, or name another"
        case .tooOpen(let path, let fix): "\(path) can be read by others; protect it with `\(fix)`"
        case .exists(let path): "\(path) is there already, and may hold a key; name another file"
        case .empty(let path):
            "the key file \(path) is empty: whoever wrote it was stopped, and it holds no key; remove it with"
                + " `rm \(path.quotedForShell)`"
        case .failed(let reason): reason
        case .notAKey(let reason): "this is no key file of Solana's: \(reason)"
        case .wrongLength(let found): "a secret key has 64 bytes, and this one \(found)"
        case .mismatch: "the two halves of the key do not belong together; the file was changed"
        }
    }
}

/// A secret key and its address, in Solana's forms.
///
/// The secret is never described, dumped or encoded. `write(to:)` is the only way to store it.
public struct Keypair: Sendable, Hashable {
    /// The length of Solana's form of a secret key in bytes: the seed, then the public key.
    public static let length = 64

    /// The address.
    public let publicKey: PublicKey
    private let key: SigningKey

    /// Generates a new key pair.
    ///
    /// - Throws: ``KeypairError/failed(reason:)`` if the system gives no random bytes.
    public init() throws(KeypairError) {
        do throws(CryptoError) { try self.init(SigningKey()) } catch { throw .failed(reason: "\(error)") }
    }

    /// Creates a key pair from a seed of 32 bytes. The caller must wipe the seed.
    ///
    /// - Throws: ``KeypairError/wrongLength(found:)``; its length counts both halves.
    public init(seed: Data) throws(KeypairError) {
        guard seed.count == SigningKey.seedLength else {
            throw .wrongLength(found: seed.count + PublicKey.length)
        }
        do throws(CryptoError) { try self.init(SigningKey(seed: seed)) } catch { throw .failed(reason: "\(error)") }
    }

    /// Creates a key pair from Solana's 64 bytes. The caller must wipe them.
    ///
    /// - Throws: ``KeypairError/wrongLength(found:)``, ``KeypairError/mismatch``.
    public init(secretKey: [UInt8]) throws(KeypairError) {
        guard secretKey.count == Self.length else { throw .wrongLength(found: secretKey.count) }
        do throws(CryptoError) {
            self.init(
                try secretKey.withBytes { raw throws(CryptoError) in
                    try SigningKey(seed: UnsafeRawBufferPointer(rebasing: raw[..<SigningKey.seedLength]))
                })
        } catch { throw .failed(reason: "\(error)") }
        guard publicKey.bytes.elementsEqual(secretKey[SigningKey.seedLength...]) else { throw .mismatch }
    }

    /// Creates a key pair from a text: `[12,34,…]` as Solana's tools write it, or base58 of the same 64 bytes.
    ///
    /// - Throws: ``KeypairError``.
    public init(text: Data) throws(KeypairError) {
        var bytes = try KeypairText.bytes(of: text)
        defer { wipe(&bytes) }
        try self.init(secretKey: bytes)
    }

    private init(_ key: SigningKey) {
        self.key = key
        guard let publicKey = PublicKey(bytes: key.publicKey) else {
            preconditionFailure("a public key that is not 32 bytes")
        }
        self.publicKey = publicKey
    }

    /// Signs a message.
    public func sign(_ message: Data) -> Signature {
        guard let signature = Signature(bytes: key.sign(message)) else {
            preconditionFailure("a signature that is not 64 bytes")
        }
        return signature
    }

    /// Passes Solana's 64 bytes to a closure and wipes them afterwards.
    func withSecretKey<Value, Failure: Error>(
        _ body: ([UInt8]) throws(Failure) -> Value
    ) throws(Failure) -> Value {
        var bytes = key.withUnsafeSeed { seed in
            var bytes: [UInt8] = []
            bytes.reserveCapacity(Self.length)
            bytes.append(contentsOf: seed)
            return bytes
        }
        defer { wipe(&bytes) }
        bytes.append(contentsOf: publicKey.bytes)
        return try body(bytes)
    }

    /// True if both key pairs have the same address.
    public static func == (one: Keypair, other: Keypair) -> Bool { one.publicKey == other.publicKey }

    /// Hashes the address.
    public func hash(into hasher: inout Hasher) { hasher.combine(publicKey) }
}

extension Keypair: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// Names the address, and says nothing of the secret.
    public var description: String { "Keypair of \(publicKey)" }
    /// Names the address, and says nothing of the secret.
    public var debugDescription: String { description }
    /// The address.
    public var customMirror: Mirror { Mirror(self, children: ["publicKey": "\(publicKey)"]) }
}

/// The two text forms of a secret key.
enum KeypairText {
    static func bytes(of text: Data) throws(KeypairError) -> [UInt8] {
        var letters = [UInt8](text)
        defer { wipe(&letters) }
        while let last = letters.last, isSpace(last) { letters.removeLast() }
        let first = letters.firstIndex { !isSpace($0) } ?? letters.endIndex
        guard first < letters.endIndex else { throw .notAKey(reason: "it is empty") }
        if letters[first] == UInt8(ascii: "[") { return try numbers(letters[first...]) }
        var trimmed = [UInt8](letters[first...])
        defer { wipe(&trimmed) }
        do throws(Base58Error) { return try Base58.decode(letters: trimmed) } catch {
            throw .notAKey(reason: "\(error)")
        }
    }

    /// Parses `[1,2,3]` in JSON, without a copy that stays in memory.
    private static func numbers(_ letters: ArraySlice<UInt8>) throws(KeypairError) -> [UInt8] {
        guard letters.last == UInt8(ascii: "]") else { throw .notAKey(reason: "the list does not end") }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(letters.count)  // never grown: growing would leave copies
        var number: Int?
        var hasEnded = false  // white space after the digits: no more may follow
        for (place, letter) in zip(letters.indices, letters).dropFirst() {
            switch letter {
            case UInt8(ascii: "0")...UInt8(ascii: "9"):
                guard number != 0 || hasEnded else {
                    throw .notAKey(reason: "number \(bytes.count + 1) of the list begins with a zero")
                }
                let value = (number ?? 0) * 10 + Int(letter - UInt8(ascii: "0"))
                guard value < 256, !hasEnded else {
                    throw .notAKey(reason: "number \(bytes.count + 1) of the list is none of 0 to 255")
                }
                number = value
            case UInt8(ascii: "]") where place != letters.endIndex - 1:
                throw .notAKey(reason: "something follows the list")
            case UInt8(ascii: ","), UInt8(ascii: "]"):
                if number == nil, letter == UInt8(ascii: "]"), bytes.isEmpty { break }
                guard let value = number else {
                    throw .notAKey(reason: "number \(bytes.count + 1) of the list is missing")
                }
                bytes.append(UInt8(value))
                number = nil
                hasEnded = false
            case _ where isSpace(letter):
                hasEnded = number != nil
            default:
                throw .notAKey(reason: "the list holds something else than numbers")
            }
        }
        return bytes
    }

    private static func isSpace(_ letter: UInt8) -> Bool { [0x20, 0x09, 0x0A, 0x0D].contains(letter) }
}
