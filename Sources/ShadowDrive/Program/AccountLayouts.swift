import AquiferCrypto
import AquiferFoundation

/// The data of an account on the chain: eight bytes that identify its kind, then its fields in borsh.
public protocol AccountLayout: Sendable, Hashable {
    /// The name of the kind, from which the first eight bytes are derived.
    static var name: String { get }
    /// Reads the fields. Bytes may follow them, because an account may be larger than its fields.
    init(data: Data) throws(AccountDataError)
    /// The bytes, with nothing after the fields.
    var data: Data { get }
}

/// The reason why an account's bytes cannot be used.
public enum AccountDataError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The bytes are of another kind of account.
    case otherKind(expected: String)
    /// The bytes end too early, or a field is invalid.
    case malformed(String)

    /// A description in one line.
    public var description: String {
        switch self {
        case .otherKind(let name): "the account is no \(name)"
        case .malformed(let name): "the account is a \(name) that cannot be read"
        }
    }
}

extension AccountLayout {
    /// The first eight bytes of the SHA-256 of `account:` followed by the name.
    public static var discriminator: Data { SHA256Hash.hash(Data("account:\(name)".utf8)).prefix(8) }

    static func read<Value>(
        _ data: Data, _ fields: (inout WireReader) throws(WireReader.Failure) -> Value
    ) throws(AccountDataError) -> Value {
        guard data.prefix(8) == discriminator else { throw .otherKind(expected: name) }
        var reader = WireReader(data.dropFirst(8))
        do throws(WireReader.Failure) { return try fields(&reader) } catch { throw .malformed(name) }
    }

    func written(_ fields: (inout WireWriter) -> Void) -> Data {
        var writer = WireWriter()
        writer.append(Self.discriminator)
        fields(&writer)
        return writer.bytes
    }
}

/// The account that counts an owner's storage accounts.
public struct UserInfo: AccountLayout {
    /// The name of the kind.
    public static let name = "UserInfo"

    /// The number of storage accounts ever created, which is the number of the next one.
    public var accountCounter: UInt32
    /// The number of deleted storage accounts.
    public var deletedCounter: UInt32
    /// True if the owner agreed to the terms.
    public var agreedToTerms: Bool
    /// True if the owner is banned.
    public var isBanned: Bool

    /// Creates the account from its fields.
    public init(accountCounter: UInt32, deletedCounter: UInt32 = 0, agreedToTerms: Bool = true, isBanned: Bool = false)
    {
        self.accountCounter = accountCounter
        self.deletedCounter = deletedCounter
        self.agreedToTerms = agreedToTerms
        self.isBanned = isBanned
    }

    /// Reads the fields.
    public init(data: Data) throws(AccountDataError) {
        self = try Self.read(data) { (reader: inout WireReader) throws(WireReader.Failure) in
            UserInfo(
                accountCounter: try reader.number(), deletedCounter: try reader.number(),
                agreedToTerms: try reader.flag(), isBanned: try reader.flag())
        }
    }

    /// The bytes, with nothing after the fields.
    public var data: Data {
        written { writer in
            writer.number(accountCounter)
            writer.number(deletedCounter)
            writer.flag(agreedToTerms)
            writer.flag(isBanned)
        }
    }
}

/// The account with the time since which tokens can be claimed.
public struct UnstakeInfo: AccountLayout {
    /// The name of the kind.
    public static let name = "UnstakeInfo"

    /// The time of the unstaking in seconds since 1970.
    public var time: Int64
    /// The epoch of the unstaking.
    public var epoch: UInt64
    /// The owner of the tokens.
    public var unstaker: PublicKey

    /// Creates the account from its fields.
    public init(time: Int64, epoch: UInt64, unstaker: PublicKey) {
        self.time = time
        self.epoch = epoch
        self.unstaker = unstaker
    }

