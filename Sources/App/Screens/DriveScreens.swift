import Aquifer
import Foundation
import ShadowDrive

/// Shadow Drive as the pages use it: one service for all of them, and what is wrong with the key, if anything is. No state
/// of a screen holds the secret.
struct DriveAccess: Sendable {
    let service: ShadowDriveService
    let problem: KeypairError?

    func fields(_ language: Language) -> [(String, JSONText)] {
        [
            ("owner", .string(service.owner.map { "\($0)" })),
            ("needsKey", .bool(service.owner == nil)),
            (
                "keyText",
                .string(
                    problem.map {
                        language.pick("The key file can’t be used: \($0).", "O arquivo da chave não serve: \($0).")
                    } ?? (service.owner == nil ? DriveError.noKeypair.message(in: language) : nil))
            ),
        ]
    }
}

/// What is done to its end, even when the page that asked for it is left: half a transaction helps nobody.
@MainActor
func toItsEnd(_ work: @escaping ScreenAction) -> ScreenAction {
    { await Task { await work() }.value }
}

/// The storage accounts as the page draws them.
@MainActor
final class DriveScreen: Screen {
    private let model: AccountsModel
    private let access: DriveAccess
    private var hasAppeared = false

    init(_ access: DriveAccess) {
        self.access = access
        model = AccountsModel(access.service)
    }

    func state(_ context: ScreenContext) -> JSONText {
        let language = context.language
        let accounts = model.accounts.map { account in
            JSONText.object(
                [("address", .string("\(account.address)")), ("name", .string(account.identifier))]
                    + account.fields(language))
        }
        let list =
            model.list.map { context.fields(of: $0) } ?? [("phase", .string("loaded")), ("isLoading", .bool(false))]
        return .object(
            [("title", .string("Drive"))] + list + access.fields(language) + [
                ("accounts", .array(accounts)), ("isEmpty", .bool(model.isEmpty)),
                (
                    "totalText",
                    model.accounts.isEmpty
                        ? .null : .string(language.usage(of: model.usedBytes, in: model.reservedBytes))
                ),
                (
                    "partialText",
                    model.isPartial
                        ? .string(
                            language.pick(
                                "Older accounts may be missing here until there is a connection.",
                                "Contas mais antigas podem faltar aqui até haver conexão.")) : .null
                ),
            ])
    }

    func action(for intent: Intent) -> ScreenAction? {
        let model = model
        return switch intent.name {
        case "appear":
            {
                // Who comes back from making or changing an account finds it as it is now.
                if self.hasAppeared { return await model.refresh() }
                self.hasAppeared = true
                await model.appear()
            }
        case "refresh": { await model.refresh() }
        case "dismissError": { model.dismissError() }
        default: nil
        }
    }
}

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

extension StorageAccount {
    /// How full it is and what it is, for every page that shows it.
    func fields(_ language: Language) -> [(String, JSONText)] {
        let share = reservedBytes == 0 ? 1 : min(1, Double(currentUsage) / Double(reservedBytes))
        return [
            ("usageText", .string(language.usage(of: currentUsage, in: reservedBytes))),
            ("freeText", .string(language.storage(freeBytes))), ("percent", .int(Int((share * 100).rounded(.up)))),
            ("isImmutable", .bool(isImmutable)), ("isToBeDeleted", .bool(isToBeDeleted)),
        ]
    }
}

extension Language {
    /// A number of bytes as Shadow Drive counts them: `1.5 MB`, of 1024.
    func storage(_ bytes: UInt64) -> String { own(StorageSize.text(bytes)) }

    /// An amount of SHDW.
    func amount(_ shades: UInt64) -> String { own(Shades.text(shades)) }

    func usage(of used: UInt64, in reserved: UInt64) -> String {
        pick("\(storage(used)) of \(storage(reserved)) used", "\(storage(used)) de \(storage(reserved)) em uso")
    }

    private func own(_ text: String) -> String {
        (self == .english ? text : text.replacing(".", with: ",")).replacing(" ", with: "\u{a0}")
    }
}
