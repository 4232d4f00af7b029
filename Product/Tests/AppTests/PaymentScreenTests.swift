import AquiferTesting
import Foundation
import Testing

@testable import App
@testable import AquiferPayments

@MainActor
@Suite("The screen of a payment", .timeLimit(.minutes(10)))
struct PaymentScreenTests {
    @Test("counts the end of a request that changes nothing else, so that the page need not guess when it has ended")
    func ended() async throws {
        let world = AppWorld()
        let reader = world.states(PaymentScreen.self, showing: "1")
        #expect(await reader.next()?.contains(#""ended":0"#) == true)
        // There is no card: nothing is paid.
        #expect(await world.tell("payment?tab=tab&contact=1", "pay", ["digits": ""]) == 204)
        #expect(await reader.state(with: #""ended":1"#).contains(#""isChecking":false"#))
        await world.services.stop()
    }

    @Test("names the last edit of the amount that it has taken, even one over the limit, and none that came too early")
    func edits() async throws {
        let world = AppWorld()
        let reader = world.states(PaymentScreen.self, showing: "1001")
        #expect(await world.tell("payment?tab=tab&contact=1001", "amount", ["digits": "79", "edit": "0"]) == 204)
        #expect(await world.tell("payment?tab=tab&contact=1001", "appear") == 204)
        #expect(await reader.state(with: #""phase":"ready""#).contains(#""edit":"""#))
        #expect(await world.tell("payment?tab=tab&contact=1001", "amount", ["digits": "790", "edit": "1"]) == 204)
        #expect(await reader.state(with: #""edit":"1""#).isEmpty == false)
        let refused = ["digits": "9999999999", "edit": "2"]
        #expect(await world.tell("payment?tab=tab&contact=1001", "amount", refused) == 204)
        let told = await reader.state(with: #""edit":"2""#)
        #expect(told.contains(#""digits":"9999999999""#) && told.contains("at most"))
        #expect(told.contains(#""canPay":false"#))
        await world.services.stop()
    }

    @Test("calls a contact unloaded, and not missing, without a connection, and loads it when there is one again")
    func unloaded() async throws {
        let world = AppWorld()
        world.services.reference.set(.offline, of: .payments)
        let reader = world.states(PaymentScreen.self, showing: "1001")
        #expect(await world.tell("payment?tab=tab&contact=1001", "appear") == 204)
        #expect(await reader.state(with: #""phase":"unloaded""#).contains("offline"))
        #expect(await world.request("PUT", "/api/connection", #"{"mode":"online"}"#).status == 200)
        #expect(await reader.state(with: #""phase":"ready""#).contains(#""id":1001"#))
        await world.services.stop()
    }

    @Test("shows the page of another model what became of its attempt, which is made once")
    func attempt() async throws {
        let world = AppWorld()
        _ = try await world.services.payments.add(
            CardNumber("4539578763621486"), holder: "Ana", expiry: Expiry(month: 12, year: 2090))
        let key = UUID().uuidString.lowercased()
        let first = world.states(PaymentScreen.self, showing: "1001", tab: "one")
        #expect(await world.tell("payment?tab=one&contact=1001", "appear") == 204)
        #expect(await first.state(with: #""phase":"ready""#).isEmpty == false)
        #expect(await world.tell("payment?tab=one&contact=1001", "amount", ["digits": "1500"]) == 204)
        #expect(await world.tell("payment?tab=one&contact=1001", "code", ["value": "123"]) == 204)
        #expect(await first.state(with: #""canPay":true"#).isEmpty == false)
        let pay = ["digits": "1500", "attempt": key]
        #expect(await world.tell("payment?tab=one&contact=1001", "pay", pay) == 204)
        #expect(await first.state(with: #""phase":"approved""#).contains("15,00"))
        let next = world.states(PaymentScreen.self, showing: "1001", tab: "two")
        #expect(await world.tell("payment?tab=two&contact=1001", "appear") == 204)
        #expect(await next.state(with: #""phase":"ready""#).isEmpty == false)
        #expect(await world.tell("payment?tab=two&contact=1001", "resume", ["attempt": key]) == 204)
        let shown = await next.state(with: #""phase":"approved""#)
        #expect(shown.contains("15,00") && shown.contains(#""shown":"\#(key)""#))
        let made = try await world.services.payments.desk.ledger.contents().records
        #expect(made.map(\.id.uuidString) == [key.uppercased()])
        #expect(await world.tell("payment?tab=two&contact=1001", "pay", ["digits": "1", "attempt": "1"]) == 400)
        #expect(await world.tell("payment?tab=two&contact=1001", "resume") == 400)
        await world.services.stop()
    }

    @Test(
        "The list of payments and a receipt have no date of a remote with a wrong clock",
        arguments: [253_402_300_799, -62_167_219_200])
    func wrongClock(timestamp: Double) async throws {
        let world = AppWorld()
        let payments = world.services.payments
        let summary = try await payments.add(
            CardNumber("4539578763621486"), holder: "Ana", expiry: Expiry(month: 12, year: 2090))
        let card = try #require(try await payments.vault.card(summary.id))
        let contact = try #require(try await payments.contact(1001))
        let made = try await payments.pay(
            Money(cents: 1500), to: contact, with: card, code: SecurityCode("123", for: card.number.brand))
        _ = try await payments.desk.ledger.change(made.id) { record in
            var record = record
            record?.bookedAt = Date(timeIntervalSince1970: timestamp)
            return record
        }
        let begun = world.date.now.formatted(.iso8601)
        world.date.advance(by: 86_400)
        let reader = world.states(PaymentsScreen.self)
        #expect(await world.tell("payments?tab=tab", "appear") == 204)
        let shown = await reader.state(with: #""state":"approved""#)
        #expect(shown.contains(#""day":"Yesterday""#))
        #expect(shown.contains(#""date":"\#(begun)""#), "the receipt's date")
        await world.services.stop()
    }

    @Test("Contacts that nobody looked at when the connection came back are loaded at the next look")
    func unwatched() async throws {
        let world = AppWorld()
        world.services.reference.set(.offline, of: .payments)
        let session = try #require(
            world.site.hub.session(at: ScreenAddress(name: ContactsScreen.name, tab: "tab", subject: "")))
        var reader: StateReader? = world.states(ContactsScreen.self)
        #expect(await world.tell("contacts?tab=tab", "appear") == 204)
        #expect(await reader?.state(with: #""phase":"failed""#).isEmpty == false)
        reader = nil
        #expect(await eventually { !session.isWatched })
        #expect(await world.request("PUT", "/api/connection", #"{"mode":"online"}"#).status == 200)
        let again = world.states(ContactsScreen.self)
        #expect(await again.state(with: #""phase":"loaded""#).contains(#""id":1001"#))
        await world.services.stop()
    }
}
