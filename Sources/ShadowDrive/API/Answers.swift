import Aquifer
import AquiferFoundation

/// The result of creating a storage account: the specification's "New Storage".
public struct NewStorage: Sendable, Hashable, Decodable {
    /// The new account; `nil` if the server did not name it.
    public let shadowBucket: PublicKey?
    /// The signature that identifies the transaction on Solana.
    public let transactionSignature: Signature

    init(shadowBucket: PublicKey?, transactionSignature: Signature) {
        self.shadowBucket = shadowBucket
        self.transactionSignature = transactionSignature
    }

    private enum CodingKeys: String, CodingKey {
        case shadowBucket = "shdw_bucket"
        case transactionSignature = "transaction_signature"
    }
}

/// A storage account, as the server describes it.
public struct StorageAccount: Sendable, Hashable, Identifiable, Codable {
    /// The version of a storage account.
    public enum Version: String, Sendable, Hashable, Codable {
        /// The first version, with up to two owners.
        case v1 = "V1"
        /// The current version.
        case v2 = "V2"
    }

    /// The account's address.
    public var address: PublicKey
    /// The account's name.
    public var identifier: String
    /// The reserved storage in bytes.
    public var reservedBytes: UInt64
    /// The used storage in bytes.
    public var currentUsage: UInt64
    /// True if its files cannot be replaced or deleted, and its storage cannot be reduced. New files are still
    /// accepted.
    public var isImmutable: Bool
    /// True if its deletion was requested.
    public var isToBeDeleted: Bool
    /// The epoch of the deletion request; 0 if there is none.
    public var deleteRequestEpoch: UInt64
    /// The owner.
    public var owner1: PublicKey
    /// The second owner, of accounts of the first version.
    public var owner2: PublicKey?
    /// The number that its address is derived from; `nil` if the server does not give it.
    public var counterSeed: UInt32?
    /// The time of creation in seconds since 1970; `nil` if the server does not give it.
    public var creationTime: UInt64?
    /// The epoch of creation; `nil` until the server gives it.
    public var creationEpoch: UInt64?
    /// The last epoch for which fees were collected; `nil` until the server gives it.
    public var lastFeeEpoch: UInt64?
    /// The account's version.
    public var version: Version

    /// The address.
    public var id: PublicKey { address }
    /// The free storage in bytes.
    public var freeBytes: UInt64 { reservedBytes - min(reservedBytes, currentUsage) }

    /// A newly created account.
    public init(
        address: PublicKey, identifier: String, reservedBytes: UInt64, owner: PublicKey, counterSeed: UInt32?,
        creationTime: UInt64
    ) {
        self.address = address
        self.identifier = identifier
        self.reservedBytes = reservedBytes
        currentUsage = 0
        isImmutable = false
        isToBeDeleted = false
        deleteRequestEpoch = 0
        owner1 = owner
        self.counterSeed = counterSeed
        self.creationTime = creationTime
        version = .v2
    }

    private enum CodingKeys: String, CodingKey {
        case address = "storage_account"
        case identifier
        case reservedBytes = "reserved_bytes"
        case currentUsage = "current_usage"
        case isImmutable = "immutable"
        case isToBeDeleted = "to_be_deleted"
        case deleteRequestEpoch = "delete_request_epoch"
        case owner1
        case owner2
        case counterSeed = "account_counter_seed"
        case creationTime = "creation_time"
        case creationEpoch = "creation_epoch"
        case lastFeeEpoch = "last_fee_epoch"
        case version
    }

    /// The names of the same fields in other clients and old documentation.
    private enum Alias: String, CodingKey {
        case owner1 = "owner_1"
        case owner2 = "owner_2"
        case counterSeed = "accountCoutnerSeed"
        case rightCounterSeed = "accountCounterSeed"
    }

