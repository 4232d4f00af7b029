import Aquifer
import AquiferShadowDrive
import AquiferWording
import Foundation

/// The storage accounts as their page draws them.
@MainActor
final class DriveScreen: Screen {
    static let name = "drive"

    struct State: ScreenState {
        let phase: LoadPhase
        let isLoading: Bool
        @OrNull var notice: String?
        @OrNull var error: ScreenError?
        @OrNull var owner: String?
        let needsKey: Bool
        @OrNull var keyText: String?
        let accounts: [Account]
        let isEmpty: Bool
        /// The storage of all accounts, in words.
        @OrNull var totalText: String?
        /// The message that accounts may be missing.
        @OrNull var partialText: String?
    }

    struct Account: Codable, Sendable {
        let address: String
        let name: String
        let usageText: String
        let freeText: String
        let percent: Int
        let isImmutable: Bool
        let isToBeDeleted: Bool
        @OrNull var savedText: String?
    }

    enum Intent: String, ScreenIntent { case appear, dismissError }

    private let model: AccountsModel
    private let access: DriveAccess
    private var hasAppeared = false

    init(_ address: ScreenAddress, in hub: ScreenHub) {
        access = hub.drive
        model = AccountsModel(access.service)
    }

    func state(_ context: ScreenContext) -> State {
        let language = context.language
        let progress = model.list.map { context.progress(of: $0) } ?? LoadProgress()
        let partialText = language.text("drive.partial")
        return State(
            phase: progress.phase, isLoading: progress.isLoading, notice: progress.notice,
            error: progress.error, owner: access.owner, needsKey: access.needsKey, keyText: access.keyText(language),
            accounts: model.accounts.map { account($0, context) }, isEmpty: model.isEmpty,
            totalText: model.accounts.isEmpty ? nil : language.usage(of: model.usedBytes, in: model.reservedBytes),
            partialText: model.isPartial ? partialText : nil)
    }

    private func account(_ account: StorageAccount, _ context: ScreenContext) -> Account {
        let language = context.language
        let savedText = model.addedAt(account).map {
            language.text("drive.saved", ["age": language.relative($0, now: context.now)])
        }
        return Account(
            address: "\(account.address)", name: account.identifier,
            usageText: language.usage(of: account.currentUsage, in: account.reservedBytes),
            freeText: language.size(account.freeBytes), percent: account.percent,
            isImmutable: account.isImmutable, isToBeDeleted: account.isToBeDeleted, savedText: savedText)
    }

    func refresh() async { await model.refresh() }

    func connectionRestored() async { await model.list?.connectionRestored() }

    func action(for intent: Intent, _ fields: IntentFields) -> ScreenAction {
        let model = model
        return switch intent {
        case .appear:
            {
                // An account that was made or changed meanwhile is shown as it is now.
                if self.hasAppeared { return await model.refresh() }
                self.hasAppeared = true
                await model.appear()
                await self.validate()
            }
        case .dismissError: { model.dismissError() }
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
    /// The share of its storage that is used, rounded up.
    var percent: Int {
        let share = reservedBytes == 0 ? 1 : min(1, Double(currentUsage) / Double(reservedBytes))
        return Int((share * 100).rounded(.up))
    }
}

extension Language {
    func usage(of used: UInt64, in reserved: UInt64) -> String {
        text("drive.usage.text", ["used": size(used), "reserved": size(reserved)])
    }
}
