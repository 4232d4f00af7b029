import Aquifer
import AquiferPayments
import AquiferWording
import Foundation
import Observation

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
        /// The contacts who were paid last.
        let recent: [ContactLine]
        /// The number of payments whose outcome is unknown.
        let unresolved: Int
        /// The card that pays unless another one is chosen.
        @OrNull var card: CardLine?
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

    /// The default card, as it was when the page was shown last.
    @MainActor @Observable
    final class Wallet {
        var card: CardSummary?
    }

    let model: ContactsModel
    private let wallet = Wallet()
    private let glance: PaymentsGlance
    private let tab: String
    private let service: PaymentsService

    init(_ address: ScreenAddress, in hub: ScreenHub) {
        service = hub.services.payments
        model = ContactsModel(service.contacts)
        glance = hub.glance
        tab = address.tab
    }

    func state(_ context: ScreenContext) -> State {
        let progress = context.progress(of: model.list)
        let noMatch = context.language.text("contacts.none.title", ["query": model.query])
        return State(
            title: context.language.text("nav.contacts"), phase: progress.phase, isLoading: progress.isLoading,
            notice: progress.notice, error: progress.error, query: model.query,
            contacts: model.contacts.map { ContactLine($0, tab: tab) }, recent: recent,
            unresolved: glance.unresolved.count, card: wallet.card.map { CardLine($0, isChosen: true, context) },
            isEmpty: model.isEmpty,
            noMatch: model.hasNoMatch ? noMatch : nil)
    }

    private var recent: [ContactLine] {
        guard model.query.isEmpty, let contacts = model.list.value else { return [] }
        return glance.recent.compactMap { id in contacts.first { $0.id == id }.map { ContactLine($0, tab: tab) } }
    }

    func refresh() async { await model.list.refresh() }

    func connectionRestored() async { await model.list.connectionRestored() }

    func action(for intent: Intent, _ fields: IntentFields) throws(IntentError) -> ScreenAction {
        let (model, service, wallet) = (model, service, wallet)
        switch intent {
        case .appear:
            return {
                // Cards that cannot be read are told by their own page.
                let cards = (try? await service.vault.cards()) ?? []
                wallet.card = await service.chosenCard(of: cards)
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
