import Aquifer
import AquiferFoundation
import Observation

/// The screen of the operations: the list, and the search in it.
@MainActor @Observable
public final class FoaasOperationsModel {
    /// The list's state.
    public let list: ResourceModel<FoaasOperations>
    /// The text that is searched for.
    public private(set) var query = ""

    /// The operations that match the search, in the remote's order.
    public var operations: [FoaasOperation] { (list.value?.operations ?? []).filter { $0.matches(query) } }
    /// The number of operations that could not be read.
    public var skipped: Int { list.value?.skipped ?? 0 }
    /// True if a load has shown that there are no operations at all.
    public var isEmpty: Bool { list.value?.operations.isEmpty == true && !list.isLoading }
    /// True if there are operations, and none of them matches.
    public var hasNoMatch: Bool { list.value?.operations.isEmpty == false && operations.isEmpty }

    @ObservationIgnored private var observation: FoaasObservation?

    /// The screen of a service's operations. `center` tells it when the operations that the app starts with are known:
    /// a list that could not be loaded before is then loaded.
    public init(_ service: FoaasService, center: NotificationCenter = .default) {
        let operations = service.operations
        list = ResourceModel(
            ResourceModel.Loading(
                load: { () async throws(LoadError) in try await service.loadOperations() },
                saved: { () async throws(StoreError) in try await operations.saved() },
                isFresh: { operations.isFresh($0) }, fallback: operations.fallback))
        observation = center.observeFoaasOperations { [weak self] in
            guard let list = self?.list, list.phase == .failed, list.value == nil else { return }
            Task { await list.refresh() }
        }
    }

    /// Searches names, paths and fields.
    public func search(_ query: String) { self.query = query }
}
