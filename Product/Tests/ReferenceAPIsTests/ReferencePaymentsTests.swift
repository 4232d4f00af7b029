import Aquifer
import Foundation
import ReferenceAPIs
import Testing

@Suite("The reference payments keep their contract", .timeLimit(.minutes(10)))
struct ReferencePaymentsTests {
    @Test(
        "There are 33 contacts with accented names and plain usernames, each id and username once",
        arguments: Way.allCases)
    func users(way: Way) async throws {
        try await PaymentsWorld.run(way) { world in
            let answer = try await world.get("users")
            #expect(answer.status == 200 && answer.headers["Content-Type"] == "application/json")
            let users = try #require(try JSONSerialization.jsonObject(with: answer.data) as? [[String: Any]])
            #expect(users.compactMap { $0["id"] as? Int } == Array(1001...1033))
            #expect(users.allSatisfy { Set($0.keys) == ["id", "name", "img", "username"] })
            let usernames = users.compactMap { $0["username"] as? String }
            #expect(Set(usernames).count == 33)
            #expect(usernames.allSatisfy { $0.wholeMatch(of: /@[a-z]+\.[a-z]+/) != nil })
            let names = users.compactMap { $0["name"] as? String }
            #expect(names.count { $0.hasPrefix("Márcia ") } == 1)
            #expect(names.count { !$0.utf8.allSatisfy { $0 < 128 } } > 20)
        }
    }

    @Test("The list of contacts has an ETag, and is 304 to who has it", arguments: Way.allCases)
    func etag(way: Way) async throws {
        try await PaymentsWorld.run(way) { world in
            let etag = try #require(try await world.get("users").headers["ETag"])
            let again = try await world.get("users", ["If-None-Match": etag])
            #expect(again.status == 304 && again.data.isEmpty)
        }
    }

