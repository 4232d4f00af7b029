import App
import Aquifer
import AquiferShadowDrive
import AquiferWording
import Foundation

/// `aquifer drive submit TRANSACTION`: sends a transaction that was signed elsewhere, given in base64 or as `-` for standard
/// input.
struct DriveSubmitCommand: DriveHandler {
    let call: CommandCall

    init(_ call: CommandCall) throws(CommandError) { self.call = call }

    func run(_ session: DriveSession) async throws -> ExitStatus {
        let word = call.words[0]
        let text = word == "-" ? try call.console.line("the transaction") : word
        let transaction = try SolanaTransaction(base64: text.filter { !$0.isWhitespace })
        let asked = try session.drive.parse(transaction)
        let info = session.isSure ? nil : await account(of: asked, session.drive)
        if !session.isSure { try session.agree(await question(asked, info, session.drive)) }
        let isNew = if case .create = asked.instruction { true } else { false }
        let look = isNew ? "aquifer drive list" : "aquifer drive info \(asked.account)"
        let done = try await session.untilInterrupted(look) { () async throws(DriveError) in
            try await session.drive.handOver(transaction, named: info?.visibleName) { session.waitsForSolana() }
        }
        session.report(done, "carried out: \(asked.message(in: .english))")
        return .delivered
    }

    /// The question with the transaction's effect, account, owner and cost. A value that cannot be loaded is shown as
    /// "not known", and the user decides.
    private func question(
        _ asked: StorageTransaction, _ info: StorageAccount?, _ drive: ShadowDriveService
    ) async -> Question {
        var question = Question(
            action: "sending the transaction",
            lines: [asked.message(in: .english), "account: \(asked.account)", "owner: \(asked.owner)"])
        let config = try? await drive.storageConfig()  // told as "not known"
        func price(_ bytes: UInt64?) -> String {
            guard let config, let bytes else { return "not known" }
            return Shades.text(config.cost(ofBytes: bytes))
        }
        switch asked.instruction {
        case .create(_, let bytes), .increase(let bytes), .increaseImmutable(let bytes):
            question.lines.append("cost: \(price(bytes))")
        case .decrease(let bytes, _):
            question.lines.append("cost: nothing; \(price(bytes)) can be claimed later with aquifer drive claim")
        case .makeImmutable:
            question.word = info?.confirmation ?? "\(asked.account)"
            question.lines += [
                "\(called(info, asked)) becomes immutable for ever: its files can no longer be replaced or deleted, nor"
                    + " storage be given back", "cost: what was staked for its storage: \(price(info?.reservedBytes))",
            ]
        case .requestDeletion:
            question.word = info?.confirmation ?? "\(asked.account)"
            question.lines += [
                "\(called(info, asked)) is deleted some days from now", "cost: nothing but the fee",
            ]
        case .cancelDeletion, .claimStake, .refreshStake, .rename: question.lines.append("cost: nothing but the fee")
        }
        let wallet = try? await drive.wallet(of: asked.owner)  // told as "not known"
        let balance = wallet?.text ?? "not known"
        let priority = asked.computeBudget.priorityFee
        let part = priority > 0 ? " (\(Lamports.text(priority)) of it for priority)" : ""
        question.lines.append("fee: \(Lamports.text(asked.fee))\(part); the owner's balance: \(balance)")
        return question
    }

    /// The account of a transaction that cannot be undone; `nil` for other transactions, and if it is not known.
    private func account(of asked: StorageTransaction, _ drive: ShadowDriveService) async -> StorageAccount? {
        switch asked.instruction {
        case .makeImmutable, .requestDeletion:
            return try? await drive.api.storageAccountInfo(asked.account)  // told as "not known"
        default: return nil
        }
    }

    private func called(_ info: StorageAccount?, _ asked: StorageTransaction) -> String {
        info?.called ?? "\(asked.account)"
    }
}
