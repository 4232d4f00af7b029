import App
import Aquifer
import Foundation
import ShadowDrive

extension DriveCommand {
    func list(_ drive: ShadowDriveService, _ console: Console) async throws(CommandError) -> ExitStatus {
        guard let accounts = drive.accounts else { throw CommandError(DriveError.noKeypair) }
        let loaded = try await console.loading(options) { () async throws(LoadError) in try await accounts.load() }
        if options.json {
            let accounts = loaded.value.accounts.map { $0.json(addedAt: loaded.value.addedAt($0.address)) }
            console.out(LoadReport.json(loaded, value: .array(accounts)))
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
        if !loaded.value.isComplete && !options.quiet {
            console.note("older accounts may be missing here until there is a connection")
        }
        return .delivered
    }

    func contents(_ drive: ShadowDriveService, _ console: Console) async throws(CommandError) -> ExitStatus {
        let address = try await account(drive)
        let loaded = try await console.loading(options) { () async throws(LoadError) in
            try await drive.contents(of: address).load()
        }
        let account = loaded.value.account
        if name == "info" {
            if options.json {
                console.out(LoadReport.json(loaded, value: account.json()))
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
            console.table(["SIZE", "NAME"], rows, options, ifEmpty: "this account has no files")
        } else {
            for file in loaded.value.files { console.out(file.name) }
            if loaded.value.files.isEmpty && !options.quiet { console.note("this account has no files") }
        }
        return .delivered
    }
}

extension DriveCommand {
    /// Prints only the names of an account's files, from the server (`/list-objects`). The names are not saved.
    func objects(_ drive: ShadowDriveService, _ console: Console) async throws {
        let names = try await drive.api.listObjects(in: try await account(drive))
        if options.json {
            console.out(JSONText.object([("keys", .array(names.map { .string($0) }))]).text)
        } else {
            for name in names { console.out(name) }
        }
    }
}

extension StorageAccount {
    /// The account in the remote's field names.
    ///
    /// - Parameter addedAt: the time at which the account was added to the saved list; `nil` if it was fetched with the
    ///   list.
    fileprivate func json(addedAt: Date? = nil) -> JSONText {
        .object(
            [
                ("storage_account", .string("\(address)")), ("identifier", .string(identifier)),
                ("reserved_bytes", .raw("\(reservedBytes)")), ("current_usage", .raw("\(currentUsage)")),
                ("immutable", .bool(isImmutable)), ("to_be_deleted", .bool(isToBeDeleted)),
                ("owner1", .string("\(owner1)")), ("version", .string(version.rawValue)),
            ] + (addedAt.map { [("saved_at", .string($0.formatted(.iso8601)))] } ?? []))
    }
}
