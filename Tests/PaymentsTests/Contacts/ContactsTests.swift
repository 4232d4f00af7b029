import Aquifer
import AquiferTesting
import Foundation
import Testing

@testable import Payments

@Suite("The contact list", .timeLimit(.minutes(1)))
struct ContactsTests {
    @Test("Given connectivity, the latest contact list from remote is displayed and replaces the cache")
    func online() async throws {
        let world = PaymentsWorld(.contacts)
        let loaded = try await world.service.contacts.load()
        #expect(loaded.source == .remote && loaded.value.map(\.id) == [1001, 1002, 1003])
        #expect(try await world.service.contacts.saved()?.value == loaded.value)
        #expect(world.client.requests.map(\.url.absoluteString) == ["http://payments.example/users"])
    }

    @Test("Given no connectivity and a cache less than seven days old, the latest contact list saved is displayed")
    func offline() async throws {
        let world = PaymentsWorld(.contacts, .refused)
        let savedAt = world.date.now
        _ = try await world.service.contacts.load()
        world.date.advance(by: Duration.days(7).timeInterval - 1)
        let loaded = try await world.service.contacts.load()
        #expect(loaded.source == .cache(savedAt: savedAt, because: .connectivity) && loaded.value.count == 3)
    }

    @Test("Given no connectivity and a cache of seven days or more, an error is displayed")
    func expired() async throws {
        let world = PaymentsWorld(.contacts, .refused)
        _ = try await world.service.contacts.load()
        world.date.advance(by: Duration.days(7).timeInterval)
        #expect(
            await failure { () async throws(LoadError) in try await world.service.contacts.load() }?.reason
                == .connectivity)
    }

    @Test("Given no connectivity and an empty cache, an error is displayed")
    func empty() async {
        let world = PaymentsWorld(.refused)
        #expect(
            await failure { () async throws(LoadError) in try await world.service.contacts.load() }?.reason
                == .connectivity)
    }

    @Test(
        "Invalid data course: delivers the invalid data error",
        arguments: [
            "", "{}", "[{}]", #"[{"id":"1","name":"A","img":"http://x.example/1","username":"@a"}]"#,
            #"[{"id":1,"name":"A","img":"file:///etc/passwd","username":"@a"}]"#,
            #"[{"id":1,"name":"A","img":"http://x.example/1","username":"a"}]"#,
            #"[{"id":1,"name":"A","img":"http://x.example/1","username":"@a"},{"id":1,"name":"B","img":"http://x.example/1","username":"@b"}]"#,
        ])
    func invalid(body: String) async {
        let world = PaymentsWorld(.answer(body: Data(body.utf8)))
        #expect(
            await failure { () async throws(LoadError) in try await world.service.contacts.load() }?.reason
                == .invalidData)
    }

    @Test("Retrieval error course: delivers the error")
    func retrievalError() async {
        let world = PaymentsWorld(.refused)
        world.store.fail(.retrieve, with: .notAStore(path: "/s"))
        let error = await failure { () async throws(LoadError) in try await world.service.contacts.load() }
        #expect(error == .store(.notAStore(path: "/s"), after: .connectivity))
    }

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
