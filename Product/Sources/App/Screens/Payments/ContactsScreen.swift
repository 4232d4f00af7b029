import Aquifer
import AquiferPayments
import AquiferWording
import Foundation

/// The contacts as their page draws them.
@MainActor
final class ContactsScreen: Screen {
    static let name = "contacts"

    struct State: ScreenState {
        let title: String
        let phase: LoadPhase
        let isLoading: Bool
        @OrNull var notice: String?
        @OrNull var error: ScreenError?
        let query: String
        let contacts: [ContactLine]
        let isEmpty: Bool
        /// The message that nobody matches the query.
        @OrNull var noMatch: String?
    }

    enum Intent: String, ScreenIntent {
        case appear, dismissError, search

        var fields: [String] {
            switch self {
            case .search: ["query"]
            default: []
            }
        }
    }

    let model: ContactsModel
    private let tab: String
    private let service: PaymentsService

    init(_ address: ScreenAddress, in hub: ScreenHub) {
        service = hub.services.payments
        model = ContactsModel(service.contacts)
        tab = address.tab
    }

    func state(_ context: ScreenContext) -> State {
        let progress = context.progress(of: model.list)
        let noMatch = context.language.text("contacts.none.title", ["query": model.query])
        return State(
            title: context.language.text("nav.contacts"), phase: progress.phase, isLoading: progress.isLoading,
            notice: progress.notice, error: progress.error, query: model.query,
            contacts: model.contacts.map { ContactLine($0, tab: tab) }, isEmpty: model.isEmpty,
            noMatch: model.hasNoMatch ? noMatch : nil)
    }

    func refresh() async { await model.list.refresh() }

    func action(for intent: Intent, _ fields: IntentFields) throws(IntentError) -> ScreenAction {
        let (model, service) = (model, service)
        switch intent {
        case .appear:
            return {
                await fields.isPageLoad ? model.list.refresh() : model.list.appear()
                await model.list.validateDelivered { () async throws(StoreError) in
                    try await service.validateContactListCache()
                }
            }
        case .dismissError: return { model.list.dismissError() }
        case .search:
            let query = try fields.text("query")
            return { model.search(query) }
        }
    }
}

/// A contact as pages draw it.
struct ContactLine: Codable, Sendable {
    let id: Int
    let name: String
    let username: String
    let initials: String
    /// The address of the picture. The tab in it identifies the request.
    let image: String

    init(_ contact: Contact, tab: String) {
        id = contact.id
        name = contact.name
        username = contact.username
        initials = contact.initials
        image = "/api/screens/contacts/images/\(contact.id)?tab=\(tab)"
    }
}
