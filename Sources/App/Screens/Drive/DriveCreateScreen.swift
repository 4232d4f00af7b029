import Aquifer
import Foundation
import ShadowDrive

/// The form of a new storage account as the page draws it.
@MainActor
final class DriveCreateScreen: Screen {
    private let model: CreateAccountModel
    private let access: DriveAccess

    init(_ access: DriveAccess) {
        self.access = access
        model = CreateAccountModel(access.service)
    }

    func state(_ context: ScreenContext) -> JSONText {
        let language = context.language
        var (phase, step, created, message, isUnknown) = ("editing", String?.none, JSONText.null, String?.none, false)
        switch model.phase {
        case .editing: break
        case .creating(let now): (phase, step) = ("creating", words(now, language))
        case .created(let account):
            phase = "created"
            created = .object([
                ("address", .string("\(account.account.address)")), ("name", .string(account.account.identifier)),
                ("sizeText", .string(language.storage(account.account.reservedBytes))),
            ])
            message = account.saveError?.saveMessage(in: language)
        case .failed(let error):
            (phase, message, isUnknown) = ("failed", error.message(in: language), error.isOutcomeUnknown)
        }
        return .object(
            [
                ("title", .string(language.pick("New storage account", "Nova conta de armazenamento"))),
                ("phase", .string(phase)), ("step", .string(step)),
                ("name", .string(model.name)), ("nameError", .string(model.nameError?.message(in: language))),
                ("size", .string(model.sizeText)), ("sizeError", .string(model.sizeError?.message(in: language))),
                ("costText", .string(model.cost.map { language.amount($0) })),
                ("isPriceKnown", .bool(model.config != nil)),
                ("canCreate", .bool(model.canCreate)), ("created", created), ("message", .string(message)),
                ("isUnknown", .bool(isUnknown)),
                ("balanceText", .string(model.wallet.map { language.shortBalance($0) })),
                ("balanceExact", .string(model.wallet.map { language.balance($0) })),
                ("handed", .string(model.handedText)), ("handedText", handedText(language)),
                ("handedOwner", .string(model.handed.map { "\($0.owner)" })),
                ("handedConfirmation", .string(model.handedConfirmation)),
                ("handedError", .string(model.handedError?.message(in: language))),
                ("canHandOver", .bool(model.canHandOver)),
                ("handedOver", .string(model.handedOver.map { $0.signature.map { "\($0)" } ?? "" })),
            ] + access.fields(language))
    }

    func refresh() async { await model.appear() }

    func action(for intent: Intent) -> ScreenAction? {
        let model = model
        return switch intent.name {
        case "appear": { await model.appear() }
        case "name": { model.enter(name: intent["text"]) }
        case "size": { model.enter(size: intent["text"]) }
        case "create": toItsEnd { await model.create() }
        case "again": { model.again() }
        case "transaction":
            {
                model.enter(transaction: intent["text"])
                await model.lookAtHanded()
            }
        case "handOver": toItsEnd { await model.handOver(confirmedBy: intent["typed"]) }
        default: nil
        }
    }

    /// What the transaction that was typed asks for, and its price, if it has one.
    private func handedText(_ language: Language) -> JSONText {
        guard let handed = model.handed else { return .null }
        let cost =
            switch model.handedCost {
            case .nothing: ""
            case .shades(let shades):
                language.pick(" It costs \(language.amount(shades)).", " Custa \(language.amount(shades)).")
            case .unknown where model.isAskingForPrices:
                language.pick(" Asking for the price…", " Consultando o preço…")
            case .unknown: language.pick(" The price is not known now.", " O preço não é conhecido agora.")
            }
        return .string(handed.message(in: language) + cost + fee(of: handed, language))
    }

    /// What Solana takes, and what the owner has.
    private func fee(of handed: StorageTransaction, _ language: Language) -> String {
        let (fee, priority) = (language.fee(handed.fee), language.fee(handed.computeBudget.priorityFee))
        let part =
            handed.computeBudget.priorityFee > 0
            ? language.pick(" (\(priority) of it for priority)", " (\(priority) por prioridade)") : ""
        let balance = model.handedWallet.map { language.balance($0) }
        return language.pick(" Fee: \(fee)\(part).", " Taxa: \(fee)\(part).")
            + (balance.map { language.pick(" The owner has \($0).", " O dono tem \($0).") } ?? "")
    }

    private func words(_ step: CreationStep, _ language: Language) -> String {
        switch step {
        case .counting: language.pick("Counting your accounts…", "Contando suas contas…")
        case .signing: language.pick("Signing on this machine…", "Assinando nesta máquina…")
        case .sending: language.pick("Waiting for Solana…", "Esperando a Solana…")
        case .waiting:
            language.pick(
                "Solana did not know the transaction’s time. Waiting until the first try can no longer count: about a minute…",
                "A Solana não conhecia o momento da transação. Esperando até que a primeira tentativa não possa mais valer: cerca de um minuto…"
            )
        }
    }
}
