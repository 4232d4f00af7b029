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
            ] + access.fields(language))
    }

    func action(for intent: Intent) -> ScreenAction? {
        let model = model
        return switch intent.name {
        case "appear": { await model.appear() }
        case "name": { model.enter(name: intent["text"]) }
        case "size": { model.enter(size: intent["text"]) }
        case "create": toItsEnd { await model.create() }
        case "again": { model.again() }
        default: nil
        }
    }

    private func words(_ step: CreationStep, _ language: Language) -> String {
        switch step {
        case .counting: language.pick("Counting your accounts…", "Contando suas contas…")
        case .signing: language.pick("Signing on this machine…", "Assinando nesta máquina…")
        case .sending: language.pick("Waiting for Solana…", "Esperando a Solana…")
        }
    }
}
