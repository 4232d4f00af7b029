import App
import AquiferShadowDrive
import Foundation

/// `aquifer drive add-storage ACCOUNT SIZE`: adds storage to an account.
struct DriveAddStorageCommand: AccountChange {
    let call: CommandCall
    private let bytes: UInt64

    init(_ call: CommandCall) throws(CommandError) {
        self.call = call
        bytes = try call.size(StorageSize.parse)
    }

    func question(_ account: StorageAccount, _ session: DriveSession) async throws -> Question? {
        let price = try await session.price(bytes)
        return Question(
            action: "adding \(StorageSize.text(bytes)) to \(account.called)", lines: ["cost: \(price)"])
    }

    func change(
        _ address: PublicKey, named name: String?, _ session: DriveSession
    ) async throws(DriveError) -> HandedOver {
        .changed(try await session.drive.addStorage(bytes, to: address) { session.waits() })
    }
}

/// `aquifer drive reduce-storage ACCOUNT SIZE`: gives storage of an account back.
struct DriveReduceStorageCommand: AccountChange {
    let call: CommandCall
    private let bytes: UInt64

    init(_ call: CommandCall) throws(CommandError) {
        self.call = call
        bytes = try call.size(StorageSize.parse)
    }

    func question(_ account: StorageAccount, _ session: DriveSession) async throws -> Question? {
        let price = try await session.price(bytes)
        return Question(
            action: "giving back \(StorageSize.text(bytes)) of \(account.called)",
            lines: ["cost: nothing; \(price) can be claimed later with aquifer drive claim"])
    }

    func change(
        _ address: PublicKey, named name: String?, _ session: DriveSession
    ) async throws(DriveError) -> HandedOver {
        .changed(try await session.drive.reduceStorage(bytes, of: address) { session.waits() })
    }
}

/// `aquifer drive claim ACCOUNT`: takes back the tokens of storage that was given back. Nothing is asked.
struct DriveClaimCommand: AccountChange {
    let call: CommandCall

    init(_ call: CommandCall) throws(CommandError) { self.call = call }

    func question(_ account: StorageAccount, _ session: DriveSession) -> Question? { nil }

    func outcome(_ account: StorageAccount) -> String {
        "the tokens of the storage that \(account.called) gave back are in your wallet now"
    }

    func change(
        _ address: PublicKey, named name: String?, _ session: DriveSession
    ) async throws(DriveError) -> HandedOver {
        .sent(try await session.drive.send(.claimStake, for: address) { session.waitsForSolana() })
    }
}
