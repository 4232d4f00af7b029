import AquiferFoundation

/// An instruction of the program for a storage account.
public enum StorageInstruction: Sendable, Hashable {
    /// `initialize_account2`: creates the account. It is sent through `/storage-account`.
    case create(name: String, bytes: UInt64)
    /// `increase_storage2`: reserves more bytes. It is sent through `/add-storage`.
    case increase(bytes: UInt64)
    /// `increase_immutable_storage2`: reserves more bytes in an immutable account. It is sent through `/add-storage`.
    case increaseImmutable(bytes: UInt64)
    /// `decrease_storage2`: releases bytes; `used` bytes are in use. It is sent through `/reduce-storage`.
    case decrease(bytes: UInt64, used: UInt64)
    /// `make_account_immutable2`: makes the account immutable, permanently; `used` bytes are in use. It is sent through
    /// `/make-immutable`.
    case makeImmutable(used: UInt64)
    /// `request_delete_account2`: marks the account for deletion. It is sent directly to Solana, as are the
    /// instructions below.
    case requestDeletion
    /// `unmark_delete_account2`: cancels the request for deletion.
    case cancelDeletion
    /// `claim_stake2`: claims the tokens of released storage.
    case claimStake
    /// `refresh_stake2`: replenishes the stake after fees.
    case refreshStake
    /// `update_account2`: gives the account another name, or none.
    case rename(String?)

    /// The kind of an instruction, without its arguments.
    public enum Kind: String, Sendable, Hashable, CaseIterable {
        /// See ``StorageInstruction/create(name:bytes:)``.
        case create = "initialize_account2"
        /// See ``StorageInstruction/increase(bytes:)``.
        case increase = "increase_storage2"
        /// See ``StorageInstruction/increaseImmutable(bytes:)``.
        case increaseImmutable = "increase_immutable_storage2"
        /// See ``StorageInstruction/decrease(bytes:used:)``.
        case decrease = "decrease_storage2"
        /// See ``StorageInstruction/makeImmutable(used:)``.
        case makeImmutable = "make_account_immutable2"
        /// See ``StorageInstruction/requestDeletion``.
        case requestDeletion = "request_delete_account2"
        /// See ``StorageInstruction/cancelDeletion``.
        case cancelDeletion = "unmark_delete_account2"
        /// See ``StorageInstruction/claimStake``.
        case claimStake = "claim_stake2"
        /// See ``StorageInstruction/refreshStake``.
        case refreshStake = "refresh_stake2"
        /// See ``StorageInstruction/rename(_:)``.
        case rename = "update_account2"

        /// The first eight bytes of an instruction's data.
        public var discriminator: Data {
            let number: UInt64 =
                switch self {
                case .create: 0x08b6_9590_b91f_d169
                case .increase: 0x525c_c113_2d0c_ad4e
                case .increaseImmutable: 0x6a44_bd2c_566a_c89b
                case .decrease: 0x1825_85c3_2dc5_beaf
                case .makeImmutable: 0x43d9_7efd_45a4_548b
                case .requestDeletion: 0x088c_ea5f_1904_32b9
                case .cancelDeletion: 0x063c_e09a_ff43_728c
                case .claimStake: 0xdb2a_ba1a_5bb6_733f
                case .refreshStake: 0xb8b9_0f65_ac2e_fc38
                case .rename: 0x5e56_ba73_21bb_ed08
                }
            return withUnsafeBytes(of: number.bigEndian) { Data($0) }
        }

        /// True if the server signs too. The transaction then goes through the API, and otherwise directly to Solana.
        public var needsUploader: Bool {
            switch self {
            case .create, .increase, .increaseImmutable, .decrease, .makeImmutable: true
            case .requestDeletion, .cancelDeletion, .claimStake, .refreshStake, .rename: false
            }
        }
    }

    /// The kind of the instruction.
    public var kind: Kind {
        switch self {
        case .create: .create
        case .increase: .increase
        case .increaseImmutable: .increaseImmutable
        case .decrease: .decrease
        case .makeImmutable: .makeImmutable
        case .requestDeletion: .requestDeletion
        case .cancelDeletion: .cancelDeletion
        case .claimStake: .claimStake
        case .refreshStake: .refreshStake
        case .rename: .rename
        }
    }

    /// The instruction's data: the discriminator, then the arguments in borsh.
    public var data: Data {
        var writer = WireWriter()
        writer.append(kind.discriminator)
        switch self {
        case .create(let name, let bytes):
            writer.text(name)
            writer.number(bytes)
        case .increase(let bytes), .increaseImmutable(let bytes):
            writer.number(bytes)
        case .decrease(let bytes, let used):
            writer.number(bytes)
            writer.number(used)
        case .makeImmutable(let used):
            writer.number(used)
        case .rename(let name):
            writer.flag(name != nil)
            if let name { writer.text(name) }
        case .requestDeletion, .cancelDeletion, .claimStake, .refreshStake:
            break
        }
        return writer.bytes
    }

    /// Reads an instruction's data, which must be all of `data`.
    ///
    /// - Returns: `nil` if the data is not an instruction of this program, or its arguments are invalid.
    public init?(data: Data) {
        do throws(WireReader.Failure) {
            var reader = WireReader(data)
            let title = try reader.take(8)
            guard let kind = Kind.allCases.first(where: { $0.discriminator == title }) else { return nil }
            switch kind {
            case .create: self = .create(name: try reader.text(), bytes: try reader.number())
            case .increase: self = .increase(bytes: try reader.number())
            case .increaseImmutable: self = .increaseImmutable(bytes: try reader.number())
            case .decrease: self = .decrease(bytes: try reader.number(), used: try reader.number())
            case .makeImmutable: self = .makeImmutable(used: try reader.number())
            case .requestDeletion: self = .requestDeletion
            case .cancelDeletion: self = .cancelDeletion
            case .claimStake: self = .claimStake
            case .refreshStake: self = .refreshStake
            case .rename:
                self = .rename(
                    try reader.optional { (reader: inout WireReader) throws(WireReader.Failure) in try reader.text() })
            }
            guard reader.left == 0 else { return nil }
        } catch {
            return nil
        }
    }
}
