import App
import AquiferShadowDrive
import Foundation

/// A command that changes a storage account. Most of them cost something or cannot be undone, so the user is asked first.
protocol AccountChange: DriveHandler {
    /// The question with the effect of the change and its cost; `nil` if nothing is asked.
    func question(_ account: StorageAccount, _ session: DriveSession) async throws -> Question?

    /// What has happened, for a change to which the server answers with nothing but a signature.
    func outcome(_ account: StorageAccount) -> String

    /// The number of signatures that the fee pays for.
    var signatures: UInt64 { get }

    /// The command that shows the outcome.
    func look(_ address: PublicKey) -> String

    /// Makes the change.
    ///
    /// - Parameter name: the account's name, as the user wrote it or saw it; `nil` if they know its address alone.
    func change(
        _ address: PublicKey, named name: String?, _ session: DriveSession
    ) async throws(DriveError) -> HandedOver
}

extension AccountChange {
    var signatures: UInt64 { 2 }

    func look(_ address: PublicKey) -> String { "aquifer drive info \(address)" }

    func outcome(_ account: StorageAccount) -> String { "" }

    func run(_ session: DriveSession) async throws -> ExitStatus {
        let address = try await session.account()
        let info = try await session.drive.api.storageAccountInfo(address)
        if var question = try await question(info, session) {
            let fee = Lamports.text(Lamports.perSignature * signatures)
            question.lines.append("fee: \(fee); " + (try await session.balance()))
            try session.agree(question)
        }
        let word = call.words[0]
        let isAddress = (try? PublicKey(word)) != nil  // a text that is no address is a name
        let name = isAddress ? info.visibleName : word
        let done = try await session.untilInterrupted(look(address)) { () async throws(DriveError) in
            try await change(address, named: name, session)
        }
        session.report(done, outcome(info))
        return .delivered
    }

}

extension StorageAccount {
    /// The name and the address of the account.
    var called: String { "\"\(identifier)\" (\(address))" }
}

extension Wallet {
    /// The balance in words.
    var text: String { "\(Shades.text(shades)) and \(Lamports.text(lamports))" }
}

extension DriveSession {
    /// The price of storage in words.
    func price(_ bytes: UInt64) async throws -> String {
        try await drive.storageConfig().map { Shades.text($0.cost(ofBytes: bytes)) } ?? "not known"
    }
}
