import App
import Aquifer
import Foundation
import ShadowDrive

/// The commands that change a storage account or delete a file. They cost something or cannot be undone, so the user is
/// asked first.
extension DriveCommand {
    /// Changes an account: adds or reduces storage, makes it immutable, requests or cancels its deletion, or claims its
    /// tokens.
    func changeAccount(_ drive: ShadowDriveService, _ console: Console) async throws {
        let bytes = name == "add-storage" || name == "reduce-storage" ? try size(StorageSize.parse) : 0
        let address = try await account(drive)
        let info = try await drive.api.storageAccountInfo(address)
        let question = try await question(bytes, info, drive)
        try console.agree(question, isSure: isSure, options)
        let onWait: @Sendable () async -> Void = { waits(console) }
        let isInList = name == "delete-account" || name == "keep-account"
        let look = isInList ? "aquifer drive list" : "aquifer drive info \(address)"
        let done = try await untilInterrupted(look) { [name] () async throws(DriveError) -> HandedOver in
            switch name {
            case "add-storage": .changed(try await drive.addStorage(bytes, to: address, onWait: onWait))
            case "reduce-storage": .changed(try await drive.reduceStorage(bytes, of: address, onWait: onWait))
            case "make-immutable": .changed(try await drive.makeImmutable(address, onWait: onWait))
            case "delete-account": .sent(try await drive.send(.requestDeletion, for: address, onWait: onWait))
            case "keep-account": .sent(try await drive.send(.cancelDeletion, for: address, onWait: onWait))
            default: .sent(try await drive.send(.claimStake, for: address, onWait: onWait))
            }
        }
        say(done, console)
    }

    /// The question with the effect of the command, its cost and the owner's balance.
    private func question(
        _ bytes: UInt64, _ account: StorageAccount, _ drive: ShadowDriveService
    ) async throws -> Question {
        let config = try await drive.storageConfig()
        func price(_ bytes: UInt64) -> String { config.map { Shades.text($0.cost(ofBytes: bytes)) } ?? "not known" }
        let called = "\"\(account.identifier)\" (\(account.address))"
        var question = Question()
        switch name {
        case "add-storage":
            question.lines = ["\(StorageSize.text(bytes)) are added to \(called)", "cost: \(price(bytes))"]
        case "reduce-storage":
            question.lines = [
                "\(StorageSize.text(bytes)) of \(called) are given back",
                "cost: nothing; \(price(bytes)) can be claimed later with aquifer drive claim",
            ]
        case "make-immutable":
            question.lines = [
                "\(called) becomes immutable for ever: its files can no longer be replaced or deleted, nor storage be given"
                    + " back", "cost: the \(price(account.reservedBytes)) that were staked for its storage",
            ]
            question.word = account.confirmation
        case "delete-account":
            question.lines = [
                "\(called) is deleted some days from now, with all its files; until then aquifer drive keep-account takes"
                    + " that back", "cost: nothing but the fee",
            ]
            question.word = account.confirmation
        default: return question
        }
        let fee = Lamports.text(Lamports.perSignature * (name == "delete-account" ? 1 : 2))
        question.lines.append("fee: \(fee); " + (try await balance(drive)))
        return question
    }

    /// The question before an account is created.
    func creation(of bytes: UInt64, _ drive: ShadowDriveService) async throws -> Question {
        let price = try await drive.storageConfig().map { Shades.text($0.cost(ofBytes: bytes)) } ?? "not known"
        let fee = Lamports.text(Lamports.perSignature * 2)
        return Question(lines: [
            "the account \"\(words[0])\" of \(StorageSize.text(bytes)) is made", "cost: \(price)",
            "fee: \(fee); " + (try await balance(drive)),
        ])
    }

    private func balance(_ drive: ShadowDriveService) async throws -> String {
        let wallet = try await drive.wallet()
        return "balance: \(Shades.text(wallet.shades)) and \(Lamports.text(wallet.lamports))"
    }

    /// Deletes a file.
    func delete(_ drive: ShadowDriveService, _ console: Console) async throws {
        let location = try location()
        try console.agree(
            Question(lines: ["\(location.name) is deleted from \(location.account), for good", "cost: nothing"]),
            isSure: isSure, options)
        let look = "aquifer drive files \(location.account)"
        say(
            try await untilInterrupted(look) { () async throws(DriveError) in try await drive.deleteFile(location) },
            console)
    }
}
