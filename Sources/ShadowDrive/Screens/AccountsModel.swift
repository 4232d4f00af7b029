import Aquifer
import Foundation
import Observation

/// The screen of an owner's storage accounts.
@MainActor @Observable
public final class AccountsModel {
    /// The list's state; `nil` where there is no key.
    public let list: ResourceModel<AccountList>?
    /// Whose accounts these are.
    public let owner: PublicKey?

    /// The accounts to show.
    public var accounts: [StorageAccount] { list?.value?.accounts ?? [] }
    /// Whether there is no key, and so nothing to list.
    public var needsKey: Bool { list == nil }
    /// Whether a load has shown that there are no accounts at all.
    public var isEmpty: Bool { list?.value?.accounts.isEmpty == true && list?.isLoading == false }
    /// Whether older accounts may be missing from what is shown.
    public var isPartial: Bool { list?.value?.isComplete == false }
    /// How many bytes are reserved in all.
    public var reservedBytes: UInt64 { accounts.reduce(0) { $0 &+ $1.reservedBytes } }
    /// How many bytes are taken in all.
    public var usedBytes: UInt64 { accounts.reduce(0) { $0 &+ $1.currentUsage } }

    /// The screen of a service's accounts.
    public init(_ service: ShadowDriveService) {
        list = service.accounts.map { ResourceModel($0) }
        owner = service.owner
    }

    /// The screen is visible: loads, the first time.
    public func appear() async { await list?.appear() }

    /// Loads the latest.
    public func refresh() async { await list?.refresh() }

    /// The customer has read what went wrong.
    public func dismissError() { list?.dismissError() }
}
