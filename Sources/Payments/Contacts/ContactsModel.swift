import Aquifer
import AquiferFoundation
import Observation

/// The screen of the contacts: the list and the search.
@MainActor @Observable
public final class ContactsModel {
    /// The list's state.
    public let list: ResourceModel<[Contact]>
    /// The text searched for.
    public private(set) var query = ""

    /// The contacts that match the search, in the remote's order.
    public var contacts: [Contact] { (list.value ?? []).filter { $0.matches(query) } }
    /// True if the list was loaded and has no contacts.
    public var isEmpty: Bool { list.value?.isEmpty == true && !list.isLoading }
    /// True if the list has contacts, and none of them matches the search.
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
