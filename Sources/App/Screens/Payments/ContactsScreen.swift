import Aquifer
import Foundation
import Payments

/// The contacts as the page draws them.
@MainActor
final class ContactsScreen: Screen {
    let model: ContactsModel
    private let tab: String
    private let service: PaymentsService

    init(_ service: PaymentsService, tab: String) {
        model = ContactsModel(service.contacts)
        self.tab = tab
        self.service = service
    }

    func state(_ context: ScreenContext) -> JSONText {
        let contacts = model.contacts.map { $0.json(tab: tab) }
        let noMatch = context.language.pick(
            "Nobody here is called “\(model.query)”.", "Ninguém aqui se chama “\(model.query)”.")
        return .object(
            [("title", .string(context.language.pick("Contacts", "Contatos")))] + context.fields(of: model.list) + [
                ("query", .string(model.query)),
                ("contacts", .array(contacts)),
                ("isEmpty", .bool(model.isEmpty)),
                ("noMatch", model.hasNoMatch ? .string(noMatch) : .null),
            ])
    }

    func refresh() async { await model.list.refresh() }

    func action(for intent: Intent) -> ScreenAction? {
        let (model, service) = (model, service)
        return switch intent.name {
        case "appear":
            {
                await intent.isPageLoad ? model.list.refresh() : model.list.appear()
                await model.list.validateDelivered { () async throws(StoreError) in
                    try await service.validateContactListCache()
                }
            }
        case "dismissError": { model.list.dismissError() }
        case "search": { model.search(intent["query"]) }
        default: nil
        }
    }
}

extension Contact {
    /// The contact as pages draw it. The tab identifies the request for the picture.
    func json(tab: String) -> JSONText {
        .object([
            ("id", .int(id)), ("name", .string(name)), ("username", .string(username)), ("initials", .string(initials)),
            ("image", .string("/api/screens/contacts/images/\(id)?tab=\(tab)")),
        ])
    }

    /// The contact in the remote's field names.
    public var json: JSONText {
        .object([
            ("id", .int(id)), ("name", .string(name)), ("img", .string(imageURL.absoluteString)),
            ("username", .string(username)),
        ])
    }
}
