import App
import Aquifer
import AquiferShadowDrive

/// `aquifer drive create NAME SIZE`: creates a storage account.
struct DriveCreateCommand: DriveHandler {
    let call: CommandCall

    init(_ call: CommandCall) throws(CommandError) { self.call = call }

    func run(_ session: DriveSession) async throws -> ExitStatus {
        let bytes = try call.size(StorageSize.parseAccount)
        // The question is asked only on a terminal. A script gives name and size, and an account can be deleted again.
        if !session.isSure, Descriptor.input.isTerminal { try session.agree(try await question(bytes, session)) }
        let created = try await session.untilInterrupted("aquifer drive list") { () async throws(DriveError) in
            try await session.drive.createStorageAccount(name: call.words[0], size: bytes) {
                if $0 == .waiting { session.waits() }
            }
        }
        session.report(created)
        return .delivered
    }

    /// The question before an account is created.
    private func question(_ bytes: UInt64, _ session: DriveSession) async throws -> Question {
        let price = try await session.price(bytes)
        let fee = Lamports.text(Lamports.perSignature * 2)
        return Question(
            action: "making the account \"\(call.words[0])\" of \(StorageSize.text(bytes))",
            lines: ["cost: \(price)", "fee: \(fee); " + (try await session.balance())])
    }
}