    /// Reads the fields.
    public init(data: Data) throws(AccountDataError) {
        self = try Self.read(data) { (reader: inout WireReader) throws(WireReader.Failure) in
            UnstakeInfo(time: try reader.number(), epoch: try reader.number(), unstaker: try reader.key())
        }
    }

    /// The bytes, with nothing after the fields.
    public var data: Data {
        written { writer in
            writer.number(time)
            writer.number(epoch)
            writer.append(unstaker.bytes)
        }
    }
}

/// The program's prices and limits.
public struct StorageConfig: AccountLayout {
    /// The name of the kind.
    public static let name = "StorageConfig"

    /// The price of a GiB in shades, which are billionths of a SHDW.
    public var shadesPerGib: UInt64
    /// The number of bytes that can still be reserved.
    public var storageAvailable: UInt128
    /// The token account that receives the fees.
    public var tokenAccount: PublicKey
    /// The second administrator.
    public var admin: PublicKey
    /// The key with which the server signs.
    public var uploader: PublicKey
    /// The epoch from which mutable accounts pay fees; `nil` for never.
    public var feeStartEpoch: UInt32?
    /// The price of a GiB per epoch, in shades.
    public var shadesPerGibPerEpoch: UInt64
    /// The share of the party that collects the fees, in hundredths of a percent.
    public var crankBasisPoints: UInt16
    /// The largest storage account, in bytes.
    public var maxAccountSize: UInt64
    /// The smallest storage account, in bytes.
    public var minAccountSize: UInt64

    /// The cost of a number of bytes in shades, rounded up. It is the largest `UInt64` if the cost is larger.
    public func cost(ofBytes bytes: UInt64) -> UInt64 {
        let gib: UInt128 = 1 << 30
        return UInt64(clamping: (UInt128(bytes) * UInt128(shadesPerGib) + gib - 1) / gib)
    }

    /// Creates the account from its fields.
    public init(
        shadesPerGib: UInt64, storageAvailable: UInt128, tokenAccount: PublicKey, admin: PublicKey,
        uploader: PublicKey, feeStartEpoch: UInt32? = nil, shadesPerGibPerEpoch: UInt64 = 0,
        crankBasisPoints: UInt16 = 100, maxAccountSize: UInt64 = 1 << 40, minAccountSize: UInt64 = 1024
    ) {
        self.shadesPerGib = shadesPerGib
        self.storageAvailable = storageAvailable
        self.tokenAccount = tokenAccount
        self.admin = admin
        self.uploader = uploader
        self.feeStartEpoch = feeStartEpoch
        self.shadesPerGibPerEpoch = shadesPerGibPerEpoch
        self.crankBasisPoints = crankBasisPoints
        self.maxAccountSize = maxAccountSize
        self.minAccountSize = minAccountSize
    }

    /// Reads the fields.
    public init(data: Data) throws(AccountDataError) {
        self = try Self.read(data) { (reader: inout WireReader) throws(WireReader.Failure) in
            StorageConfig(
                shadesPerGib: try reader.number(), storageAvailable: try reader.number(),
                tokenAccount: try reader.key(), admin: try reader.key(), uploader: try reader.key(),
                feeStartEpoch: try reader.optional { (reader: inout WireReader) throws(WireReader.Failure) in
                    try reader.number()
                }, shadesPerGibPerEpoch: try reader.number(), crankBasisPoints: try reader.number(),
                maxAccountSize: try reader.number(), minAccountSize: try reader.number())
        }
    }

    /// The bytes, with nothing after the fields.
    public var data: Data {
        written { writer in
            writer.number(shadesPerGib)
            writer.number(storageAvailable)
            for key in [tokenAccount, admin, uploader] { writer.append(key.bytes) }
            writer.flag(feeStartEpoch != nil)
            if let feeStartEpoch { writer.number(feeStartEpoch) }
            writer.number(shadesPerGibPerEpoch)
            writer.number(crankBasisPoints)
            writer.number(maxAccountSize)
            writer.number(minAccountSize)
        }
    }
}
