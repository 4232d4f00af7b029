import AquiferCrypto
import Foundation

/// Why something is not a key pair, or its file cannot be used. Says nothing of the secret.
public enum KeypairError: Error, Sendable, Hashable, CustomStringConvertible {
    /// There is no such file.
    case missing(path: String)
    /// Others than its owner may read the file; `fix` is the command that changes that.
    case tooOpen(path: String, fix: String)
    /// There is a file of that name already. It was left as it is.
    case exists(path: String)
    /// The file could not be read or written.
    case failed(reason: String)
    /// It is neither a list of numbers in brackets nor base58.
    case notAKey(reason: String)
    /// A secret key has 64 bytes, and this one another number.
    case wrongLength(found: Int)
    /// The second half is not the public key of the first: the file was changed or cut together.
    case mismatch

    /// One line: what was wrong, and what to do.
    public var description: String {
        switch self {
        case .missing(let path): "there is no key file \(path); make one with `aquifer drive keygen`"
        case .tooOpen(let path, let fix): "\(path) can be read by others; protect it with `\(fix)`"
        case .exists(let path): "\(path) is there already, and may hold a key; name another file"
        case .failed(let reason): reason
        case .notAKey(let reason): "this is no key file of Solana's: \(reason)"
        case .wrongLength(let found): "a secret key has 64 bytes, and this one \(found)"
        case .mismatch: "the two halves of the key do not belong together; the file was changed"
        }
    }
}

/// A secret key and the address that goes with it, in Solana's forms.
///
/// The secret is never described, dumped or encoded; see ``write(to:)`` for the one way to keep it.
public struct Keypair: Sendable, Hashable {
    /// How many bytes Solana's form of a secret key has: the seed, then the public key.
    public static let length = 64

    /// The address.
    public let publicKey: PublicKey
    private let key: SigningKey

    /// A new key.
    ///
    /// - Throws: ``KeypairError/failed(reason:)`` where the system gives no random bytes.
    public init() throws(KeypairError) {
        do throws(CryptoError) { try self.init(SigningKey()) } catch { throw .failed(reason: "\(error)") }
    }

    /// The key of a seed of 32 bytes. Wiping the seed is the caller's.
    ///
    /// - Throws: ``KeypairError/wrongLength(found:)`` counting both halves.
    public init(seed: Data) throws(KeypairError) {
        guard seed.count == SigningKey.seedLength else {
            throw .wrongLength(found: seed.count + PublicKey.length)
        }
        do throws(CryptoError) { try self.init(SigningKey(seed: seed)) } catch { throw .failed(reason: "\(error)") }
    }

    /// The key of Solana's 64 bytes. Wiping them is the caller's.
    ///
    /// - Throws: ``KeypairError/wrongLength(found:)``, ``KeypairError/mismatch``.
    public init(secretKey: [UInt8]) throws(KeypairError) {
        guard secretKey.count == Self.length else { throw .wrongLength(found: secretKey.count) }
        let made = secretKey.withUnsafeBytes { raw in
            Result { () throws(CryptoError) in
                try SigningKey(seed: UnsafeRawBufferPointer(rebasing: raw[..<SigningKey.seedLength]))
            }
        }
        do throws(CryptoError) { try self.init(made.get()) } catch { throw .failed(reason: "\(error)") }
        guard publicKey.bytes.elementsEqual(secretKey[SigningKey.seedLength...]) else { throw .mismatch }
    }

    /// The key of a text: `[12,34,…]` as Solana's tools write it, or base58 of the same 64 bytes.
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

    /// The signature of a message.
    public func sign(_ message: Data) -> Signature {
        guard let signature = Signature(bytes: key.sign(message)) else {
            preconditionFailure("a signature that is not 64 bytes")
        }
        return signature
    }

    /// Lends Solana's 64 bytes and wipes them afterwards.
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

    /// Whether they are of the same address.
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

/// The two texts that a secret key is kept in.
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

    /// `[1,2,3]` in JSON, without a copy of it that would stay in memory.
    private static func numbers(_ letters: ArraySlice<UInt8>) throws(KeypairError) -> [UInt8] {
        guard letters.last == UInt8(ascii: "]") else { throw .notAKey(reason: "the list does not end") }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(letters.count)  // never grown: growing would leave copies
        var number: Int?
        var hasEnded = false  // white space after the digits: no more may follow
        for letter in letters.dropFirst() {
            switch letter {
            case UInt8(ascii: "0")...UInt8(ascii: "9"):
                let value = (number ?? 0) * 10 + Int(letter - UInt8(ascii: "0"))
                guard value < 256, !hasEnded else {
                    throw .notAKey(reason: "number \(bytes.count + 1) of the list is none of 0 to 255")
                }
                number = value
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
