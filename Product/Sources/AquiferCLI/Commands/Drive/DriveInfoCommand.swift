import App
import Aquifer
import AquiferShadowDrive
import Foundation

/// `aquifer drive info ACCOUNT`: one account.
struct DriveInfoCommand: DriveHandler {
    let call: CommandCall

    init(_ call: CommandCall) throws(CommandError) { self.call = call }

    func run(_ session: DriveSession) async throws -> ExitStatus {
        let address = try await session.account(isShown: true)
        let loaded = try await call.console.loading(call.options) { () async throws(LoadError) in
            try await session.drive.contents(of: address).load()
        }
        let account = loaded.value.account
        if call.options.json {
            call.console.out(json: ResultDocument(loaded) { _ in AccountDocument(account) })
            return .delivered
        }
        let lines = [
            ("name", account.identifier), ("account", "\(account.address)"), ("owner", "\(account.owner1)"),
            ("used", StorageSize.text(account.currentUsage)), ("reserved", StorageSize.text(account.reservedBytes)),
            ("immutable", account.isImmutable ? "yes" : "no"), ("version", account.version.rawValue),
        ]
        for (name, value) in lines {
            call.console.out(name.padding(toLength: 10, withPad: " ", startingAt: 0) + value)
        }
        return .delivered
    }
}
