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
                    + account.fields(language) + [
                        (
                            "savedText",
                            .string(
                                model.addedAt(account).map {
                                    language.pick(
                                        "Saved \(language.relative($0, now: context.now))",
                                        "Salva \(language.relative($0, now: context.now))")
                                })
                        )
                    ])
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

    func refresh() async { await model.refresh() }

    func action(for intent: Intent) -> ScreenAction? {
        let model = model
        return switch intent.name {
        case "appear":
            {
                // An account that was made or changed meanwhile is shown as it is now.
                if self.hasAppeared { return await model.refresh() }
                self.hasAppeared = true
                await model.appear()
                await self.validate()
            }
        case "dismissError": { model.dismissError() }
        default: nil
        }
    }

    private func validate() async {
        guard let list = model.list, let cache = access.service.shelf?.cache else { return }
        await list.validateDelivered { () async throws(StoreError) in
            try await cache.validate()
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
    func usage(of used: UInt64, in reserved: UInt64) -> String {
        pick("\(storage(used)) of \(storage(reserved)) used", "\(storage(used)) de \(storage(reserved)) em uso")
    }
}
