import Aquifer
import Foundation
import ShadowDrive

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
