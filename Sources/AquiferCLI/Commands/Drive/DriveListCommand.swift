import App
import Aquifer
import Foundation
import ShadowDrive

/// `aquifer drive list`: the owner's storage accounts.
struct DriveListCommand: DriveHandler {
    let call: CommandCall

    init(_ call: CommandCall) throws(CommandError) { self.call = call }

    func run(_ session: DriveSession) async throws -> ExitStatus {
        guard let accounts = session.drive.accounts else { throw CommandError(DriveError.noKeypair) }
        let loaded = try await call.console.loading(call.options) { () async throws(LoadError) in
            try await accounts.load()
        }
        if call.options.json {
            let accounts = loaded.value.accounts.map { $0.json(addedAt: loaded.value.addedAt($0.address)) }
            call.console.out(LoadReport.json(loaded, value: .array(accounts)))
            return .delivered
        }
        let rows = loaded.value.accounts.map { account in
            [
                account.identifier, StorageSize.text(account.currentUsage), StorageSize.text(account.reservedBytes),
                account.isImmutable ? "immutable" : account.isToBeDeleted ? "to be deleted" : "", "\(account.address)",
            ]
        }
        call.console.table(
            ["NAME", "USED", "RESERVED", "STATE", "ACCOUNT"], rows, call.options,
            ifEmpty: "there are no storage accounts yet; make one with aquifer drive create NAME SIZE")
        if !loaded.value.isComplete && !call.options.quiet {
            call.console.note("older accounts may be missing here until there is a connection")
        }
        return .delivered
    }
}

extension StorageAccount {
    /// The account in the remote's field names.
    ///
    /// - Parameter addedAt: the time at which the account was added to the saved list; `nil` if it was fetched with the
    ///   list.
    func json(addedAt: Date? = nil) -> JSONText {
        .object(
            [
                ("storage_account", .string("\(address)")), ("identifier", .string(identifier)),
                ("reserved_bytes", .raw("\(reservedBytes)")), ("current_usage", .raw("\(currentUsage)")),
                ("immutable", .bool(isImmutable)), ("to_be_deleted", .bool(isToBeDeleted)),
                ("owner1", .string("\(owner1)")), ("version", .string(version.rawValue)),
            ] + (addedAt.map { [("saved_at", .string($0.formatted(.iso8601)))] } ?? []))
    }
}
