import App
import Aquifer
import AquiferShadowDrive
import Foundation

/// `aquifer drive transaction KIND …`: prints a transaction without sending it. The same arguments always give the same
/// bytes, so that others can check them.
struct DriveTransactionCommand: CommandHandler {
    static var usesStores: Bool { false }

    private let transaction: SolanaTransaction
    private let account: PublicKey
    private let call: CommandCall

    init(_ call: CommandCall) throws(CommandError) {
        self.call = call
        let (word, arguments) = (call.words[0], call.arguments)
        guard let kind = Self.kind(word) else {
            let kinds = CommandTable.list(StorageInstruction.Kind.allCases.map(\.word))
            throw .usage("\"\(word)\" is not a kind of transaction; KIND is \(kinds)")
        }
        let keypair = try Self.owner(arguments, call.options)
        guard let blockhash = try arguments.value(Options.blockhash) else {
            throw .usage("--blockhash BASE58 is missing")
        }
        let program: ShadowDriveProgram =
            if let uploader = try arguments.value(Options.uploader) { .v1(uploader: uploader) } else { .v1 }
        let counter = try arguments.value(Options.counter) ?? 0
        account =
            try arguments.value(Options.account) ?? program.storageAccount(of: keypair.publicKey, counter: counter)
        let budget = ComputeBudget(
            units: try arguments.value(Options.computeUnits), price: try arguments.value(Options.computePrice))
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

    func run() async throws(CommandError) -> ExitStatus {
        if call.options.json {
            let document = TransactionDocument(
                transaction: transaction.base64, storageAccount: "\(account)",
                bytes: transaction.bytes.count,
                missingSignatures: transaction.missingSigners.map { "\($0)" })
            call.console.out(json: ResultDocument(local: document))
        } else {
            call.console.out(transaction.base64)
        }
        return .delivered
    }

    /// Finds a kind of transaction by its name on the command line, or by the program's name for it.
    private static func kind(_ word: String) -> StorageInstruction.Kind? {
        StorageInstruction.Kind(rawValue: word) ?? StorageInstruction.Kind.allCases.first { $0.word == word }
    }

    private static func instruction(
        _ kind: StorageInstruction.Kind, _ arguments: Arguments
    ) throws(CommandError) -> StorageInstruction {
        func bytes(_ option: ValueOption<UInt64> = Options.bytes) throws(CommandError) -> UInt64 {
            guard let number = try arguments.value(option) else {
                throw .usage("\(kind.rawValue) needs \(option.declaration.usage)")
            }
            return number
        }
        switch kind {
        case .create:
            guard let name = try arguments.value(Options.name) else {
                throw .usage("\(kind.rawValue) needs --name TEXT")
            }
            return .create(name: name, bytes: try bytes())
        case .increase: return .increase(bytes: try bytes())
        case .increaseImmutable: return .increaseImmutable(bytes: try bytes())
        case .decrease: return .decrease(bytes: try bytes(), used: try bytes(Options.used))
        case .makeImmutable: return .makeImmutable(used: try bytes(Options.used))
        case .requestDeletion: return .requestDeletion
        case .cancelDeletion: return .cancelDeletion
        case .claimStake: return .claimStake
        case .refreshStake: return .refreshStake
        case .rename: return .rename(try arguments.value(Options.name))
        }
    }

    /// The owner's key pair, from a seed (64 hex digits, or 32 bytes) or from a key file.
    private static func owner(_ arguments: Arguments, _ options: GlobalOptions) throws(CommandError) -> Keypair {
        do {
            if let path = try arguments.value(Options.ownerSeedFile) {
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
        return Data(hexadecimal: text) ?? data
    }
}

extension StorageInstruction.Kind {
    /// The name of the kind on the command line.
    var word: String {
        switch self {
        case .create: "create"
        case .increase: "add-storage"
        case .increaseImmutable: "add-immutable-storage"
        case .decrease: "reduce-storage"
        case .makeImmutable: "make-immutable"
        case .requestDeletion: "request-delete"
        case .cancelDeletion: "unmark-delete"
        case .claimStake: "claim-stake"
        case .refreshStake: "refresh-stake"
        case .rename: "rename"
        }
    }
}
