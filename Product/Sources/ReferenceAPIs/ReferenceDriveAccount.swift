import AquiferSolana
import Foundation

/// A storage account of the drive remote, as stored on disk. It combines the account's state on the chain and its
/// files.
struct DriveAccount: Codable, Sendable {
    /// Tokens that wait to be claimed.
    struct Unstaked: Codable, Sendable {
        let time: Int64
        let epoch: UInt32
        /// The amount in shades.
        var shades: UInt64
    }

    let address: PublicKey
    let owner: PublicKey
    let counter: UInt32
    /// The creation time in seconds since 1970.
    let created: UInt32
    var name: String
    var reserved: UInt64
    var isImmutable = false
    /// The epoch in which its deletion was requested; `nil` if it was not.
    var deletion: UInt32?
    var unstaked: Unstaked?
    var files: [DriveFile] = []
    /// The blockhashes of the transactions that were carried out, by signature, so that none is carried out twice.
    var transactions: [String: Blockhash] = [:]

    /// The total size of its files in bytes.
    var usage: UInt64 { files.reduce(0) { $0 + $1.size } }

    /// The file of this name; `nil` if there is none. Names are compared byte by byte.
    func file(_ name: String) -> DriveFile? { files.first { $0.name.isExactly(name) } }

    /// Applies an instruction as the program does. It refuses the instruction to create.
    mutating func apply(_ instruction: StorageInstruction, at moment: DriveMoment) throws(ReferenceRefusal) {
        switch instruction {
        case .create: throw Self.simulation("the account exists already")
        case .increase(let bytes):
            guard !isImmutable else { throw Self.simulation("the account is immutable: increase_immutable_storage2") }
            try reserve(bytes)
        case .increaseImmutable(let bytes):
            guard isImmutable else { throw Self.simulation("the account is not immutable: increase_storage2") }
            try reserve(bytes)
        case .decrease(let bytes, let used):
            try refuseIfImmutable()
            try check(used)
            guard bytes > 0, bytes <= reserved - min(used, reserved) else {
                throw Self.simulation("only what is free can be given back")
            }
            guard StorageSize.accountRange.contains(reserved - bytes) else {
                throw Self.simulation("an account keeps at least \(StorageSize.accountRange.lowerBound) bytes")
            }
            reserved -= bytes
            unstaked = Unstaked(
                time: Int64(moment.seconds), epoch: moment.epoch,
                shades: (unstaked?.shades ?? 0) + ReferenceDrive.cost(ofBytes: bytes))
        case .makeImmutable(let used):
            try refuseIfImmutable()
            try check(used)
            isImmutable = true
        case .requestDeletion:
            try refuseIfImmutable()
            guard deletion == nil else { throw Self.simulation("the deletion was asked for already") }
            deletion = moment.epoch
        case .cancelDeletion:
            guard deletion != nil else { throw Self.simulation("no deletion was asked for") }
            deletion = nil
        case .claimStake:
            guard unstaked != nil else { throw Self.simulation("nothing waits to be claimed") }
            unstaked = nil
        case .refreshStake: break
        case .rename(let name):
            try refuseIfImmutable()
            guard let name else { break }
            try Self.check(name: name)
            self.name = name
        }
    }

    static func check(name: String) throws(ReferenceRefusal) {
        guard (1...ShadowDriveLimits.nameBytes).contains(name.utf8.count) else {
            throw simulation("an account's name has 1 to \(ShadowDriveLimits.nameBytes) bytes")
        }
    }

    static func check(size: UInt64) throws(ReferenceRefusal) {
        guard StorageSize.accountRange.contains(size) else {
            throw simulation("an account has 1 KiB to 1 TiB")
        }
    }

    /// Files cannot be changed any more, nor space be given back.
    func refuseIfImmutable() throws(ReferenceRefusal) {
        guard !isImmutable else { throw ReferenceRefusal(400, "The storage account is immutable") }
    }

    private mutating func reserve(_ bytes: UInt64) throws(ReferenceRefusal) {
        let (sum, isTooMuch) = reserved.addingReportingOverflow(bytes)
        guard bytes > 0, !isTooMuch else { throw Self.simulation("so much cannot be added") }
        try Self.check(size: sum)
        reserved = sum
    }

    private func check(_ used: UInt64) throws(ReferenceRefusal) {
        guard used == usage else { throw Self.simulation("\(usage) bytes are used, not \(used)") }
    }

    /// As nodes say it.
    static func simulation(_ words: String) -> ReferenceRefusal {
        ReferenceRefusal(400, "Transaction simulation failed: \(words)")
    }

    /// The account's bytes on the chain.
    var layout: StorageAccountV2 {
        StorageAccountV2(
            immutable: isImmutable, toBeDeleted: deletion != nil, deleteRequestEpoch: deletion ?? 0, storage: reserved,
            owner1: owner, accountCounterSeed: counter, creationTime: created,
            creationEpoch: DriveMoment(seconds: created).epoch, lastFeeEpoch: DriveMoment(seconds: created).epoch,
            identifier: name)
    }
}

/// A file of a storage account.
struct DriveFile: Codable, Sendable {
    let name: String
    let size: UInt64
    /// Under what name its bytes lie on disk: another one for each version.
    let stored: String
}

/// A time of the chain.
struct DriveMoment: Sendable {
    /// Since 1970.
    let seconds: UInt32

    /// About what Solana counts: its first block was in March 2020, and an epoch takes between two and three days.
    var epoch: UInt32 { (seconds - min(seconds, 1_584_316_800)) / 226_600 }
}

extension DriveMoment {
    init(_ date: Date) { seconds = UInt32(clamping: Int64(date.timeIntervalSince1970)) }
}
