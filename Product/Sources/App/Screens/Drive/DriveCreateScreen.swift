import Aquifer
import AquiferShadowDrive
import AquiferWording
import Foundation

/// The form of a new storage account as its page draws it.
@MainActor
final class DriveCreateScreen: Screen {
    static let name = "drive-create"

    private let model: CreateAccountModel
    private let access: DriveAccess

    init(_ address: ScreenAddress, in hub: ScreenHub) {
        access = hub.drive
        model = CreateAccountModel(access.service)
    }

    func state(_ context: ScreenContext) -> State {
        let language = context.language
        var (phase, step, created, message) = (Phase.editing, String?.none, Created?.none, String?.none)
        var (isUnknown, isPriceChanged) = (false, false)
        switch model.phase {
        case .editing: break
        case .creating(let now): (phase, step) = (.creating, words(now, language))
        case .created(let account):
            phase = .created
            created = Created(
                address: "\(account.account.address)", name: account.account.identifier,
                sizeText: language.size(account.account.reservedBytes))
            message = account.saveError?.saveMessage(in: language)
        case .failed(let error):
            (phase, message, isUnknown) = (.failed, error.message(in: language), error.isOutcomeUnknown)
            isPriceChanged = error.isPriceChanged
        }
        return State(
            phase: phase, step: step,
            name: model.name, nameError: model.nameError?.message(in: language), size: model.sizeText,
            sizeError: model.sizeError?.message(in: language),
            spend: model.cost.map { Spend($0, of: model.wallet, language) },
            isPriceKnown: model.config != nil, canCreate: model.canCreate, created: created, message: message,
            isUnknown: isUnknown, isPriceChanged: isPriceChanged,
            balanceText: model.wallet.map { language.shortBalance($0) },
            balanceExact: model.wallet.map { language.balance($0) }, handed: model.handedText,
            handedText: handedText(language), handedOwner: model.handed.map { "\($0.owner)" },
            handedConfirmation: model.handedConfirmation,
            handedError: model.handedError?.message(in: language), canHandOver: model.canHandOver,
            handedOver: model.handedOver.map { $0.signature.map { "\($0)" } ?? "" }, owner: access.owner,
            needsKey: access.needsKey, keyText: access.keyText(language))
    }

    func refresh() async { await model.appear() }

    func connectionRestored() async { await model.appear() }

    func action(for intent: Intent, _ fields: IntentFields) throws(IntentError) -> ScreenAction {
        let model = model
        switch intent {
        case .appear: return { await model.appear() }
        case .name:
            let text = try fields.text("text")
            return { model.enter(name: text) }
        case .size:
            let text = try fields.text("text")
            return { model.enter(size: text) }
        case .create:
            let (size, price) = (try fields.text("size"), try fields.shownPrice())
            return toItsEnd { await model.create(size, at: price) }
        case .again: return { model.again() }
        case .transaction:
            let text = try fields.text("text")
            return {
                model.enter(transaction: text)
                await model.lookAtHanded()
            }
        case .handOver:
            let typed = fields["typed"] ?? ""
            // A transaction that was typed over this one may never have arrived.
            guard try fields.text("transaction") == model.handedText else { throw .outdated("transaction") }
            return toItsEnd { await model.handOver(confirmedBy: typed) }
        }
    }

    /// A description of the transaction that was typed, with its price, if it has one.
    private func handedText(_ language: Language) -> String? {
        guard let handed = model.handed else { return nil }
        let cost =
            switch model.handedCost {
            case .nothing: ""
            case .shades(let shades): language.text("drive.hand.cost", ["cost": language.amount(shades)])
            case .unknown where model.isAskingForPrices: language.text("drive.hand.asking")
            case .unknown: language.text("drive.hand.noPrice")
            }
        return handed.message(in: language) + cost + fee(of: handed, language)
    }

    /// Solana's fee, and the owner's balance.
    private func fee(of handed: StorageTransaction, _ language: Language) -> String {
        let (fee, priority) = (language.fee(handed.fee), language.fee(handed.computeBudget.priorityFee))
        let part =
            handed.computeBudget.priorityFee > 0
            ? language.text("drive.hand.priority", ["priority": priority]) : ""
        let balance = model.handedWallet.map { language.balance($0) }
        return language.text("drive.hand.fee", ["fee": fee, "part": part])
            + (balance.map { language.text("drive.hand.balance", ["balance": $0]) } ?? "")
    }

    private func words(_ step: CreationStep, _ language: Language) -> String {
        switch step {
        case .counting: language.text("drive.step.counting")
        case .signing: language.text("drive.step.signing")
        case .sending: language.text("drive.step.waiting")
        case .waiting: language.text("drive.step.again")
        }
    }
}