    /// Decodes an account from the server's field names or their aliases.
    public init(from decoder: any Decoder) throws {
        let fields = try decoder.container(keyedBy: CodingKeys.self)
        let aliases = try decoder.container(keyedBy: Alias.self)
        address = try fields.decode(PublicKey.self, forKey: .address)
        identifier = try fields.decode(String.self, forKey: .identifier)
        reservedBytes = try fields.decode(UInt64.self, forKey: .reservedBytes)
        currentUsage = try fields.decode(UInt64.self, forKey: .currentUsage)
        isImmutable = try fields.decode(Bool.self, forKey: .isImmutable)
        isToBeDeleted = try fields.decodeIfPresent(Bool.self, forKey: .isToBeDeleted) ?? false
        deleteRequestEpoch = try fields.decodeIfPresent(UInt64.self, forKey: .deleteRequestEpoch) ?? 0
        owner1 =
            try aliases.decodeIfPresent(PublicKey.self, forKey: .owner1)
            ?? fields.decode(PublicKey.self, forKey: .owner1)
        owner2 =
            try fields.decodeIfPresent(PublicKey.self, forKey: .owner2)
            ?? aliases.decodeIfPresent(PublicKey.self, forKey: .owner2)
        counterSeed =
            try fields.decodeIfPresent(UInt32.self, forKey: .counterSeed)
            ?? aliases.decodeIfPresent(UInt32.self, forKey: .counterSeed)
            ?? aliases.decodeIfPresent(UInt32.self, forKey: .rightCounterSeed)
        creationTime = try fields.decodeIfPresent(UInt64.self, forKey: .creationTime)
        creationEpoch = try fields.decodeIfPresent(UInt64.self, forKey: .creationEpoch)
        lastFeeEpoch = try fields.decodeIfPresent(UInt64.self, forKey: .lastFeeEpoch)
        version = try fields.decode(Version.self, forKey: .version)
    }
}

/// A file of a storage account.
public struct StoredFile: Sendable, Hashable, Identifiable, Codable {
    /// The file's name.
    public var name: String
    /// The file's size in bytes.
    public var size: UInt64

    /// The UTF-8 bytes of the name, unique within an account. The composed and the decomposed form of a name are
    /// different names.
    public var id: Data { Data(name.utf8) }

    /// Creates a file.
    public init(name: String, size: UInt64) {
        self.name = name
        self.size = size
    }

    /// True if the files have the same name, byte for byte, and the same size.
    public static func == (one: StoredFile, other: StoredFile) -> Bool {
        one.name.isExactly(other.name) && one.size == other.size
    }

    /// Hashes the name's bytes and the size.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(id)
        hasher.combine(size)
    }

    private enum CodingKeys: String, CodingKey {
        case name = "file_name"
        case size
    }
}

extension String {
    /// True if two file names are equal byte for byte, as servers compare them. `==` treats the composed and the
    /// decomposed form of a letter as equal.
    package func isExactly(_ other: String) -> Bool { utf8.elementsEqual(other.utf8) }
}

/// The ownership of a file.
public struct FileOwnership: Sendable, Hashable, Decodable {
    /// The owner of the storage account.
    public let owner: PublicKey
    /// The storage account.
    public let account: PublicKey
    /// The file's own account, of accounts of the first version.
    public let file: PublicKey?

    private enum CodingKeys: String, CodingKey {
        case owner = "owner-account-pubkey"
        case account = "storage-account-pubkey"
        case file = "file-account-pubkey"
    }
}

/// The server's response to an upload.
public struct UploadAnswer: Sendable, Hashable, Decodable {
    /// A file that the server did not accept.
    public struct Failure: Sendable, Hashable, Decodable {
        /// The file's name.
        public let file: String
        /// The server's words.
        public let error: String
    }

    /// The addresses of the files; `nil` if the server does not give them.
    public let locations: [String]?
    /// The server's words.
    public let message: String?
    /// The files that the server did not accept.
    public let failures: [Failure]

    private enum CodingKeys: String, CodingKey {
        case locations = "finalized_locations"
        case message
        case failures = "upload_errors"
    }

    /// Decodes a response from the server's field names.
    public init(from decoder: any Decoder) throws {
        let fields = try decoder.container(keyedBy: CodingKeys.self)
        locations = try fields.decodeIfPresent([String].self, forKey: .locations)
        message = try fields.decodeIfPresent(String.self, forKey: .message)
        failures = try fields.decodeIfPresent([Failure].self, forKey: .failures) ?? []
        guard locations != nil || message != nil || !failures.isEmpty else {
            throw InvalidData.body("the answer to an upload says nothing")
        }
    }
}

/// The server's response to a change.
public struct ChangeAnswer: Sendable, Hashable, Decodable {
    /// The server's words.
    public let message: String
    /// The signature that identifies the transaction on Solana; `nil` if there was none.
    public let transactionSignature: Signature?

    /// A change that the chain confirms and that the server did not acknowledge.
    init(carriedOut signature: Signature) {
        message = "Carried out by Solana"
        transactionSignature = signature
    }

    private enum CodingKeys: String, CodingKey {
        case message
        case transactionSignature = "transaction_signature"
    }
}
