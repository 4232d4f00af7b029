import App
import Foundation
import ShadowDrive

/// `aquifer drive transaction KIND …`: prints a transaction without sending it. The same arguments always give the same
/// bytes, so that others can check them.
struct DriveTransactionCommand {
    private let transaction: SolanaTransaction
    private let account: PublicKey
    private let options: GlobalOptions

    static let valued: Set<String> = [
        "--owner-seed-file", "--blockhash", "--counter", "--account", "--name", "--bytes", "--used", "--uploader",
        "--compute-units", "--compute-price",
    ]

    init(_ arguments: Arguments, _ options: GlobalOptions) throws(CommandError) {
        var arguments = arguments
        self.options = options
        let word = try arguments.next("the kind of transaction")
        try arguments.end()
        guard let kind = Self.kind(word) else {
            let kinds = StorageInstruction.Kind.allCases.map(\.rawValue).joined(separator: ", ")
            throw .usage("\"\(word)\" is not a kind of transaction; there is \(kinds)")
        }
        let keypair = try Self.owner(arguments, options)
        guard let text = arguments.value("--blockhash") else { throw .usage("--blockhash BASE58 is missing") }
        let blockhash: Blockhash = try Self.key(text, "--blockhash")
        let program: ShadowDriveProgram =
            if let uploader = arguments.value("--uploader") { .v1(uploader: try Self.key(uploader, "--uploader")) } else
            { .v1 }
        account = try Self.account(arguments, program, keypair.publicKey)
        let budget = ComputeBudget(
            units: try Self.number(arguments, "--compute-units"), price: try Self.number(arguments, "--compute-price"))
        do {
            var made = try program.transaction(
                try Self.instruction(kind, arguments), owner: keypair.publicKey, account: account, blockhash: blockhash,
                computeBudget: budget)
            try made.sign(with: keypair)
            transaction = made
        } catch {
            throw CommandError(drive: error)
        }
    }

    func run(_ console: Console) -> ExitStatus {
        if options.json {
            console.out(
                JSONText.object([
                    ("transaction", .string(transaction.base64)), ("storage_account", .string("\(account)")),
                    ("bytes", .int(transaction.bytes.count)),
                    ("missing_signatures", .array(transaction.missingSigners.map { .string("\($0)") })),
                ]).text)
        } else {
            console.out(transaction.base64)
        }
        return .delivered
    }

    /// Finds a kind of transaction by the program's name for it, or by the name in the other commands.
    private static func kind(_ word: String) -> StorageInstruction.Kind? {
        let short: [String: StorageInstruction.Kind] = [
            "create": .create, "add-storage": .increase, "add-immutable-storage": .increaseImmutable,
            "reduce-storage": .decrease, "make-immutable": .makeImmutable, "request-delete": .requestDeletion,
            "unmark-delete": .cancelDeletion, "claim-stake": .claimStake, "refresh-stake": .refreshStake,
            "rename": .rename,
        ]
        return StorageInstruction.Kind(rawValue: word) ?? short[word]
    }

    private static func instruction(
        _ kind: StorageInstruction.Kind, _ arguments: Arguments
    ) throws(CommandError) -> StorageInstruction {
        func bytes(_ option: String = "--bytes") throws(CommandError) -> UInt64 {
            guard let number: UInt64 = try number(arguments, option) else {
                throw .usage("\(kind.rawValue) needs \(option) N")
            }
            return number
        }
        switch kind {
        case .create:
            guard let name = arguments.value("--name") else { throw .usage("\(kind.rawValue) needs --name TEXT") }
            return .create(name: name, bytes: try bytes())
        case .increase: return .increase(bytes: try bytes())
        case .increaseImmutable: return .increaseImmutable(bytes: try bytes())
        case .decrease: return .decrease(bytes: try bytes(), used: try bytes("--used"))
        case .makeImmutable: return .makeImmutable(used: try bytes("--used"))
        case .requestDeletion: return .requestDeletion
        case .cancelDeletion: return .cancelDeletion
        case .claimStake: return .claimStake
        case .refreshStake: return .refreshStake
        case .rename: return .rename(arguments.value("--name"))
        }
    }

