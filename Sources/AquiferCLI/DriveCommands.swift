import App
import Aquifer
import Foundation
import ShadowDrive

/// `aquifer drive …`: storage accounts and files of Shadow Drive.
struct DriveCommand {
    private let name: String
    private let options: GlobalOptions
    private let words: [String]
    private let output: String
    private let replaces: Bool
    private let showsSizes: Bool

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

    // MARK: Lists

    private func list(_ drive: ShadowDriveService, _ console: Console) async throws(CommandError) -> ExitStatus {
        guard let accounts = drive.accounts else { throw CommandError(DriveError.noKeypair) }
        let loaded = try await console.loading(options) { () async throws(LoadError) in try await accounts.load() }
        if options.json {
            console.out(LoadReport.json(loaded, value: .array(loaded.value.accounts.map(\.json))))
            return .delivered
        }
        let rows = loaded.value.accounts.map { account in
            [
                account.identifier, StorageSize.text(account.currentUsage), StorageSize.text(account.reservedBytes),
                account.isImmutable ? "immutable" : account.isToBeDeleted ? "to be deleted" : "", "\(account.address)",
            ]
        }
        console.table(
            ["NAME", "USED", "RESERVED", "STATE", "ACCOUNT"], rows, options,
            ifEmpty: "there are no storage accounts yet; make one with aquifer drive create NAME SIZE")
        if !loaded.value.isComplete && !options.quiet { console.note("some accounts could not be looked at") }
        return .delivered
    }

    private func contents(_ drive: ShadowDriveService, _ console: Console) async throws(CommandError) -> ExitStatus {
        let address: PublicKey
        address = try await account(drive)
        let loaded = try await console.loading(options) { () async throws(LoadError) in
            try await drive.contents(of: address).load()
        }
        let account = loaded.value.account
        if name == "info" {
            if options.json {
                console.out(LoadReport.json(loaded, value: account.json))
            } else {
                let lines = [
                    ("name", account.identifier), ("account", "\(account.address)"), ("owner", "\(account.owner1)"),
                    ("used", StorageSize.text(account.currentUsage)),
                    ("reserved", StorageSize.text(account.reservedBytes)),
                    ("immutable", account.isImmutable ? "yes" : "no"), ("version", account.version.rawValue),
                ]
                for (name, value) in lines {
                    console.out(name.padding(toLength: 10, withPad: " ", startingAt: 0) + value)
                }
            }
            return .delivered
        }
        if options.json {
            let files = loaded.value.files.map {
                JSONText.object([("file_name", .string($0.name)), ("size", .raw("\($0.size)"))])
            }
            console.out(LoadReport.json(loaded, value: .array(files)))
        } else if showsSizes {
            let rows = loaded.value.files.map { [StorageSize.text($0.size), $0.name] }
            if !rows.isEmpty { for line in Table.lines(["SIZE", "NAME"], rows) { console.out(line) } }
        } else {
            for file in loaded.value.files { console.out(file.name) }
        }
        if loaded.value.files.isEmpty && !options.quiet { console.note("this account has no files") }
        return .delivered
    }

    // MARK: Changes

    private func create(_ drive: ShadowDriveService, _ console: Console) async throws -> ExitStatus {
        let created = try await drive.createStorageAccount(name: words[0], size: try size(StorageSize.parseAccount))
        if options.json {
            console.out(
                JSONText.object([
                    ("shdw_bucket", .string("\(created.account.address)")),
                    ("transaction_signature", .string("\(created.transactionSignature)")),
                ]).text)
        } else {
            console.out("\(created.account.address)")
        }
        if let error = created.saveError, !options.quiet {
            console.note("made, and not saved for offline use: \(error)")
        }
        return .delivered
    }

    private func upload(_ drive: ShadowDriveService, _ console: Console) async throws -> ExitStatus {
        let address = try await account(drive)
        let meter = console.meter(options, "uploading")
        let results = try await drive.upload(
            words.dropFirst().map { URL(filePath: $0) }, to: address, overwrite: replaces
        ) { event in
            if case .progress(let progress) = event { meter.show(progress.sent, of: progress.total) }
        }
        meter.end()
        if options.json {
            let files = results.map { result in
                JSONText.object([
                    ("file", .string(result.name)), ("location", .string(result.location?.text)),
                    ("error", .string(result.error.map { "\($0)" })),
                ])
            }
            console.out(JSONText.object([("files", .array(files))]).text)
        } else {
            for result in results {
                if let location = result.location { console.out(location.text) }
            }
        }
        let failed = results.compactMap { result in result.error.map { (result.name, $0) } }
        if !options.json {
            for (name, error) in failed {
                // What is wrong with a file itself names it.
                if case .file = error { console.note("\(error)") } else { console.note("\(name): \(error)") }
            }
        }
        // Of several errors the first one decides.
        return failed.first.map { CommandError($0.1).status } ?? .delivered
    }

    private func get(_ drive: ShadowDriveService, _ console: Console) async throws -> ExitStatus {
        let location = try location()
        let meter = console.meter(options, "getting \(location.name)")
        defer { meter.end() }
        guard output == "-" else {
            let size = try await drive.api.download(location, to: URL(filePath: output)) { meter.show($0, of: $1) }
            meter.end()
            console.wrote(size, to: output, options)
            return .delivered
        }
        let response = try await drive.api.open(location)
        var received: UInt64 = 0
        do throws(TransportError) {
            while let chunk = try await response.body.next() {
                console.out(chunk)
                received += UInt64(chunk.count)
                meter.show(received, of: response.head.contentLength.map(UInt64.init))
            }
        } catch { throw DriveError(error) }
        return .delivered
    }

    private func say(_ answer: ChangeAnswer, _ console: Console) {
        var fields = ["message": answer.message]
        if let signature = answer.transactionSignature { fields["transaction_signature"] = "\(signature)" }
        say(fields, console)
    }

    private func say(_ fields: [String: String], _ console: Console) {
        let sorted = fields.sorted { $0.key < $1.key }
        if options.json {
            console.out(JSONText.object(sorted.map { ($0.key, .string($0.value)) }).text)
        } else {
            for (_, value) in sorted { console.out(value) }
        }
    }

    // MARK: Words

    /// An account by its address, or by its name among the owner's.
    private func account(_ drive: ShadowDriveService) async throws(CommandError) -> PublicKey {
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

    private func location() throws(CommandError) -> FileLocation {
        guard let location = FileLocation(words[0]) else {
            throw .usage("\"\(words[0])\" is not the address of a file: https://…/ACCOUNT/NAME")
        }
        return location
    }

    private func size(_ parse: (String) throws(StorageSizeError) -> UInt64) throws(CommandError) -> UInt64 {
        do throws(StorageSizeError) { return try parse(words[1]) } catch {
            throw CommandError(status: .usage, message: "\"\(words[1])\": \(error)")
        }
    }
}

extension StorageAccount {
    /// The account in the remote's field names.
    fileprivate var json: JSONText {
        .object([
            ("storage_account", .string("\(address)")), ("identifier", .string(identifier)),
            ("reserved_bytes", .raw("\(reservedBytes)")), ("current_usage", .raw("\(currentUsage)")),
            ("immutable", .bool(isImmutable)), ("to_be_deleted", .bool(isToBeDeleted)),
            ("owner1", .string("\(owner1)")), ("version", .string(version.rawValue)),
        ])
    }
}