    @Test("Avatars are small JPEGs at the address the client used; three are missing", arguments: Way.allCases)
    func avatars(way: Way) async throws {
        try await PaymentsWorld.run(way) { world in
            let users = try JSONSerialization.jsonObject(with: try await world.get("users").data) as? [[String: Any]]
            var missing = 0
            for address in try #require(users).compactMap({ $0["img"] as? String }) {
                #expect(address.hasPrefix(world.base.absoluteString))
                let picture = try await world.get(address)
                if picture.status == 404 {
                    missing += 1
                    continue
                }
                #expect(picture.status == 200 && picture.headers["Content-Type"] == "image/jpeg")
                #expect(picture.data.starts(with: [0xff, 0xd8, 0xff]) && picture.data.count <= 8 << 10)
            }
            #expect(missing == 3)
        }
    }

    @Test("The challenge's order is approved, and answered in the contract's words", arguments: Way.allCases)
    func challenge(way: Way) async throws {
        try await PaymentsWorld.run(way) { world in
            let answer = try await world.post(PaymentsWorld.body())
            #expect(answer.status == 200)
            #expect(Set(answer.json.keys) == ["transaction"])
            let transaction = answer.transaction
            #expect(
                Set(transaction.keys) == ["id", "timestamp", "value", "destination_user", "success", "status"])
            #expect(answer.number == 12314 && transaction["timestamp"] as? Int == 1_790_000_000)
            #expect(answer.isApproved == true && transaction["status"] as? String == "Aprovada")
            let receiver = try #require(transaction["destination_user"] as? [String: Any])
            #expect(receiver["id"] as? Int == 1002 && receiver["username"] as? String == "@marina.coelho")
            #expect(receiver["img"] as? String == "\(world.base.absoluteString)/avatars/02.jpg")
        }
    }

    @Test(
        "Cards that pass Luhn and end in an even digit are approved, the rest is declined",
        arguments: [
            ("1111111111111111", true), ("4242424242424242", true), ("5555555555554444", true),
            ("374245455400126", true), ("4000000000000002", true), ("30569309025904", true),
            ("4111111111111111", false), ("4012888888881881", false), ("378282246310005", false),
            ("4242424242424244", false), ("4111111111111112", false), ("1111111111111112", false),
            ("0000000000000001", false),
        ], Way.allCases)
    func decisions(card: (number: String, approved: Bool), way: Way) async throws {
        try await PaymentsWorld.run(way) { world in
            let answer = try await world.pay(card: card.number)
            #expect(answer.status == 200 && answer.isApproved == card.approved)
            #expect(answer.transaction["status"] as? String == (card.approved ? "Aprovada" : "Recusada"))
            #expect(!answer.text.contains(card.number))
        }
    }

    @Test(
        "The value is answered to the cent",
        arguments: [
            ("79.9", "79.90"), ("0.01", "0.01"), ("0.29", "0.29"), ("1.1", "1.10"), ("4.35", "4.35"),
            ("8.2e1", "82.00"),
            ("1000000", "1000000.00"), ("999999.99", "999999.99"), ("72057.59", "72057.59"), ("5.00", "5.00"),
        ])
    func values(sent: String, answered: String) async throws {
        try await PaymentsWorld.run(.inProcess) { world in
            let text = try await world.pay(value: sent).text
            #expect(text.contains("\"value\":\(answered),"), "\(text)")
        }
    }

    @Test("Every cent of the first ten reais comes back as it went")
    func cents() async throws {
        try await PaymentsWorld.run(.inProcess) { world in
            for cents in 1...1000 {
                let value = "\(cents / 100).\(cents % 100 < 10 ? "0" : "")\(cents % 100)"
                let text = try await world.pay(value: value).text
                #expect(text.contains("\"value\":\(value),"))
            }
        }
    }

    @Test(
        "What is not in the contract is refused with a word that repeats nothing",
        arguments: [
            (PaymentsWorld.body(["card_number": nil]), 400, "card_number is missing"),
            (PaymentsWorld.body(["cvv": nil]), 400, "cvv is missing"),
            (PaymentsWorld.body(["value": nil]), 400, "value is missing"),
            (PaymentsWorld.body(["expiry_date": nil]), 400, "expiry_date is missing"),
            (PaymentsWorld.body(["destination_user_id": nil]), 400, "destination_user_id is missing"),
            (PaymentsWorld.body(["card_number": "1111111111111111"]), 400, "card_number must be a text"),
            (
                PaymentsWorld.body(["card_number": "\"1111 1111 1111 1111\""]), 400,
                "card_number must be a text of 12 to 19 digits"
            ),
            (
                PaymentsWorld.body(["card_number": "\"11111111111\""]), 400,
                "card_number must be a text of 12 to 19 digits"
            ),
            (
                PaymentsWorld.body(["card_number": "\"١١١١١١١١١١١١\""]), 400,
                "card_number must be a text of 12 to 19 digits"
            ),
            (PaymentsWorld.body(["card_number": "null"]), 400, "card_number must be a text"),
            (PaymentsWorld.body(["cvv": "\"789\""]), 400, "cvv must be a number"),
            (PaymentsWorld.body(["cvv": "78.9"]), 400, "cvv must be a number"),
            (PaymentsWorld.body(["cvv": "12345"]), 400, "cvv must be a number of at most four digits"),
            (PaymentsWorld.body(["cvv": "-1"]), 400, "cvv must be a number of at most four digits"),
            (PaymentsWorld.body(["value": "\"79.9\""]), 400, "value must be a number"),
            (PaymentsWorld.body(["value": "true"]), 400, "value must be a number"),
            (PaymentsWorld.body(["value": "0"]), 400, "value must be more than zero"),
            (PaymentsWorld.body(["value": "-1"]), 400, "value must be more than zero"),
            (PaymentsWorld.body(["value": "79.905"]), 400, "value must have at most two decimals"),
            (PaymentsWorld.body(["value": "0.30000000000000004"]), 400, "value must have at most two decimals"),
            (PaymentsWorld.body(["value": "1000000.01"]), 400, "value must be at most 1000000.00"),
            (PaymentsWorld.body(["value": "1e30"]), 400, "value must be at most 1000000.00"),
            (PaymentsWorld.body(["expiry_date": "\"1/18\""]), 400, "expiry_date must be a text such as 01/18"),
            (PaymentsWorld.body(["expiry_date": "\"13/29\""]), 400, "expiry_date must be a text such as 01/18"),
            (PaymentsWorld.body(["expiry_date": "\"00/29\""]), 400, "expiry_date must be a text such as 01/18"),
            (PaymentsWorld.body(["expiry_date": "118"]), 400, "expiry_date must be a text"),
            (PaymentsWorld.body(["destination_user_id": "\"1002\""]), 400, "destination_user_id must be a number"),
            (PaymentsWorld.body(["destination_user_id": "9"]), 404, "no user has this destination_user_id"),
            ("", 400, "the body must be a JSON object"), ("[]", 400, "the body must be a JSON object"),
            ("{\"card_number\":\"1111", 400, "the body must be a JSON object"),
            (String(repeating: " ", count: 17 << 10), 413, "an order takes at most 16384 bytes"),
        ], Way.allCases)
    func refusals(order: (body: String, status: Int, message: String), way: Way) async throws {
        try await PaymentsWorld.run(way) { world in
            let answer = try await world.post(order.body, key: "k")
            #expect(answer.status == order.status && answer.error == order.message)
            #expect(try await world.find("k").status == 404)
            #expect(try await world.decided() == 0)
        }
    }

    @Test(
        "An order that is not JSON by its type is 415", arguments: Way.allCases,
        [nil, "text/plain", "application/x-www-form-urlencoded"])
    func types(way: Way, type: String?) async throws {
        try await PaymentsWorld.run(way) { world in
            let refused = try await world.post(PaymentsWorld.body(), type: type)
            let taken = try await world.post(PaymentsWorld.body(), type: "Application/JSON; charset=utf-8")
            #expect(refused.status == 415 && taken.status == 200)
        }
    }

    @Test("What is not there is 404", arguments: ["avatars/99.jpg", "avatars/../users.json", "nothing", "users/1001"])
    func missing(target: String) async throws {
        try await PaymentsWorld.run(.inProcess) { world in
            let answer = try await world.get(target)
            #expect(answer.status == 404)
        }
    }
}