    /// The owner's key pair, from a seed (64 hex digits, or 32 bytes) or from a key file.
    private static func owner(_ arguments: Arguments, _ options: GlobalOptions) throws(CommandError) -> Keypair {
        do {
            if let path = arguments.value("--owner-seed-file") {
                // An unreadable file is reported as missing.
                guard let data = try? Data(contentsOf: URL(filePath: path)) else {
                    throw KeypairError.missing(path: path)
                }
                try Keypair.checkPrivacy(path)
                return try Keypair(seed: seed(data))
            }
            guard let file = options.configuration.driveKeypair else {
                throw CommandError.usage("say whose it is: --owner-seed-file FILE or --keypair FILE")
            }
            return try Keypair(contentsOf: file)
        } catch {
            throw CommandError(drive: error)
        }
    }

    private static func seed(_ data: Data) -> Data {
        let text = String(decoding: data, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
        guard text.utf8.count == 64 else { return data }
        let digits = text.compactMap(\.hexDigitValue)
        guard digits.count == 64 else { return data }
        return Data(stride(from: 0, to: 64, by: 2).map { UInt8(digits[$0] * 16 + digits[$0 + 1]) })
    }

    private static func account(
        _ arguments: Arguments, _ program: ShadowDriveProgram, _ owner: PublicKey
    ) throws(CommandError) -> PublicKey {
        if let text = arguments.value("--account") { return try key(text, "--account") }
        let counter: UInt32 = try number(arguments, "--counter") ?? 0
        return program.storageAccount(of: owner, counter: counter)
    }

    private static func key<Value: Base58Value>(_ text: String, _ option: String) throws(CommandError) -> Value {
        do throws(Base58Error) { return try Value(text) } catch {
            throw CommandError(status: .usage, message: "\(option): \(error)")
        }
    }

    private static func number<Number: FixedWidthInteger>(
        _ arguments: Arguments, _ option: String
    ) throws(CommandError) -> Number? {
        guard let text = arguments.value(option) else { return nil }
        guard let number = Number(text), number >= 0 else {
            throw .usage("\(option) takes a whole number up to \(Number.max), not \"\(text)\"")
        }
        return number
    }
}

extension CommandError {
    /// Converts any error of a Shadow Drive command.
    init(drive error: any Error) {
        switch error {
        case let error as CommandError: self = error
        case let error as DriveError: self.init(error)
        case let error as KeypairError: self.init(error)
        default: self.init(status: .usage, message: "\(error)")
        }
    }

    /// Converts the error of a key that cannot be used.
    init(_ error: KeypairError) {
        let status: ExitStatus =
            switch error {
            case .missing: .notFound
            case .failed: .store
            case .tooOpen, .exists, .empty, .notAKey, .wrongLength, .mismatch: .usage
            }
        self.init(status: status, message: "\(error)")
    }

    /// Converts an error of Shadow Drive.
    init(_ error: DriveError) {
        let status: ExitStatus =
            switch error.cause {
            case .connectivity: .unavailable
            case .cancelled: .interrupted
            case .invalidData, .outcomeUnknown: .invalidData
            // A server failure may be temporary. The other refusals are final.
            case .refused(let refusal): refusal.reason == .serverFailure ? .unavailable : .refused
            case .noSuchFile, .file(.unreadable): .notFound
            case .file(.unwritable): .unwritable
            case .file(.exists): .refused
            case .limit, .file, .transaction, .noKeypair: .usage
            case .store: .store
            }
        let advice = if case .file(.exists) = error { "; --replace takes its place" } else { "" }
        self.init(status: error.isOutcomeUnknown ? .unknown : status, message: "\(error)\(advice)")
    }
}
