import Foundation

/// Why bytes are not a transaction, or a transaction is not what it should be.
public enum TransactionError: Error, Sendable, Hashable, CustomStringConvertible {
    /// It would have more bytes than Solana takes.
    case tooLarge(bytes: Int)
    /// It has more than 256 accounts, or 127 signers.
    case tooManyAccounts
    /// It is not base64.
    case notBase64
    /// It ends too early.
    case truncated
    /// A number in it is not written as numbers are, or something follows it.
    case malformed
    /// It is of a newer format than the legacy one.
    case versioned
    /// Its header does not fit its accounts, or its signatures the header.
    case wrongHeader
    /// An account stands in it twice.
    case repeatedAccount
    /// An instruction names an account that is not there, or the payer as a program.
    case wrongPlace
    /// This key has to sign, and has not.
    case missingSignature(PublicKey)
    /// The signature of this key is not one of this message.
    case invalidSignature(PublicKey)
    /// This key has nothing to sign here.
    case notASigner(PublicKey)
    /// It is a good transaction, and not what is expected here.
    case unexpected(String)

    /// One line.
    public var description: String {
        switch self {
        case .tooLarge(let bytes): "the transaction has \(bytes) bytes, and \(Transaction.limit) are the most"
        case .tooManyAccounts: "the transaction has too many accounts"
        case .notBase64: "the transaction is not base64"
        case .truncated: "the transaction ends too early"
        case .malformed: "the transaction is not written as transactions are"
        case .versioned: "the transaction is of a newer format; only the legacy one is taken"
        case .wrongHeader: "the transaction's header does not fit its accounts and signatures"
        case .repeatedAccount: "an account stands in the transaction twice"
        case .wrongPlace: "an instruction names an account that the transaction does not have"
        case .missingSignature(let key): "the signature of \(key) is missing"
        case .invalidSignature(let key): "the signature of \(key) is not one of this transaction"
        case .notASigner(let key): "\(key) has nothing to sign in this transaction"
        case .unexpected(let reason): reason
        }
    }
}

/// A message and its signatures, some of which may still be missing.
public struct Transaction: Sendable, Hashable {
    /// The most bytes of a transaction.
    public static let limit = 1232

    /// What is signed.
    public let message: Message
    /// The signatures, in the order of ``Message/signers``; `nil` where one is missing.
    public private(set) var signatures: [Signature?]

    /// A transaction that nobody has signed yet.
    public init(_ message: Message) {
        self.message = message
        signatures = Array(repeating: nil, count: message.signers.count)
    }

    /// The transaction of these instructions, that nobody has signed yet.
    ///
    /// - Throws: ``TransactionError`` as `Message` does.
    public init(payer: PublicKey, instructions: [Instruction], blockhash: Blockhash) throws(TransactionError) {
        self.init(try Message(payer: payer, instructions: instructions, blockhash: blockhash))
    }

    /// The keys that have not signed.
    public var missingSigners: [PublicKey] {
        zip(message.signers, signatures).filter { $0.1 == nil }.map(\.0)
    }

    /// What a transaction is known by: the payer's signature.
    public var signature: Signature? { signatures[0] }

    /// Signs, in place of any signature of the same key.
    ///
    /// - Throws: ``TransactionError/notASigner(_:)``.
    public mutating func sign(with keypair: Keypair) throws(TransactionError) {
        guard let place = message.signers.firstIndex(of: keypair.publicKey) else {
            throw .notASigner(keypair.publicKey)
        }
        signatures[place] = keypair.sign(message.bytes)
    }

    /// Puts in a signature that was made elsewhere.
    ///
    /// - Throws: ``TransactionError/notASigner(_:)``, ``TransactionError/invalidSignature(_:)``.
    public mutating func add(_ signature: Signature, of key: PublicKey) throws(TransactionError) {
        guard let place = message.signers.firstIndex(of: key) else { throw .notASigner(key) }
        guard signature.isValid(of: message.bytes, by: key) else { throw .invalidSignature(key) }
        signatures[place] = signature
    }

    /// Checks every signature.
    ///
    /// - Parameter missing: the keys whose signatures may be missing. One that is there must be right all the same.
    /// - Throws: ``TransactionError/missingSignature(_:)``, ``TransactionError/invalidSignature(_:)``.
    public func verify(allowingMissing missing: Set<PublicKey> = []) throws(TransactionError) {
        let bytes = message.bytes
        for (key, signature) in zip(message.signers, signatures) {
            guard let signature else {
                guard missing.contains(key) else { throw .missingSignature(key) }
                continue
            }
            guard signature.isValid(of: bytes, by: key) else { throw .invalidSignature(key) }
        }
    }

    // MARK: The wire

    /// The bytes that are sent; 64 zeros stand for a signature that is missing.
    public var bytes: Data {
        var writer = WireWriter()
        writer.count(signatures.count)
        for signature in signatures { writer.append(signature?.bytes ?? Data(count: Signature.length)) }
        writer.append(message.bytes)
        return writer.bytes
    }

    /// The bytes in base64, as the API and the RPC take them.
    public var base64: String { bytes.base64EncodedString() }

    /// Reads a transaction: all of `bytes`, and nothing that could be written in another way. Signatures are not
    /// checked: see ``verify(allowingMissing:)``.
    ///
    /// - Throws: ``TransactionError``.
    public init(bytes: Data) throws(TransactionError) {
        guard bytes.count <= Self.limit else { throw .tooLarge(bytes: bytes.count) }
        var reader = WireReader(bytes)
        let rest: Data
        do throws(WireReader.Failure) {
            var signatures: [Signature?] = []
            for _ in 0..<(try reader.compactU16()) {
                let bytes = try reader.take(Signature.length)
                signatures.append(bytes.allSatisfy { $0 == 0 } ? nil : Signature(bytes: bytes))
            }
            self.signatures = signatures
            rest = try reader.take(reader.left)
        } catch {
            throw error == .truncated ? .truncated : .malformed
        }
        message = try Message(bytes: rest)
        guard signatures.count == message.signers.count else { throw .wrongHeader }
    }

    /// Reads a transaction from base64.
    ///
    /// - Throws: ``TransactionError``.
    public init(base64: String) throws(TransactionError) {
        // Four letters for three bytes: what is longer cannot be one, and is not decoded at all.
        guard base64.utf8.count <= (Self.limit + 2) / 3 * 4 else { throw .tooLarge(bytes: base64.utf8.count / 4 * 3) }
        // Written anew it must be the same: base64 has bits that stand for nothing.
        guard let bytes = Data(base64Encoded: base64), bytes.base64EncodedString() == base64 else { throw .notBase64 }
        try self.init(bytes: bytes)
    }

    static func size(signatures: Int, message: Int) -> Int {
        CompactU16.encode(UInt16(clamping: signatures)).count + signatures * Signature.length + message
    }
}
