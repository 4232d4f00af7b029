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

    init(_ name: String, _ arguments: Arguments, _ options: GlobalOptions) throws(CommandError) {
        self.name = String(name.dropFirst("drive ".count))
        self.options = options
        words = arguments.words
        output = name == "drive get" ? try arguments.output(for: "file") : ""
        replaces = arguments.has("--replace")
        showsSizes = arguments.has("--sizes")
        let (names, isOpen) = Self.words[self.name] ?? ([], false)
        guard words.count >= names.count else {
            throw .usage("\(names[words.count]) is missing: aquifer drive \(self.name) \(names.joined(separator: " "))")
        }
        guard isOpen || words.count == names.count else { throw .usage("\"\(words[names.count])\" is too much") }
    }

    /// What each command wants to be told; whether there may be more of the last.
    private static let words: [String: ([String], Bool)] = [
        "create": (["NAME", "SIZE"], false), "list": ([], false), "info": (["ACCOUNT"], false),
        "files": (["ACCOUNT"], false), "upload": (["ACCOUNT", "FILE"], true), "edit": (["ACCOUNT", "FILE"], false),
        "object": (["URL"], false), "get": (["URL"], false), "delete": (["URL"], false),
        "add-storage": (["ACCOUNT", "SIZE"], false), "reduce-storage": (["ACCOUNT", "SIZE"], false),
        "make-immutable": (["ACCOUNT"], false), "keygen": (["FILE"], false),
    ]

    /// Makes a key, which needs no service.
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
        } catch { throw CommandError(error) }
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
                let location = drive.api.location(of: file.lastPathComponent, in: account)
                say(["finalized_location": try await drive.editFile(location, with: file)], console)
            case "object":
                let owner = try await drive.api.objectData(at: words[0])
                say(
                    ["owner-account-pubkey": "\(owner.owner)", "storage-account-pubkey": "\(owner.account)"], console)
            case "get": return try await get(drive, console)
            case "delete": say(try await drive.deleteFile(try location()), console)
            case "add-storage":
                say(try await drive.addStorage(try size(StorageSize.parse), to: try await account(drive)), console)
            case "reduce-storage":
                say(try await drive.reduceStorage(try size(StorageSize.parse), of: try await account(drive)), console)
            default: say(try await drive.makeImmutable(try await account(drive)), console)
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

    /// An account by its address, or by its name among the owner's.
    func account(_ drive: ShadowDriveService) async throws(CommandError) -> PublicKey {
        // What is no address may be a name.
        if let key = try? PublicKey(words[0]) { return key }
        let list: AccountList?
        do throws(LoadError) { list = try await drive.accounts?.load().value } catch { throw CommandError(error) }
        guard let account = list?.account(words[0]) else {
            throw CommandError(
                status: .usage,
                message: "no account is called \"\(words[0])\", or several are; aquifer drive list shows them")
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
