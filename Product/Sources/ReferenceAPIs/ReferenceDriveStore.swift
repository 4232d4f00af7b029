import AquiferSolana
import Foundation

/// The drive remote's accounts, files and blockhashes, in a folder that several processes may use at once.
///
///     accounts/ADDRESS/account.json     each account; a change replaces the file as a whole
///     accounts/ADDRESS/UUID             the bytes of its files
///     owners/USERINFO.json              the number of accounts that an owner has made, and the shades paid
///     transactions/SIGNATURE            a mark for each transaction that was carried out
///     blockhashes.json                  the last blockhashes issued
///     height.json                       the number of blocks
///     arriving/UUID                     the bytes of an upload in progress, or of one that a killed process left
///     lock                              held during every change
///
/// Each JSON file begins with its checksum (`SealedJSON`). The bytes of the files of accounts have none.
actor DriveStore {
    /// The number of blockhashes that are valid at a time, the same as Solana's.
    static let blockhashes = 150

    let root: URL
    private let isTemporary: Bool

    /// - Parameter folder: The folder, created at the first write; `nil` for a temporary one that is removed with the
    ///   store.
    init(folder: URL?) {
        isTemporary = folder == nil
        root =
            folder
            ?? FileManager.default.temporaryDirectory.appending(
                path: "aquifer-drive-\(UUID().uuidString)", directoryHint: .isDirectory)
    }

    deinit {
        // A folder that was never created cannot be removed. One that remains is in the system's temporary folder.
        if isTemporary { try? FileManager.default.removeItem(at: root) }
    }

    // MARK: Blockhashes

    /// Issues a new blockhash, and the last block that may contain a transaction with it. Each issued blockhash is a
    /// block.
    func newBlockhash() throws -> (hash: Blockhash, lastValid: UInt64) {
        try exclusively {
            var random = SystemRandomNumberGenerator()
            let bytes = Data((0..<Blockhash.length).map { _ in UInt8.random(in: 0...255, using: &random) })
            guard let hash = Blockhash(bytes: bytes) else { throw CocoaError(.coderInvalidValue) }
            try write((try knownBlockhashes() + [hash]).suffix(Self.blockhashes), to: hashes)
            let height = try blockHeight() + 1
            try write(height, to: heightFile)
            return (hash, height + UInt64(Self.blockhashes) - 1)
        }
    }

    /// The number of blocks.
    func blockHeight() throws -> UInt64 { try read(UInt64.self, from: heightFile) ?? 0 }

    /// Advances the chain until none of the blockhashes issued so far is valid any more.
    func outlive() throws {
        try exclusively {
            try write([Blockhash](), to: hashes)
            try write(try blockHeight() + UInt64(Self.blockhashes), to: heightFile)
        }
    }

    /// True if a transaction was carried out.
    func hasCarriedOut(_ signature: Signature) -> Bool {
        FileManager.default.fileExists(atPath: mark(of: signature).path)
    }

    private func mark(of signature: Signature) -> URL { root.appending(path: "transactions/\(signature)") }

    private var heightFile: URL { root.appending(path: "height.json") }

    private func knownBlockhashes() throws -> [Blockhash] { try read([Blockhash].self, from: hashes) ?? [] }

    // MARK: Accounts

    func account(_ address: PublicKey) throws -> DriveAccount? {
        try read(DriveAccount.self, from: record(address))
    }

    /// An owner, and the number of accounts that they have made. It is stored under the address of the chain's counter.
    struct Owner: Codable {
        let owner: PublicKey
        var accounts: UInt32
        /// The shades paid from the initial balance; `nil` if none were.
        var paid: UInt64?
    }

    func owner(userInfo: PublicKey) throws -> Owner? {
        try read(Owner.self, from: root.appending(path: "owners/\(userInfo).json"))
    }

    /// Carries out a transaction that creates an account.
    ///
    /// - Throws: `ReferenceRefusal` if the blockhash has expired, if the transaction was carried out before, if the account is
    ///   not the owner's next one, or if the owner cannot pay.
    func create(
        _ transaction: StorageTransaction, name: String, bytes: UInt64, blockhash: Blockhash, signature: Signature,
        at moment: DriveMoment, in program: ShadowDriveProgram
    ) throws {
        try exclusively {
            try check(blockhash)
            guard !hasCarriedOut(signature) else { throw DriveStore.alreadyProcessed }
            let userInfo = program.userInfo(of: transaction.owner)
            var owner = try owner(userInfo: userInfo) ?? Owner(owner: transaction.owner, accounts: 0)
            // A process that was killed between the two files below has created an account that is not counted yet.
            while try self.account(program.storageAccount(of: owner.owner, counter: owner.accounts)) != nil {
                owner.accounts += 1
            }
            guard program.storageAccount(of: owner.owner, counter: owner.accounts) == transaction.account else {
                throw DriveAccount.simulation("the owner's next storage account is another one")
            }
            try owner.pay(ReferenceDrive.config(program).cost(ofBytes: bytes))
            let account = DriveAccount(
                address: transaction.account, owner: transaction.owner, counter: owner.accounts,
                created: moment.seconds, name: name, reserved: bytes, transactions: ["\(signature)": blockhash])
            try write(account, to: record(account.address))
            owner.accounts += 1
            try write(owner, to: root.appending(path: "owners/\(userInfo).json"))
            try markAsCarriedOut(signature)
        }
    }

    /// Carries out a transaction that changes an account, once.
    func carryOut(
        _ transaction: StorageTransaction, blockhash: Blockhash, signature: Signature, at moment: DriveMoment,
        in program: ShadowDriveProgram
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
                throw DriveStore.alreadyProcessed
            }
            let waiting = account.unstaked?.shades ?? 0
            try account.apply(transaction.instruction, at: moment)
            try settle(transaction, waiting, in: program)
            // A transaction whose blockhash has expired cannot be sent again, and is forgotten.
            account.transactions = account.transactions.filter { known.contains($0.value) }
            account.transactions["\(signature)"] = blockhash
        }
        try exclusively { try markAsCarriedOut(signature) }
    }

    private func check(_ blockhash: Blockhash) throws {
        guard try knownBlockhashes().contains(blockhash) else { throw DriveStore.staleBlockhash }
    }

    private func markAsCarriedOut(_ signature: Signature) throws {
        try write([String](), to: mark(of: signature))
    }

    /// The error in the words of Solana's nodes.
    static let staleBlockhash = DriveAccount.simulation("Blockhash not found")
    /// The error in the words of Solana's nodes.
    static let alreadyProcessed = DriveAccount.simulation("This transaction has already been processed")

    /// Changes an account, unless the change throws. Bytes that belong to none of its files any more are removed.
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
                // Bytes that cannot be removed belong to no file, and do no harm.
                try? FileManager.default.removeItem(at: bytes(of: file, in: address))
            }
            return result
        }
    }

    static func noAccount(_ address: PublicKey) -> ReferenceRefusal {
        ReferenceRefusal(400, "There is no storage account \(address)")
    }

    // MARK: On disk

    private var hashes: URL { root.appending(path: "blockhashes.json") }

    private func record(_ address: PublicKey) -> URL { root.appending(path: "accounts/\(address)/account.json") }

    func read<Value: Decodable>(_ type: Value.Type, from file: URL) throws -> Value? {
        guard FileManager.default.fileExists(atPath: file.path) else { return nil }
        return try SealedJSON.read(type, from: file)
    }

    func write(_ value: some Encodable, to file: URL) throws {
        try FileManager.default.createDirectory(
            at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        try SealedJSON.encode(value).write(to: file, options: .atomic)
    }

    /// Runs `work` with the lock: nobody else changes anything meanwhile, in this process or another.
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
