import Aquifer
import AquiferTesting
import Foundation
import Testing

@testable import AquiferPayments

@Suite("The contact list", .timeLimit(.minutes(10)))
struct ContactsTests {
    @Test(
        "Search is on name and user name, whatever case and accents",
        arguments: [
            ("marcia", [1003]), ("MÁRCIA", [1003]), ("silva", [1003]), ("@mar", [1002, 1003]), ("  eduardo ", [1001]),
            ("coelho", [1002]), ("", [1001, 1002, 1003]), ("nobody", []), ("da s", [1003]),
        ])
    @MainActor
    func search(query: String, found: [Int]) async {
        let model = ContactsModel(PaymentsWorld(.contacts).service.contacts)
        await model.list.appear()
        model.search(query)
        #expect(model.contacts.map(\.id) == found)
        #expect(model.hasNoMatch == found.isEmpty && !model.isEmpty)
    }

    @Test(
        "Initials are those of the first and the last name",
        arguments: [
            ("Marina Coelho", "MC"), ("Márcia da Silva", "MS"), ("ana", "A"), ("Élio Órfão", "ÉÓ"), (" ", "?"),
        ])
    func initials(name: String, initials: String) throws {
        let contact = Contact(
            id: 1, name: name, imageURL: try #require(URL(string: "http://x.example")), username: "@a")
        #expect(contact.initials == initials)
    }
}
