import App
import Aquifer
import Foundation
import ShadowDrive

/// `aquifer drive …`: storage accounts and files of Shadow Drive.
struct DriveCommand {
    let name: String
    let options: GlobalOptions
    let words: [String]
    let output: String
    let replaces: Bool
    let showsSizes: Bool
    /// True if the user has agreed beforehand with `--yes`.
    let isSure: Bool

    init(_ name: String, _ arguments: Arguments, _ options: GlobalOptions) throws(CommandError) {
        self.name = String(name.dropFirst("drive ".count))
        self.options = options
        words = arguments.words
        output = name == "drive get" ? try arguments.output(for: "file") : ""
        replaces = arguments.has("--replace")
        showsSizes = arguments.has("--sizes")
        isSure = arguments.has("--yes")
        let (names, isOpen) = Self.words[self.name] ?? ([], false)
        guard words.count >= names.count else {
            throw .usage("\(names[words.count]) is missing: aquifer drive \(self.name) \(names.joined(separator: " "))")
        }
        guard isOpen || words.count == names.count else { throw .usage("\"\(words[names.count])\" is too much") }
    }

    /// The words that each command requires. The flag is true if the last word may repeat.
    private static let words: [String: ([String], Bool)] = [
        "create": (["NAME", "SIZE"], false), "list": ([], false), "info": (["ACCOUNT"], false),
        "files": (["ACCOUNT"], false), "upload": (["ACCOUNT", "FILE"], true), "edit": (["ACCOUNT", "FILE"], false),
        "object": (["URL"], false), "get": (["URL"], false), "delete": (["URL"], false),
        "add-storage": (["ACCOUNT", "SIZE"], false), "reduce-storage": (["ACCOUNT", "SIZE"], false),
        "make-immutable": (["ACCOUNT"], false), "objects": (["ACCOUNT"], false),
        "delete-account": (["ACCOUNT"], false), "keep-account": (["ACCOUNT"], false), "claim": (["ACCOUNT"], false),
        "submit": (["TRANSACTION"], false), "keygen": (["FILE"], false),
    ]

    /// Generates a key pair and writes it to a file. No service is needed.
    func keygen(_ console: Console) throws(CommandError) -> ExitStatus {
        do throws(KeypairError) {
            let keypair = try Keypair()
            try keypair.write(to: URL(filePath: words[0]))
            if options.json {
                console.out(JSONText.object([("pubkey", .string("\(keypair.publicKey)"))]).text)
            } else {
                console.out("\(keypair.publicKey)")
                if !options.quiet { console.note("\(words[0]) holds the secret; whoever has it has what it owns") }
            }
            return .delivered
        } catch {
            // The key file is the command's output, so the failure has the status of an unwritable output.
            if case .failed(let reason) = error { throw CommandError(status: .unwritable, message: reason) }
            throw CommandError(error)
        }
    }

    func run(_ services: Services, _ console: Console) async throws(CommandError) -> ExitStatus {
        if name == "keygen" { return try keygen(console) }
        let drive: ShadowDriveService
        do throws(KeypairError) { drive = try services.drive() } catch { throw CommandError(error) }
        switch name {
        case "list": return try await list(drive, console)
        case "info", "files": return try await contents(drive, console)
        default: break
        }
        do {
            switch name {
            case "create": return try await create(drive, console)
            case "upload": return try await upload(drive, console)
            case "edit":
                let account = try await account(drive)
                let file = URL(filePath: words[1])
                let location = drive.api.location(of: await storedName(file, account, drive), in: account)
                let look = "aquifer drive files \(account) --sizes"
                let place = try await untilInterrupted(look) { () async throws(DriveError) in
                    try await drive.editFile(location, with: file)
                }
                say(["finalized_location": place], console)
            case "object":
                let owner = try await drive.api.objectData(at: words[0])
                say(
                    ["owner-account-pubkey": "\(owner.owner)", "storage-account-pubkey": "\(owner.account)"], console)
            case "get": return try await get(drive, console)
            case "objects": try await objects(drive, console)
            case "delete": try await delete(drive, console)
            case "submit": try await submit(drive, console)
            default: try await changeAccount(drive, console)
            }
            return .delivered
        } catch {
            throw CommandError(drive: error)
        }
    }

    func say(_ answer: ChangeAnswer, _ console: Console) {
        var fields = ["message": answer.message]
        if let signature = answer.transactionSignature { fields["transaction_signature"] = "\(signature)" }
        say(fields, console)
    }

    func say(_ fields: [String: String], _ console: Console) {
        let sorted = fields.sorted { $0.key < $1.key }
        if options.json {
            console.out(JSONText.object(sorted.map { ($0.key, .string($0.value)) }).text)
        } else {
            for (_, value) in sorted { console.out(value) }
        }
    }

    // MARK: Words

    /// The name of a local file in an account. It is the local name in composed form, as uploads send it, unless the
    /// account has a file of the exact local name.
    private func storedName(_ file: URL, _ account: PublicKey, _ drive: ShadowDriveService) async -> String {
        let name = file.lastPathComponent
        let composed = name.precomposedStringWithCanonicalMapping
        // Without the list, the composed form is used.
        guard !name.isExactly(composed), let names = try? await drive.api.listObjects(in: account),
            names.contains(where: name.isExactly)
        else { return composed }
        return name
    }

    /// Finds an account by its address, or by its name among the owner's accounts.
    func account(_ drive: ShadowDriveService) async throws(CommandError) -> PublicKey {
        // A text that is not an address may be a name.
        if let key = try? PublicKey(words[0]) { return key }
        guard let accounts = drive.accounts else { throw CommandError(DriveError.noKeypair) }
        let list: AccountList
        do throws(LoadError) { list = try await accounts.load().value } catch { throw CommandError(error) }
        let found = list.accounts(called: words[0])
        guard let account = found.first else {
            let missing = list.isComplete ? "" : "; older accounts may be missing here until there is a connection"
            throw CommandError(
                status: .notFound,
                message: "no account of this key is called \"\(words[0])\"\(missing); aquifer drive list shows them")
        }
        guard found.count == 1 else {
            let addresses = found.map { "\($0.address)" }.joined(separator: ", ")
            throw CommandError(
                status: .usage,
                message:
                    "\(found.count) accounts are called \"\(words[0])\"; say which one by its address: \(addresses)")
        }
        return account.address
    }

    func location() throws(CommandError) -> FileLocation {
        guard let location = FileLocation(words[0]) else {
            throw .usage("\"\(words[0])\" is not the address of a file: https://…/ACCOUNT/NAME")
        }
        return location
    }

    func size(_ parse: (String) throws(StorageSizeError) -> UInt64) throws(CommandError) -> UInt64 {
        do throws(StorageSizeError) { return try parse(words[1]) } catch {
            throw CommandError(status: .usage, message: "\"\(words[1])\": \(error)")
        }
    }
}
