import Testing

@testable import App

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

    @Test("names the last edit of the amount that it has taken, even one that it refuses")
    func edits() async throws {
        let world = AppWorld()
        let reader = world.states(PaymentScreen.self, showing: "1")
        #expect(await reader.next()?.contains(#""edit":"""#) == true)
        #expect(await world.tell("payment?tab=tab&contact=1", "amount", ["digits": "790", "edit": "1"]) == 204)
        #expect(await reader.state(with: #""edit":"1""#).isEmpty == false)
        let refused = ["digits": "99999999999999", "edit": "2"]
        #expect(await world.tell("payment?tab=tab&contact=1", "amount", refused) == 204)
        #expect(await reader.state(with: #""edit":"2""#).contains("9999999") == false)
        await world.services.stop()
    }
}
