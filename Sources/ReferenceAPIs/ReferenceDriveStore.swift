import Foundation
import ShadowDrive

/// The drive remote's accounts, files and blockhashes, in a folder that several processes may use at once.
///
///     accounts/ADDRESS/account.json     each account; a change replaces the file as a whole
///     accounts/ADDRESS/UUID             the bytes of its files
///     owners/USERINFO.json              how many accounts an owner has made
///     blockhashes.json                  the last that were given out
///     arriving/UUID                     what is being sent, or was when a process was killed
///     lock                              held by who changes something
actor DriveStore {
    /// How many blockhashes are good at a time: as many as Solana's.
    static let blockhashes = 150

    private let root: URL
    private let isTemporary: Bool

    /// - Parameter folder: made when something is first written; `nil` is a temporary one that goes with the store.
    init(folder: URL?) {
        isTemporary = folder == nil
        root =
            folder
            ?? FileManager.default.temporaryDirectory.appending(
                path: "aquifer-drive-\(UUID().uuidString)", directoryHint: .isDirectory)
    }

    deinit {
        // One that was never made cannot be removed; one that stays is in a folder that the system empties.
        if isTemporary { try? FileManager.default.removeItem(at: root) }
    }

    // MARK: Blockhashes

    func newBlockhash() throws -> Blockhash {
        try exclusively {
            var random = SystemRandomNumberGenerator()
            let bytes = Data((0..<Blockhash.length).map { _ in UInt8.random(in: 0...255, using: &random) })
            guard let hash = Blockhash(bytes: bytes) else { throw CocoaError(.coderInvalidValue) }
            try write((try knownBlockhashes() + [hash]).suffix(Self.blockhashes), to: hashes)
            return hash
        }
    }

    private func knownBlockhashes() throws -> [Blockhash] { try read([Blockhash].self, from: hashes) ?? [] }

    // MARK: Accounts

    func account(_ address: PublicKey) throws -> DriveAccount? {
        try read(DriveAccount.self, from: record(address))
    }

    /// Who has made how many accounts, by the address that counts them.
    struct Owner: Codable {
        let owner: PublicKey
        var accounts: UInt32
    }

    func owner(userInfo: PublicKey) throws -> Owner? {
        try read(Owner.self, from: root.appending(path: "owners/\(userInfo).json"))
    }

    /// Carries out a transaction that makes an account.
    ///
    /// - Throws: `Refusal` for a blockhash that is not known any more, and if it is not the owner's next account.
    func create(
        _ transaction: StorageTransaction, name: String, bytes: UInt64, blockhash: Blockhash, signature: Signature,
        at moment: DriveMoment, in program: ShadowDriveProgram
    ) throws {
        try exclusively {
            try check(blockhash)
            let userInfo = program.userInfo(of: transaction.owner)
            var owner = try owner(userInfo: userInfo) ?? Owner(owner: transaction.owner, accounts: 0)
            // Who was stopped between the two files below has made an account that is not counted yet.
            while try self.account(program.storageAccount(of: owner.owner, counter: owner.accounts)) != nil {
                owner.accounts += 1
            }
            guard program.storageAccount(of: owner.owner, counter: owner.accounts) == transaction.account else {
                throw DriveAccount.simulation("the owner's next storage account is another one")
            }
            let account = DriveAccount(
                address: transaction.account, owner: transaction.owner, counter: owner.accounts,
                created: moment.seconds, name: name, reserved: bytes, transactions: ["\(signature)": blockhash])
            try write(account, to: record(account.address))
            owner.accounts += 1
            try write(owner, to: root.appending(path: "owners/\(userInfo).json"))
        }
    }

    /// Carries out a transaction that changes an account, once.
    func carryOut(
        _ transaction: StorageTransaction, blockhash: Blockhash, signature: Signature, at moment: DriveMoment
    ) throws {
        let known: [Blockhash] = try exclusively {
            try check(blockhash)
            return try knownBlockhashes()
        }
        try change(transaction.account) { account in
            guard account.owner == transaction.owner else {
                throw DriveAccount.simulation("the account is another owner's")
            }
            guard account.transactions["\(signature)"] == nil else {
                throw DriveAccount.simulation("This transaction has already been processed")
            }
            try account.apply(transaction.instruction, at: moment)
            // Those that cannot come again, because of their blockhash, need not be remembered.
            account.transactions = account.transactions.filter { known.contains($0.value) }
            account.transactions["\(signature)"] = blockhash
        }
    }

    private func check(_ blockhash: Blockhash) throws {
        guard try knownBlockhashes().contains(blockhash) else { throw DriveStore.staleBlockhash }
    }

    /// As nodes say it.
    static let staleBlockhash = DriveAccount.simulation("Blockhash not found")

    /// Changes an account, unless the change throws. Bytes that no file of it has any more are removed.
    func change<Result: Sendable>(
        _ address: PublicKey, _ change: (inout DriveAccount) throws -> Result
    ) throws -> Result {
        try exclusively {
            guard var account = try account(address) else { throw Self.noAccount(address) }
            let before = account.files
            let result = try change(&account)
            try write(account, to: record(address))
            let kept = Set(account.files.map(\.stored))
            for file in before where !kept.contains(file.stored) {
                // What stays behind is nobody's file any more, and in nobody's way.
                try? FileManager.default.removeItem(at: bytes(of: file, in: address))
            }
            return result
        }
    }

    static func noAccount(_ address: PublicKey) -> Refusal { Refusal(400, "There is no storage account \(address)") }

    // MARK: Files

    /// A file on its way in.
    struct Arrival: Sendable {
        fileprivate let stored: String
        let url: URL
        fileprivate(set) var size: UInt64 = 0
        /// Whether it has more bytes than a file may; what is beyond is not kept.
        fileprivate(set) var isTooLarge = false

        /// Adds bytes.
        mutating func add(_ piece: Data, to handle: FileHandle) throws {
            size += UInt64(piece.count)
            guard size <= ShadowDriveLimits.fileBytes else {
                isTooLarge = true
                return
            }
            try handle.write(contentsOf: piece)
        }

        func file(named name: String) -> DriveFile { DriveFile(name: name, size: size, stored: stored) }
    }

    func begin() throws -> Arrival {
        let folder = root.appending(path: "arriving", directoryHint: .isDirectory)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let stored = UUID().uuidString
        let arrival = Arrival(stored: stored, url: folder.appending(path: stored))
        guard FileManager.default.createFile(atPath: arrival.url.path, contents: nil) else {
            throw CocoaError(.fileWriteUnknown)
        }
        return arrival
    }

    nonisolated func abandon(_ arrivals: [Arrival]) {
        // Those that have become files are not there any more.
        for arrival in arrivals { try? FileManager.default.removeItem(at: arrival.url) }
    }

    /// Puts what arrived in its place, before the account names it.
    nonisolated func place(_ arrival: Arrival, in account: PublicKey) throws {
        let target = bytes(of: arrival.file(named: ""), in: account)
        guard rename(arrival.url.path, target.path) == 0 else {
            throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO)
        }
    }

    /// Where a file's bytes are.
    nonisolated func bytes(of file: DriveFile, in account: PublicKey) -> URL {
        root.appending(path: "accounts/\(account)/\(file.stored)")
    }

    // MARK: On disk

    private var hashes: URL { root.appending(path: "blockhashes.json") }

    private func record(_ address: PublicKey) -> URL { root.appending(path: "accounts/\(address)/account.json") }

    private func read<Value: Decodable>(_ type: Value.Type, from file: URL) throws -> Value? {
        guard FileManager.default.fileExists(atPath: file.path) else { return nil }
        return try JSONDecoder().decode(type, from: Data(contentsOf: file))
    }

    private func write(_ value: some Encodable, to file: URL) throws {
        try FileManager.default.createDirectory(
            at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        try JSONEncoder().encode(value).write(to: file, options: .atomic)
    }

    /// Nobody else changes anything meanwhile, in this process or another.
    private func exclusively<Result>(_ work: () throws -> Result) throws -> Result {
        try FileManager.default.createDirectory(at: root, withIntermediateDirectories: true)
        let descriptor = open(root.appending(path: "lock").path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
        defer { _ = close(descriptor) }
        while flock(descriptor, LOCK_EX) != 0 {
            guard errno == EINTR else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
        }
        return try work()
    }
}
