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
            call.console.out(
                json: ResultDocument(loaded) { list in
                    list.accounts.map { AccountDocument($0, addedAt: list.addedAt($0.address)) }
                })
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
