import Aquifer
import Foundation
import Observation

/// The screen of the contacts: the list, and what of it is searched for.
@MainActor @Observable
public final class ContactsModel {
    /// The list's state.
    public let list: ResourceModel<[Contact]>
    /// What is searched for.
    public private(set) var query = ""

    /// The contacts that match the search, in the remote's order.
    public var contacts: [Contact] { (list.value ?? []).filter { $0.matches(query) } }
    /// Whether a load has shown that there are no contacts at all.
    public var isEmpty: Bool { list.value?.isEmpty == true && !list.isLoading }
    /// Whether there are contacts, and none of them matches.
    public var hasNoMatch: Bool { list.value?.isEmpty == false && contacts.isEmpty }

    /// The screen of a list of contacts.
    public init(_ contacts: Resource<[Contact]>) {
        list = ResourceModel(contacts)
    }

    /// Searches on names and user names.
    public func search(_ query: String) {
        self.query = query
    }
}
