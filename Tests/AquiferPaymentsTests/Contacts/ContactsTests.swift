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

    @Test(
        "A user name means the contact who is called exactly so; only without one, the one in another case",
        arguments: [
            ("@ana", [2]), ("ana", [2]), ("@Ana", [1]), ("@ANA", [1, 2]), ("@BIA", [3]), ("@\u{E9}lio", [5]),
            ("@e\u{301}lio", [4]), ("@\u{212A}ai", [6]), ("@kai", [7]), ("@nobody", []), ("@twin", [8, 9]),
        ])
    func named(name: String, found: [Int]) async throws {
        let names = ["@Ana", "@ana", "@bia", "@e\u{301}lio", "@\u{E9}lio", "@\u{212A}ai", "@kai", "@twin", "@twin"]
        let body = names.enumerated().map { index, name in
            #"{"id":\#(index + 1),"name":"N","img":"http://x.example/1.jpg","username":"\#(name)"}"#
        }
        let list = ScriptedHTTPClient.Reply.answer(body: Data("[\(body.joined(separator: ","))]".utf8))
        let world = PaymentsWorld(list)
        let latest = try await world.service.contacts(named: name)
        #expect(latest.value.map(\.id) == found && latest.source == .remote)
        // Without a connection, by the saved copy.
        let saved = try await world.service.contacts(named: name)
        #expect(saved.value.map(\.id) == found && saved.source != .remote)
    }

    @Test("A user name pays the person who has it now, also if the saved copy knows another one")
    func renamed() async throws {
        func list(_ id: Int) -> ScriptedHTTPClient.Reply {
            .answer(body: Data(#"[{"id":\#(id),"name":"N","img":"http://x.example/1.jpg","username":"@n"}]"#.utf8))
        }
        let world = PaymentsWorld(list(1), list(2))
        #expect(try await world.service.contacts(named: "@n").value.map(\.id) == [1])
        #expect(try await world.service.contacts(named: "@n").value.map(\.id) == [2])
    }
}
