import Aquifer
import Foundation
import ReferenceAPIs
import Testing

@Suite("The reference payments charge once", .timeLimit(.minutes(10)))
struct ReferencePaymentsChargeTests {
    @Test(
        "The same key is the same transaction, approved or declined", arguments: Way.allCases,
        ["4242424242424242", "4111111111111111"])
    func sameKey(way: Way, card: String) async throws {
        try await PaymentsWorld.run(way) { world in
            let first = try await world.pay(card: card, key: "key-1")
            let second = try await world.pay(card: card, key: "key-1")
            #expect(first.status == 200 && first.data == second.data)
            #expect(try await world.decided() == 1)
        }
    }

    @Test("Another key, and none, is another transaction", arguments: Way.allCases)
    func otherKeys(way: Way) async throws {
        try await PaymentsWorld.run(way) { world in
            let numbers = [
                try await world.pay(key: "a").number, try await world.pay(key: "b").number,
                try await world.pay().number, try await world.pay().number,
            ]
            #expect(numbers == [12314, 12315, 12316, 12317])
        }
    }

    @Test(
        "The same key for another receiver, amount or card is 422, and the first transaction stays",
        arguments: Way.allCases,
        [["card_number": "\"4242424242424242\""], ["value": "79.91"], ["destination_user_id": "1003"]])
    func otherOrder(way: Way, change: [String: String]) async throws {
        try await PaymentsWorld.run(way) { world in
            let first = try await world.post(PaymentsWorld.body(), key: "k")
            let other = try await world.post(PaymentsWorld.body(change), key: "k")
            #expect(other.status == 422 && other.error == "this Idempotency-Key stands for another order")
            #expect(try await world.find("k").data == first.data)
            #expect(try await world.decided() == 1)
        }
    }

    @Test(
        "Code and expiry are not kept, so a key with another code or expiry is the first transaction",
        arguments: [["cvv": "788"], ["expiry_date": "\"02/18\""]])
    func sameOrder(change: [String: String]) async throws {
        try await PaymentsWorld.run(.inProcess) { world in
            let first = try await world.post(PaymentsWorld.body(), key: "k")
            #expect(try await world.post(PaymentsWorld.body(change), key: "k").data == first.data)
            #expect(try await world.decided() == 1)
        }
    }

    @Test("The same order written in another way is the same order")
    func writtenOtherwise() async throws {
        try await PaymentsWorld.run(.inProcess) { world in
            let first = try await world.post(PaymentsWorld.body(), key: "k")
            let body = """
                { "value": 79.90, "expiry_date": "01\\/18", "destination_user_id": 1002,
                  "cvv": 789, "card_number": "1111111111111111" }
                """
            #expect(try await world.post(body, key: "k").data == first.data)
        }
    }

    @Test("Fifty requests of one key at once are one charge", arguments: Way.allCases)
    func concurrent(way: Way) async throws {
        try await PaymentsWorld.run(way) { world in
            let numbers = try await withThrowingTaskGroup(of: Int?.self) { group in
                for _ in 0..<50 { group.addTask { try await world.pay(key: "same").number } }
                return try await group.reduce(into: Set()) { $0.insert($1) }
            }
            #expect(numbers == [12314])
            #expect(try await world.decided() == 1)
        }
    }

    @Test("Fifty keys at once are fifty transactions, each with a number of its own", arguments: Way.allCases)
    func concurrentKeys(way: Way) async throws {
        try await PaymentsWorld.run(way) { world in
            let numbers = try await withThrowingTaskGroup(of: Int?.self) { group in
                for key in 0..<50 { group.addTask { try await world.pay(key: "\(key)").number } }
                return try await group.reduce(into: Set()) { $0.insert($1) }
            }
            #expect(numbers == Set(12314..<12364))
        }
    }

    @Test("A transaction is found by its key, and by no other", arguments: Way.allCases)
    func find(way: Way) async throws {
        try await PaymentsWorld.run(way) { world in
            let paid = try await world.pay(key: "0b9e-1")
            let found = try await world.find("0b9e-1")
            #expect(found.status == 200 && found.data == paid.data)
            let none = try await world.find("0b9e-2")
            #expect(none.status == 404 && none.error == "no transaction has this key")
            #expect(try await world.get("transaction").status == 400)
            #expect(try await world.get("transaction?idempotency_key=").status == 400)
        }
    }

    @Test(
        "A key of no characters, or of more than 255, is refused", arguments: ["", String(repeating: "k", count: 256)])
    func keys(key: String) async throws {
        try await PaymentsWorld.run(.inProcess) { world in
            let refused = try await world.pay(key: key)
            let longest = try await world.pay(key: String(repeating: "k", count: 255))
            #expect(refused.status == 400 && longest.status == 200)
        }
    }
}

