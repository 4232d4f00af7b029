import AquiferSolana
import Foundation

/// The owners' tokens, and the tokens that wait to be claimed.
extension DriveStore {
    /// The initial balance of every owner in shades: 10,000 SHDW.
    static let gift: UInt64 = 10_000_000_000_000

    /// The owner with this token account, among the owners that have made a storage account; `nil` if there is none.
    func owner(tokens: PublicKey, in program: ShadowDriveProgram) throws -> Owner? {
        let folder = root.appending(path: "owners")
        // A missing folder means that there are none yet.
        guard let names = try? FileManager.default.contentsOfDirectory(atPath: folder.path) else { return nil }
        for name in names {
            let owner = try read(Owner.self, from: folder.appending(path: name))
            if let owner, program.tokenAccount(of: owner.owner) == tokens { return owner }
        }
        return nil
    }

    /// The storage account whose tokens wait to be claimed at this address; `nil` if there is none.
    func account(unstakeInfo: PublicKey, in program: ShadowDriveProgram) throws -> DriveAccount? {
        let folder = root.appending(path: "accounts")
        // A missing folder means that there are none yet.
        guard let names = try? FileManager.default.contentsOfDirectory(atPath: folder.path) else { return nil }
        for case let key? in names.map({ ReferenceDrive.key($0) }) where program.unstakeInfo(of: key) == unstakeInfo {
            return try account(key)
        }
        return nil
    }

    /// Debits the owner with the price of a change, or credits the claimed tokens.
    func settle(_ transaction: StorageTransaction, _ claimed: UInt64, in program: ShadowDriveProgram) throws {
        let file = root.appending(path: "owners/\(program.userInfo(of: transaction.owner)).json")
        guard var owner = try read(Owner.self, from: file) else { return }
        switch transaction.instruction {
        case .increase(let bytes), .increaseImmutable(let bytes):
            try owner.pay(ReferenceDrive.config(program).cost(ofBytes: bytes))
        case .claimStake: owner.paid = (owner.paid ?? 0) - min(claimed, owner.paid ?? 0)
        default: return
        }
        try write(owner, to: file)
    }
}

extension DriveStore.Owner {
    /// The owner's remaining balance in shades.
    var shades: UInt64 { DriveStore.gift - min(paid ?? 0, DriveStore.gift) }

    /// Debits the balance. If it is too low, this fails as the token program does.
    mutating func pay(_ shades: UInt64) throws(ReferenceRefusal) {
        guard shades <= self.shades else {
            throw DriveAccount.simulation("Error processing Instruction 0: custom program error: 0x1")
        }
        paid = (paid ?? 0) + shades
    }
}
