import Aquifer
import AquiferWording

extension StorageTransaction {
    /// The effect of the transaction in a sentence, for the user to read before sending.
    public func message(in language: Language) -> String {
        func size(_ bytes: UInt64) -> String { language.size(bytes) }
        return switch instruction {
        case .create(let name, let bytes):
            language.text("transaction.effect.create", ["name": name, "size": size(bytes)])
        case .increase(let bytes), .increaseImmutable(let bytes):
            language.text("transaction.effect.increase", ["size": size(bytes)])
        case .decrease(let bytes, _): language.text("transaction.effect.decrease", ["size": size(bytes)])
        case .makeImmutable: language.text("transaction.effect.makeImmutable")
        case .requestDeletion: language.text("transaction.effect.requestDeletion")
        case .cancelDeletion: language.text("transaction.effect.cancelDeletion")
        case .claimStake: language.text("transaction.effect.claimStake")
        case .refreshStake: language.text("transaction.effect.refreshStake")
        case .rename(let name): language.text("transaction.effect.rename", ["name": name ?? ""])
        }
    }
}