@Suite("Faults of the payments on demand", .timeLimit(.minutes(10)))
struct PaymentsFaultTests {
    /// Pays under a fault. Returns the answer or the kind of failure, and the number of transactions that were decided.
    private func pay(
        _ fault: Fault, _ way: Way,
        _ check: (Result<PaymentsWorld.Answer, TransportError>, Int, PaymentsWorld) throws -> Void
    ) async throws {
        try await PaymentsWorld.run(way) { world in
            // A connection is open already, as it is in life: a client must not send again on a new one.
            _ = try await world.get("users")
            world.apis.set(fault, of: .payments)
            let result: Result<PaymentsWorld.Answer, TransportError>
            do { result = .success(try await world.pay()) } catch let error as TransportError {
                result = .failure(error)
            }
            world.apis.set(.none, of: .payments)
            try check(result, try await world.decided(), world)
        }
    }

    @Test("Offline: no answer, nothing charged", arguments: Way.allCases)
    func offline(way: Way) async throws {
        try await pay(.offline, way) { result, decided, _ in
            #expect(throws: TransportError.self) { try result.get() }
            #expect(decided == 0)
        }
    }

    @Test("Failing: 503, nothing charged", arguments: Way.allCases)
    func failing(way: Way) async throws {
        try await pay(.failing, way) { result, decided, _ in
            let answer = try result.get()
            #expect(answer.status == 503 && decided == 0)
        }
    }

    @Test("Garbage: charged, and answered with nonsense", arguments: Way.allCases)
    func garbage(way: Way) async throws {
        try await pay(.garbage, way) { result, decided, _ in
            let answer = try result.get()
            #expect(answer.status == 200 && answer.transaction.isEmpty && decided == 1)
        }
    }

    @Test("Cut: charged, and half an answer", arguments: Way.allCases)
    func cut(way: Way) async throws {
        try await pay(.cut, way) { result, decided, _ in
            #expect(throws: TransportError.self) { try result.get() }
            #expect(decided == 1)
        }
    }

    @Test("Answer lost: charged once, no answer, even without a key", arguments: Way.allCases)
    func answerLost(way: Way) async throws {
        try await pay(.answerLost, way) { result, decided, world in
            #expect(throws: TransportError.self) { try result.get() }
            #expect(decided == 1)
            #expect(world.apis.transfers(of: .payments).cut == 1)
        }
    }

    @Test(
        "Answer lost: the transaction is found by its key, then paid again under it without a second charge",
        arguments: Way.allCases)
    func foundThoughLost(way: Way) async throws {
        try await PaymentsWorld.run(way) { world in
            world.apis.set(.answerLost, of: .payments)
            await #expect(throws: TransportError.self) { try await world.pay(key: "lost") }
            let found = try await world.find("lost")
            #expect(found.status == 200 && found.number == 12314 && found.isApproved == true)
            #expect(try await world.get("users").status == 200)
            world.apis.set(.none, of: .payments)
            #expect(try await world.pay(key: "lost").data == found.data)
            #expect(try await world.decided() == 1)
        }
    }

    @Test("Answer lost is a cut body for a remote that charges nothing", arguments: Way.allCases)
    func feedHasNoCharges(way: Way) async throws {
        try await PaymentsWorld.run(way) { world in
            world.apis.set(.answerLost, of: .feed)
            let feed = world.base.deletingLastPathComponent().appending(path: "feed/v1/feed").absoluteString
            await #expect(throws: TransportError.self) { try await world.get(feed) }
            #expect(world.apis.transfers(of: .feed).cut == 1)
        }
    }

    @Test("A fault of the feed is none of the payments'")
    func separate() async throws {
        try await PaymentsWorld.run(.inProcess) { world in
            world.apis.set(.offline, of: .feed)
            let answer = try await world.pay()
            #expect(answer.status == 200)
        }
    }

    @Test(
        "No answer under any fault repeats the card's number or its code",
        arguments: Fault.allCases.filter { $0 != .slow })
    func noLeak(fault: Fault) async throws {
        try await PaymentsWorld.run(.inProcess) { world in
            world.apis.set(fault, of: .payments)
            let card = "4242424242424242"
            for changes in [[:], ["value": "x"], ["destination_user_id": "1"], ["expiry_date": "\"\(card)\""]] {
                let body = PaymentsWorld.body(["card_number": "\"\(card)\"", "cvv": "9137"].merging(changes) { $1 })
                let text: String
                do { text = try await world.post(body, key: "k").text } catch is TransportError { continue }
                #expect(!text.contains(card) && !text.contains("9137"))
            }
        }
    }
}
