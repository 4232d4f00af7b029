import Aquifer
import AquiferTesting
import Foundation
import Testing

@testable import Payments

@Suite("Paying", .timeLimit(.minutes(1)))
struct PaymentDeskTests {
    @Test("The request has the contract's field names and types, two decimals, and a key")
    func request() async throws {
        let world = PaymentsWorld(.transaction())
        let order = try world.order()
        _ = try await world.service.desk.send(order)
        let request = try #require(world.client.requests.first)
        #expect(request.method == .post && request.url.absoluteString == "http://payments.example/transaction")
        #expect(request.headers["Idempotency-Key"] == order.key.uuidString)
        #expect(request.headers["Content-Type"] == "application/json")
        guard case .bytes(let body)? = request.body?.parts.first else { return }
        #expect(
            String(decoding: body, as: UTF8.self)
                == #"{"card_number":"4012888888881881","cvv":789,"value":79.90,"expiry_date":"12/29","destination_user_id":1002}"#
        )
    }

    @Test("A security code with a leading zero goes out as the contract's number, which is valid JSON")
    func leadingZero() throws {
        let order = try PaymentsWorld().order(code: "012")
        let object = try JSONSerialization.jsonObject(with: order.body) as? [String: Any]
        #expect(object?["cvv"] as? Int == 12)
    }

    @Test("Approved, with value as number or as text", arguments: ["79.9", "79.90", "\"79.9\"", "\"79.90\""])
    func approved(value: String) async throws {
        let world = PaymentsWorld(.transaction(value: value))
        let record = try await world.service.desk.send(world.order())
        #expect(record.state == .approved && record.number == 12314)
        #expect(record.bookedAt == Date(timeIntervalSince1970: 1_553_145_066))
        #expect(try await world.service.desk.ledger.records() == [record])
    }

    @Test("Declined is an answer, too")
    func declined() async throws {
        let world = PaymentsWorld(.transaction(success: false))
        #expect(try await world.service.desk.send(world.order()).state == .declined)
    }

    @Test(
        "No connectivity before anything was sent: not made",
        arguments: [.offline, .cannotConnect, .cannotResolve, .insecure] as [TransportError.Kind])
    func unsent(kind: TransportError.Kind) async throws {
        let world = PaymentsWorld(.failure(TransportError(kind)))
        #expect(try await world.service.desk.send(world.order()).state == .failed)
    }

    @Test("A request that the remote does not take: not made", arguments: [400, 401, 403, 404, 405, 415, 422])
    func refused(status: Int) async throws {
        let world = PaymentsWorld(.answer(status: status))
        #expect(try await world.service.desk.send(world.order()).state == .failed)
    }

    @Test(
        "No answer after sending, or one that makes no sense: not known",
        arguments: [
            .failure(TransportError(.timedOut)), .failure(TransportError(.interrupted)),
            .failure(TransportError(.malformed)),
            .answer(status: 500), .answer(status: 503), .answer(status: 429), .answer(status: 408),
            .answer(status: 201),
            .answer(body: Data()), .answer(body: Data("<html>".utf8)), .answer(body: Data("{}".utf8)),
            .transaction(value: "\"soon\""), .transaction(value: "79.905"), .transaction(value: "80.00"),
            .transaction(user: 1003), .stream(chunks: [Data("{\"tr".utf8)], error: TransportError(.interrupted)),
        ] as [ScriptedHTTPClient.Reply])
    func unknown(reply: ScriptedHTTPClient.Reply) async throws {
        let world = PaymentsWorld(reply)
        #expect(try await world.service.desk.send(world.order()).state == .unknown)
        #expect(world.client.requests.count == 1, "nothing is tried again by itself")
    }

    @Test("What cannot be written down is not sent")
    func notWrittenDown() async throws {
        let world = PaymentsWorld(.transaction())
        world.ledger.fail(.update, with: .full(path: "/s"))
        let order = try world.order()
        let error = await failure { () async throws(PaymentError) in try await world.service.desk.send(order) }
        #expect(error == .ledger(.full(path: "/s")))
        #expect(world.client.requests.isEmpty)
    }

    @Test("A payment is written down before it is sent")
    func writtenDownFirst() async throws {
        let world = PaymentsWorld(client: ScriptedHTTPClient())
        let order = try world.order()
        let sending = Task { try await world.service.desk.send(order) }
        let exchange = await world.client.exchange(0)
        #expect(try await world.service.desk.ledger.record(order.key)?.state == .sending)
        exchange.fail(TransportError(.interrupted))
        #expect(try await sending.value.state == .unknown)
    }

    @Test("Who leaves does not cut a payment off: its outcome is written down")
    func leaving() async throws {
        let world = PaymentsWorld(client: ScriptedHTTPClient())
        let order = try world.order()
        let sending = Task { try await world.service.desk.send(order) }
        let exchange = await world.client.exchange(0)
        sending.cancel()
        #expect(!exchange.wasCancelled)
        exchange.respond(body: Answer.approvedBody)
        #expect(try await sending.value.state == .approved)
        #expect(try await world.service.desk.ledger.record(order.key)?.state == .approved)
    }

    @Test("The same payment is not sent beside itself, and not again once it is decided")
    func once() async throws {
        let world = PaymentsWorld(client: ScriptedHTTPClient())
        let order = try world.order()
        let first = Task { try await world.service.desk.send(order) }
        let exchange = await world.client.exchange(0)
        #expect(
            await failure { () async throws(PaymentError) in try await world.service.desk.send(order) } == .underWay)
        exchange.respond(body: Answer.approvedBody)
        _ = try await first.value
        #expect(try await world.service.desk.send(order).state == .approved)
        #expect(world.client.requests.count == 1)
    }

    @Test("A retry after an unknown outcome has the same key and the same body")
    func retry() async throws {
        let world = PaymentsWorld(.failure(TransportError(.interrupted)), .transaction())
        let order = try world.order()
        #expect(try await world.service.desk.send(order).state == .unknown)
        #expect(try await world.service.desk.send(order).state == .approved)
        #expect(
            world.client.requests[0].headers["Idempotency-Key"] == world.client.requests[1].headers["Idempotency-Key"])
        #expect(world.client.requests[0].body == world.client.requests[1].body)
        #expect(try await world.service.desk.ledger.records().count == 1)
    }

    @Test(
        "Asking what became of a payment decides it, when the remote knows",
        arguments: [
            (.transaction(), .approved), (.transaction(success: false), .declined),
            (.answer(status: 404, body: Data(#"{"error":"no transaction has this key"}"#.utf8)), .failed),
        ] as [(ScriptedHTTPClient.Reply, PaymentRecord.State)])
    func check(reply: ScriptedHTTPClient.Reply, state: PaymentRecord.State) async throws {
        let world = PaymentsWorld(.failure(TransportError(.interrupted)), reply)
        let order = try world.order()
        _ = try await world.service.desk.send(order)
        #expect(try await world.service.desk.check(order.key)?.state == state)
        #expect(world.client.requests[1].method == .get)
        #expect(world.client.requests[1].url.query() == "idempotency_key=\(order.key.uuidString)")
        #expect(try await world.service.desk.ledger.record(order.key)?.state == state)
    }

    @Test(
        "A remote that cannot tell leaves it unknown: a 404 of a server without keys is no answer",
        arguments: [
            .answer(status: 404), .answer(status: 404, body: Data(#"{"error":"not found"}"#.utf8)),
            .answer(status: 405),
            .answer(status: 500), .refused, .transaction(value: "1.00"),
        ] as [ScriptedHTTPClient.Reply])
    func checkUndecided(reply: ScriptedHTTPClient.Reply) async throws {
        let world = PaymentsWorld(.failure(TransportError(.interrupted)), reply)
        let order = try world.order()
        _ = try await world.service.desk.send(order)
        _ = await failure { () async throws(LoadError) in try await world.service.desk.check(order.key) }
        #expect(try await world.service.desk.ledger.record(order.key)?.state == .unknown)
    }

    @Test("After a restart, a payment that was on its way is not known of; what was decided stays decided")
    func restart() async throws {
        let world = PaymentsWorld(.failure(TransportError(.interrupted)))
        let order = try world.order()
        var record = PaymentRecord(order, at: world.date.now)
        try await world.service.desk.ledger.keep(record)
        #expect(await world.service.desk.present(record).state == .unknown)
        record.state = .approved
        try await world.service.desk.ledger.keep(record)
        record.state = .unknown
        try await world.service.desk.ledger.keep(record)
        #expect(try await world.service.desk.ledger.record(order.key)?.state == .approved)
    }

    @Test("Payments are listed latest first, and one that cannot be read is an error, not a gap")
    func history() async throws {
        let world = PaymentsWorld(.transaction(), .transaction())
        let first = try await world.service.desk.send(world.order())
        world.date.advance(by: 60)
        let second = try await world.service.desk.send(world.order())
        #expect(try await world.service.desk.ledger.records().map(\.id) == [second.id, first.id])
        world.date.advance(by: Duration.days(3_650).timeInterval)
        #expect(try await world.service.desk.ledger.records().count == 2, "payments never expire")
        try await world.ledger.insert(StoredEntry(bytes: Data("x".utf8), savedAt: .now), for: "payment:x")
        #expect(await failure { () async throws(StoreError) in try await world.service.desk.ledger.records() } != nil)
    }

    @Test("What is kept of a payment has neither the card's number nor the code")
    func keepsNoSecrets() async throws {
        let world = PaymentsWorld(.transaction())
        _ = try await world.service.desk.send(world.order(code: "978"))
        for summary in try await world.ledger.entries() {
            let bytes = try #require(try await world.ledger.retrieve(summary.key)).bytes
            let text = String(decoding: bytes, as: UTF8.self)
            #expect(!text.contains("4012888888881881") && !text.contains("978"))
        }
        let order = try world.order(code: "978")
        for text in ["\(order)", String(reflecting: order), "\(Mirror(reflecting: order).children.map { "\($0)" })"] {
            #expect(!text.contains("4012888888881881") && !text.contains("978"))
        }
    }

    @Test("The test card is for the reference remote; an expired card is for nobody")
    func rules() throws {
        let world = PaymentsWorld()
        let code = try SecurityCode("123", for: nil)
        let testCard = Card(
            number: try CardNumber("1111111111111111", allowsTestCard: true), holder: "A",
            expiry: Expiry(month: 1, year: 2018))
        #expect(throws: PaymentError.testCard) {
            try world.service.order(Money(cents: 1), to: world.contact, with: testCard, code)
        }
        let expired = Card(
            number: try CardNumber("4012888888881881"), holder: "A", expiry: Expiry(month: 1, year: 2018))
        #expect(throws: PaymentError.cardExpired) {
            try world.service.order(Money(cents: 1), to: world.contact, with: expired, code)
        }
        let allowing = PaymentsWorld(allowsTestCard: true)
        #expect(throws: Never.self) {
            try allowing.service.order(Money(cents: 1), to: world.contact, with: testCard, code)
        }
    }
}

enum Answer {
    static let approvedBody = Data(
        #"{"transaction":{"id":1,"timestamp":1553145066,"value":79.9,"destination_user":{"id":1002},"success":true,"status":"Aprovada"}}"#
            .utf8)
}
