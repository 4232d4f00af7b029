import AquiferFoundation

/// A storage account on the chain, of the current version.
public struct StorageAccountV2: AccountLayout {
    /// The name of the kind.
    public static let name = "StorageAccountV2"

    /// True if its files cannot be replaced or deleted.
    public var immutable: Bool
    /// True if its deletion was requested.
    public var toBeDeleted: Bool
    /// The epoch of the deletion request.
    public var deleteRequestEpoch: UInt32
    /// The reserved storage in bytes.
    public var storage: UInt64
    /// The owner.
    public var owner1: PublicKey
    /// The number that its address is derived from.
    public var accountCounterSeed: UInt32
    /// The time of creation in seconds since 1970.
    public var creationTime: UInt32
    /// The epoch of creation.
    public var creationEpoch: UInt32
    /// The last epoch for which fees were collected.
    public var lastFeeEpoch: UInt32
    /// The account's name.
    public var identifier: String

    /// Creates the account from its fields.
    public init(
        immutable: Bool = false, toBeDeleted: Bool = false, deleteRequestEpoch: UInt32 = 0, storage: UInt64,
        owner1: PublicKey, accountCounterSeed: UInt32, creationTime: UInt32, creationEpoch: UInt32,
        lastFeeEpoch: UInt32, identifier: String
    ) {
        self.immutable = immutable
        self.toBeDeleted = toBeDeleted
        self.deleteRequestEpoch = deleteRequestEpoch
        self.storage = storage
        self.owner1 = owner1
        self.accountCounterSeed = accountCounterSeed
        self.creationTime = creationTime
        self.creationEpoch = creationEpoch
        self.lastFeeEpoch = lastFeeEpoch
        self.identifier = identifier
    }

    /// Reads the fields.
    public init(data: Data) throws(AccountDataError) {
        self = try Self.read(data) { (reader: inout WireReader) throws(WireReader.Failure) in
            StorageAccountV2(
                immutable: try reader.flag(), toBeDeleted: try reader.flag(),
                deleteRequestEpoch: try reader.number(), storage: try reader.number(), owner1: try reader.key(),
                accountCounterSeed: try reader.number(), creationTime: try reader.number(),
                creationEpoch: try reader.number(), lastFeeEpoch: try reader.number(), identifier: try reader.text())
        }
    }

    /// The bytes, with nothing after the fields.
    public var data: Data {
        written { writer in
            writer.flag(immutable)
            writer.flag(toBeDeleted)
            writer.number(deleteRequestEpoch)
            writer.number(storage)
            writer.append(owner1.bytes)
            for number in [accountCounterSeed, creationTime, creationEpoch, lastFeeEpoch] { writer.number(number) }
            writer.text(identifier)
        }
    }
}

/// A storage account on the chain, of the first version, with two owners and a counter of files.
public struct StorageAccountV1: AccountLayout {
    /// The name of the kind.
    public static let name = "StorageAccount"

    /// True if its size is fixed.
    public var isStatic: Bool
    /// The number of files ever created.
    public var initCounter: UInt32
    /// The number of deleted files.
    public var deletedCounter: UInt32
    /// True if its files cannot be replaced or deleted.
    public var immutable: Bool
    /// True if its deletion was requested.
    public var toBeDeleted: Bool
    /// The epoch of the deletion request.
    public var deleteRequestEpoch: UInt32
    /// The reserved storage in bytes.
    public var storage: UInt64
    /// The free storage in bytes.
    public var storageAvailable: UInt64
    /// The owner.
    public var owner1: PublicKey
    /// The second owner.
    public var owner2: PublicKey
    /// The wallet that paid.
    public var payer: PublicKey
    /// The number that its address is derived from.
    public var accountCounterSeed: UInt32
    /// The amount paid for the storage, in shades.
    public var totalCost: UInt64
    /// The fees paid, in shades.
    public var totalFees: UInt64
    /// The time of creation in seconds since 1970.
    public var creationTime: UInt32
    /// The epoch of creation.
    public var creationEpoch: UInt32
    /// The last epoch for which fees were collected.
    public var lastFeeEpoch: UInt32
    /// The account's name.
    public var identifier: String

    /// Reads the fields.
    public init(data: Data) throws(AccountDataError) {
        self = try Self.read(data) { (reader: inout WireReader) throws(WireReader.Failure) in
            try StorageAccountV1(reading: &reader)
        }
    }

    private init(reading reader: inout WireReader) throws(WireReader.Failure) {
        isStatic = try reader.flag()
        initCounter = try reader.number()
        deletedCounter = try reader.number()
        immutable = try reader.flag()
        toBeDeleted = try reader.flag()
        deleteRequestEpoch = try reader.number()
        storage = try reader.number()
        storageAvailable = try reader.number()
        owner1 = try reader.key()
        owner2 = try reader.key()
        payer = try reader.key()
        accountCounterSeed = try reader.number()
        totalCost = try reader.number()
        totalFees = try reader.number()
        creationTime = try reader.number()
        creationEpoch = try reader.number()
        lastFeeEpoch = try reader.number()
        identifier = try reader.text()
    }

    /// The bytes, with nothing after the fields.
    public var data: Data {
        written { writer in
            writer.flag(isStatic)
            writer.number(initCounter)
            writer.number(deletedCounter)
            writer.flag(immutable)
            writer.flag(toBeDeleted)
            writer.number(deleteRequestEpoch)
            writer.number(storage)
            writer.number(storageAvailable)
            for key in [owner1, owner2, payer] { writer.append(key.bytes) }
            writer.number(accountCounterSeed)
            writer.number(totalCost)
            writer.number(totalFees)
            for number in [creationTime, creationEpoch, lastFeeEpoch] { writer.number(number) }
            writer.text(identifier)
        }
    }
}
