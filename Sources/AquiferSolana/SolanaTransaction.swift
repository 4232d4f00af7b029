import AquiferFoundation

/// The reason why bytes are not a transaction, or why a transaction is not valid.
public enum TransactionError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The transaction has more bytes than Solana accepts.
    case tooLarge(bytes: Int)
    /// The transaction has more than 256 accounts or more than 127 signers.
    case tooManyAccounts
    /// The text is not base64.
    case notBase64
    /// The transaction ends too early.
    case truncated
    /// A number in the transaction is not in its valid encoding, or bytes follow the transaction.
    case malformed
    /// The transaction is in a newer format than the legacy one.
    case versioned
    /// The header does not match the accounts, or the signatures do not match the header.
    case wrongHeader
    /// An account occurs twice.
    case repeatedAccount
    /// An instruction refers to a missing account, or to the payer as a program.
    case wrongPlace
    /// The signature of this key is missing.
    case missingSignature(PublicKey)
    /// The signature of this key is not valid for this message.
    case invalidSignature(PublicKey)
    /// This key is not a signer of the transaction.
    case notASigner(PublicKey)
    /// The transaction is valid, but it is not the expected one.
    case unexpected(String)

    /// A description in one line.
    public var description: String {
        switch self {
        case .tooLarge(let bytes): "the transaction has \(bytes) bytes, and \(SolanaTransaction.limit) are the most"
        case .tooManyAccounts: "the transaction has too many accounts"
        case .notBase64: "the transaction is not base64"
        case .truncated: "the transaction ends too early"
        case .malformed: "the transaction is malformed"
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

/// A message and its signatures. Some signatures may still be missing.
public struct SolanaTransaction: Sendable, Hashable {
    /// The maximum size of a transaction in bytes.
    public static let limit = 1232

    /// The message that is signed.
    public let message: Message
    /// The signatures, in the order of ``Message/signers``; `nil` where one is missing.
    public private(set) var signatures: [Signature?]

    /// Creates an unsigned transaction from a message.
    public init(_ message: Message) {
        self.message = message
        signatures = Array(repeating: nil, count: message.signers.count)
    }

    /// Creates an unsigned transaction from instructions.
    ///
    /// - Throws: ``TransactionError`` as ``Message/init(payer:instructions:blockhash:)`` does.
    public init(payer: PublicKey, instructions: [Instruction], blockhash: Blockhash) throws(TransactionError) {
        self.init(try Message(payer: payer, instructions: instructions, blockhash: blockhash))
    }

    /// The keys that have not signed.
    public var missingSigners: [PublicKey] {
        zip(message.signers, signatures).filter { $0.1 == nil }.map(\.0)
    }

    /// The payer's signature, which identifies the transaction; `nil` if the payer has not signed.
    public var signature: Signature? { signatures[0] }

    /// Signs the transaction, and replaces an existing signature of the same key.
    ///
    /// - Throws: ``TransactionError/notASigner(_:)``.
    public mutating func sign(with keypair: Keypair) throws(TransactionError) {
        guard let place = message.signers.firstIndex(of: keypair.publicKey) else {
            throw .notASigner(keypair.publicKey)
        }
        signatures[place] = keypair.sign(message.bytes)
    }

    /// Adds a signature that was made elsewhere.
    ///
    /// - Throws: ``TransactionError/notASigner(_:)``, ``TransactionError/invalidSignature(_:)``.
    public mutating func add(_ signature: Signature, of key: PublicKey) throws(TransactionError) {
        guard let place = message.signers.firstIndex(of: key) else { throw .notASigner(key) }
        guard signature.isValid(of: message.bytes, by: key) else { throw .invalidSignature(key) }
        signatures[place] = signature
    }

    /// Checks every signature.
    ///
    /// - Parameter missing: the keys whose signatures may be missing. A signature that is present must still be valid.
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

    /// The bytes of the transaction. A missing signature is written as 64 zeros.
    public var bytes: Data {
        var writer = WireWriter()
        writer.count(signatures.count)
        for signature in signatures { writer.append(signature?.bytes ?? Data(count: Signature.length)) }
        writer.append(message.bytes)
        return writer.bytes
    }

    /// The bytes in base64, as the API and the RPC expect them.
    public var base64: String { bytes.base64EncodedString() }

    /// Reads a transaction, which must be all of `bytes` and in its only valid encoding. Signatures are not checked:
    /// see ``verify(allowingMissing:)``.
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
        // Base64 has four characters for three bytes. A longer text cannot be a transaction and is not decoded.
        guard base64.utf8.count <= (Self.limit + 2) / 3 * 4 else { throw .tooLarge(bytes: base64.utf8.count / 4 * 3) }
        // The text must equal the re-encoded bytes, because base64 can have unused bits.
        guard let bytes = Data(base64Encoded: base64), bytes.base64EncodedString() == base64 else { throw .notBase64 }
        try self.init(bytes: bytes)
    }

    static func size(signatures: Int, message: Int) -> Int {
        CompactU16.encode(UInt16(clamping: signatures)).count + signatures * Signature.length + message
    }
}
