import Aquifer
import AquiferFoundation
import Observation

/// The screen of an owner's storage accounts.
@MainActor @Observable
public final class AccountsModel {
    /// The list's state; `nil` if there is no key.
    public let list: ResourceModel<AccountList>?
    /// The owner of the accounts; `nil` if there is no key.
    public let owner: PublicKey?

    /// The accounts to show.
    public var accounts: [StorageAccount] { list?.value?.accounts ?? [] }
    /// True if there is no key, and so nothing to list.
    public var needsKey: Bool { list == nil }
    /// True if a load has shown that there are no accounts.
    public var isEmpty: Bool { list?.value?.accounts.isEmpty == true && list?.isLoading == false }
    /// True if older accounts may be missing from the shown list.
    public var isPartial: Bool { list?.value?.isComplete == false }
    /// The time at which an account was added to the saved list. It is `nil` for an account that was fetched with the
    /// list, and while the list is the latest.
    public func addedAt(_ account: StorageAccount) -> Date? {
        guard case .cache? = list?.source else { return nil }
        return list?.value?.addedAt(account.address)
    }
    /// The total reserved storage in bytes. It is the largest `UInt64` if the sum is larger.
    public var reservedBytes: UInt64 { accounts.map(\.reservedBytes).saturatingSum }
    /// The total used storage in bytes. It is the largest `UInt64` if the sum is larger.
    public var usedBytes: UInt64 { accounts.map(\.currentUsage).saturatingSum }

    /// Creates the screen of a service's accounts.
    public init(_ service: ShadowDriveService) {
        list = service.accounts.map { ResourceModel($0) }
        owner = service.owner
    }

    /// Loads the list when the screen first becomes visible.
    public func appear() async { await list?.appear() }

    /// Loads the latest.
    public func refresh() async { await list?.refresh() }

    /// Clears the error after the user has read it.
    public func dismissError() { list?.dismissError() }
}
