import Aquifer
import Foundation
import Observation

/// The list of what can be said, and what of it is searched for.
@MainActor @Observable
public final class FoaasOperationsModel {
    /// The list's state.
    public let list: ResourceModel<FoaasOperations>
    /// What is searched for.
    public private(set) var query = ""

    /// The operations that match the search, in the remote's order.
    public var operations: [FoaasOperation] { (list.value?.operations ?? []).filter { $0.matches(query) } }
    /// How many could not be read.
    public var skipped: Int { list.value?.skipped ?? 0 }
    /// Whether a load has shown that there are no operations at all.
    public var isEmpty: Bool { list.value?.operations.isEmpty == true && !list.isLoading }
    /// Whether there are operations, and none of them matches.
    public var hasNoMatch: Bool { list.value?.operations.isEmpty == false && operations.isEmpty }

    /// The screen of a service's operations.
    public init(_ service: FoaasService) {
        list = ResourceModel(service.operations)
    }

    /// Searches names, paths and fields.
    public func search(_ query: String) { self.query = query }
}
