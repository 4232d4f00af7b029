import App
import AquiferShadowDrive
import Foundation

/// `aquifer drive make-immutable ACCOUNT`: makes an account immutable for ever.
struct DriveMakeImmutableCommand: AccountChange {
    let call: CommandCall

    init(_ call: CommandCall) throws(CommandError) { self.call = call }

    func question(_ account: StorageAccount, _ session: DriveSession) async throws -> Question? {
        let price = try await session.price(account.reservedBytes)
        return Question(
            action: "making \(account.called) immutable for ever",
            lines: [
                "its files can no longer be replaced or deleted, nor storage be given back",
                "cost: the \(price) that were staked for its storage",
            ], word: account.confirmation)
    }

    func change(
        _ address: PublicKey, named name: String?, _ session: DriveSession
    ) async throws(DriveError) -> HandedOver {
        .changed(try await session.drive.makeImmutable(address, named: name) { session.waits() })
    }
}

/// `aquifer drive delete-account ACCOUNT`: has an account deleted with its files, some days later.
struct DriveDeleteAccountCommand: AccountChange {
    let call: CommandCall
    let signatures: UInt64 = 1

    init(_ call: CommandCall) throws(CommandError) { self.call = call }

    func question(_ account: StorageAccount, _ session: DriveSession) -> Question? {
        Question(
            action: "deleting \(account.called) with all its files",
            lines: [
                "it happens some days from now; until then aquifer drive keep-account cancels it",
                "cost: nothing but the fee",
            ], word: account.confirmation)
    }

    func look(_ address: PublicKey) -> String { "aquifer drive list" }

    func outcome(_ account: StorageAccount) -> String {
        "\(account.called) will be deleted with all its files some days from now; aquifer drive keep-account cancels that"
    }

    func change(
        _ address: PublicKey, named name: String?, _ session: DriveSession
    ) async throws(DriveError) -> HandedOver {
        .sent(try await session.drive.send(.requestDeletion, for: address, named: name) { session.waitsForSolana() })
    }
}

/// `aquifer drive keep-account ACCOUNT`: cancels the deletion of an account. Nothing is asked.
struct DriveKeepAccountCommand: AccountChange {
    let call: CommandCall

    init(_ call: CommandCall) throws(CommandError) { self.call = call }

    func question(_ account: StorageAccount, _ session: DriveSession) -> Question? { nil }

    func outcome(_ account: StorageAccount) -> String { "\(account.called) is kept; its deletion is cancelled" }

    func look(_ address: PublicKey) -> String { "aquifer drive list" }

    func change(
        _ address: PublicKey, named name: String?, _ session: DriveSession
    ) async throws(DriveError) -> HandedOver {
        .sent(try await session.drive.send(.cancelDeletion, for: address) { session.waitsForSolana() })
    }
}
