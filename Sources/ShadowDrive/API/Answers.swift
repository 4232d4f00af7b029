import Aquifer
import Foundation

/// What comes of creating a storage account: the specification's "New Storage".
public struct NewStorage: Sendable, Hashable, Decodable {
    /// The new account; `nil` if the server did not name it.
    public let shadowBucket: PublicKey?
    /// What Solana knows the transaction by.
    public let transactionSignature: Signature

    private enum CodingKeys: String, CodingKey {
        case shadowBucket = "shdw_bucket"
        case transactionSignature = "transaction_signature"
    }
}

/// A storage account, as the server describes it.
public struct StorageAccount: Sendable, Hashable, Identifiable, Codable {
    /// The version of an account.
    public enum Version: String, Sendable, Hashable, Codable {
        /// The first: two owners.
        case v1 = "V1"
        /// Today's.
        case v2 = "V2"
    }

    /// Its address.
    public var address: PublicKey
    /// Its name.
    public var identifier: String
    /// How many bytes are reserved.
    public var reservedBytes: UInt64
    /// How many of them are taken.
    public var currentUsage: UInt64
    /// Whether nothing in it can be changed or deleted any more.
    public var isImmutable: Bool
    /// Whether its deletion was asked for.
    public var isToBeDeleted: Bool
    /// In which epoch; 0 if it was not.
    public var deleteRequestEpoch: UInt64
    /// The owner.
    public var owner1: PublicKey
    /// The second owner, of accounts of the first version.
    public var owner2: PublicKey?
    /// The number that its address was derived from; `nil` if the server does not say.
    public var counterSeed: UInt32?
    /// When it was made, in seconds since 1970; `nil` if the server does not say.
    public var creationTime: UInt64?
    /// In which epoch; `nil` as long as the server has not said.
    public var creationEpoch: UInt64?
    /// The last epoch that fees were taken in; `nil` as long as the server has not said.
    public var lastFeeEpoch: UInt64?
    /// Its version.
    public var version: Version

    /// The address.
    public var id: PublicKey { address }
    /// How many bytes are free.
    public var freeBytes: UInt64 { reservedBytes - min(reservedBytes, currentUsage) }

    /// An account as it is when it was just made.
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

    /// What other clients and old pages call the same fields.
    private enum Alias: String, CodingKey {
        case owner1 = "owner_1"
        case owner2 = "owner_2"
        case counterSeed = "accountCoutnerSeed"
        case rightCounterSeed = "accountCounterSeed"
    }

    /// From the server's names, or their aliases.
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
    /// Its name.
    public var name: String
    /// Its size in bytes.
    public var size: UInt64

    /// The name: no two files of an account have the same.
    public var id: String { name }

    /// A file.
    public init(name: String, size: UInt64) {
        self.name = name
        self.size = size
    }

    private enum CodingKeys: String, CodingKey {
        case name = "file_name"
        case size
    }
}

/// Whose a file is.
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

/// What the server says of an upload.
public struct UploadAnswer: Sendable, Hashable, Decodable {
    /// A file that it did not take.
    public struct Failure: Sendable, Hashable, Decodable {
        /// The file's name.
        public let file: String
        /// The server's words.
        public let error: String
    }

    /// Where the files lie; `nil` if it does not say.
    public let locations: [String]?
    /// The server's words.
    public let message: String?
    /// The files that it did not take.
    public let failures: [Failure]

    private enum CodingKeys: String, CodingKey {
        case locations = "finalized_locations"
        case message
        case failures = "upload_errors"
    }

    /// From the server's names.
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

/// What the server says of a change.
public struct ChangeAnswer: Sendable, Hashable, Decodable {
    /// The server's words.
    public let message: String
    /// What Solana knows the transaction by, if there was one.
    public let transactionSignature: Signature?

    private enum CodingKeys: String, CodingKey {
        case message
        case transactionSignature = "transaction_signature"
    }
}
