import Aquifer
import AquiferTesting
import Foundation
import Testing

@testable import AquiferPayments

@Suite("Paying", .timeLimit(.minutes(10)))
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
        let parts = request.body?.parts
        guard parts?.count == 1, case .bytes(let body)? = parts?.first else {
            Issue.record("is sent as \(String(describing: parts))")
            return
        }
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
        #expect(try await world.service.desk.ledger.contents().records == [record])
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
        let world = PaymentsWorld(.failure(TransportError(kind, "no socket")))
        let record = try await world.service.desk.send(world.order())
        #expect(record.state == .failed && record.obstacle == "no socket")
    }

    @Test(
        "The contract's own refusal, and no other, means that the payment was not made",
        arguments: [
            (400, #"{"error":"value must be more than zero"}"#), (413, #"{"error":"too large"}"#),
            (415, #"{"error":"send application/json"}"#), (404, #"{"error":"no user has this destination_user_id"}"#),
        ])
    func refused(status: Int, body: String) async throws {
        let world = PaymentsWorld(.answer(status: status, body: Data(body.utf8)))
        let record = try await world.desk.send(world.order())
        #expect(record.state == .failed && record.refusal == status)
    }

    @Test(
        "No answer after sending, or one that is not the contract's own: not known",
        arguments: [
            .failure(TransportError(.timedOut)), .failure(TransportError(.interrupted)),
            .failure(TransportError(.malformed)),
            .answer(status: 500), .answer(status: 503), .answer(status: 429), .answer(status: 408),
            .answer(status: 201),
            .answer(body: Data()), .answer(body: Data("<html>".utf8)), .answer(body: Data("{}".utf8)),
            .transaction(value: "\"soon\""), .transaction(value: "79.905"), .transaction(value: "80.00"),
            .transaction(user: 1003), .stream(chunks: [Data("{\"tr".utf8)], error: TransportError(.interrupted)),
            .transaction(status: 302), .answer(status: 301), .answer(status: 302), .answer(status: 303),
            .answer(status: 304), .answer(status: 307), .answer(status: 308),
            .answer(status: 400), .answer(status: 400, body: Data("<html>".utf8)),
            .answer(status: 400, headers: ["Content-Type": "text/html"], body: Data(#"{"error":"no"}"#.utf8)),
            .answer(status: 400, body: Data(#"{"error":"no","code":7}"#.utf8)),
            .answer(status: 401, body: Data(#"{"error":"log in"}"#.utf8)),
            .answer(status: 403, body: Data(#"{"error":"no"}"#.utf8)),
            .answer(status: 404), .answer(status: 404, body: Data(#"{"error":"not found"}"#.utf8)),
            .answer(status: 405, body: Data(#"{"error":"no"}"#.utf8)),
            .answer(status: 409, body: Data(#"{"error":"this Idempotency-Key stands for another order"}"#.utf8)),
            .answer(status: 422, body: Data(#"{"error":"this Idempotency-Key stands for another order"}"#.utf8)),
        ] as [ScriptedHTTPClient.Reply])
    func unknown(reply: ScriptedHTTPClient.Reply) async throws {
        let world = PaymentsWorld(reply)
        #expect(try await world.desk.send(world.order()).state == .unknown)
        #expect(world.client.requests.count == 1, "nothing is tried again by itself")
    }

    @Test("A connection that is lost once the body has gone out is no proof that nothing was sent")
    func lostAfterSending() async throws {
        let world = PaymentsWorld(client: ScriptedHTTPClient())
        let order = try world.order()
        let sending = Task { try await world.desk.send(order) }
        let exchange = await world.client.exchange(0)
        exchange.takeBody()
        exchange.fail(TransportError(.cannotConnect))
        #expect(try await sending.value.state == .unknown)
    }

    @Test("Neither the payment nor the question about it follows a redirect")
    func redirects() async throws {
        let world = PaymentsWorld(.failure(TransportError(.interrupted)), .noTransaction)
        let order = try world.order()
        _ = try await world.desk.send(order)
        _ = try await world.desk.check(order.key)
        #expect(world.client.requests.map(\.followsRedirects) == [false, false])
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
        #expect(try await world.service.desk.ledger.contents().records.count == 1)
    }

    @Test(
        "Asking what became of a payment decides it, when the remote shows its transaction", arguments: [true, false])
    func check(isApproved: Bool) async throws {
        let world = PaymentsWorld(.failure(TransportError(.interrupted)), .transaction(success: isApproved))
        let order = try world.order()
        _ = try await world.desk.send(order)
        let state: PaymentRecord.State = isApproved ? .approved : .declined
        #expect(try await world.desk.check(order.key)?.state == state)
        #expect(world.client.requests[1].method == .get)
        #expect(world.client.requests[1].url.query() == "idempotency_key=\(order.key.uuidString)")
        #expect(try await world.desk.ledger.record(order.key)?.state == state)
    }

    @Test("That the remote knows no such payment is noted, and decides nothing; a retry has the same key")
    func notFound() async throws {
        let world = PaymentsWorld(.failure(TransportError(.interrupted)), .noTransaction, .transaction())
        let order = try world.order()
        _ = try await world.desk.send(order)
        world.date.advance(by: 60)
        let record = try await world.desk.check(order.key)
        #expect(record?.state == .unknown && record?.notFoundAt == world.date.now)
        #expect(try await world.desk.ledger.record(order.key) == record)
        #expect(try await world.desk.send(order).state == .approved)
        #expect(world.client.requests[2].headers["Idempotency-Key"] == order.key.uuidString)
        #expect(try await world.desk.ledger.record(order.key)?.notFoundAt == nil)
    }

    @Test(
        "A retry that does not arrive, or is refused, leaves unknown what was unknown: the first try may have arrived",
        arguments: [
            .refused, .answer(status: 400, body: Data(#"{"error":"no"}"#.utf8)),
        ] as [ScriptedHTTPClient.Reply])
    func retryFails(reply: ScriptedHTTPClient.Reply) async throws {
        let world = PaymentsWorld(.failure(TransportError(.interrupted)), reply)
        let order = try world.order()
        _ = try await world.desk.send(order)
        #expect(try await world.desk.send(order).state == .unknown)
        #expect(try await world.desk.ledger.record(order.key)?.state == .unknown)
    }

    @Test("A payment that was not made is sent again with the same key")
    func retryFailed() async throws {
        let world = PaymentsWorld(.refused, .refused, .transaction())
        let order = try world.order()
        #expect(try await world.desk.send(order).state == .failed)
        #expect(try await world.desk.send(order).state == .failed)
        #expect(try await world.desk.send(order).state == .approved)
        #expect(Set(world.client.requests.map { $0.headers["Idempotency-Key"] }) == [order.key.uuidString])
    }

    @Test("Giving up is written down and decides nothing: a check still finds the transaction")
    func giveUp() async throws {
        let world = PaymentsWorld(.failure(TransportError(.interrupted)), .noTransaction, .transaction())
        let order = try world.order()
        _ = try await world.desk.send(order)
        let record = try await world.desk.giveUp(order.key)
        #expect(record?.state == .abandoned && record?.abandonedAt == world.date.now)
        #expect(try await world.desk.ledger.record(order.key) == record)
        #expect(try await world.desk.check(order.key)?.state == .abandoned)
        #expect(try await world.desk.check(order.key)?.state == .approved)
        #expect(try await world.desk.giveUp(order.key)?.state == .approved, "what is decided stays decided")
        #expect(try await world.desk.giveUp(UUID()) == nil)
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
        _ = await failure { () async throws(PaymentError) in try await world.service.desk.check(order.key) }
        #expect(try await world.service.desk.ledger.record(order.key)?.state == .unknown)
    }

    @Test("What was decided stays decided, whatever comes late")
    func decidedStays() async throws {
        let world = PaymentsWorld(.transaction(), .transaction(success: false))
        let order = try world.order()
        _ = try await world.desk.send(order)
        #expect(try await world.desk.send(order).state == .approved)
        #expect(try await world.desk.check(order.key)?.state == .approved)
        #expect(world.client.requests.count == 1)
    }

    @Test("Payments are listed latest first, and never expire")
    func history() async throws {
        let world = PaymentsWorld(.transaction(), .transaction())
        let first = try await world.desk.send(world.order())
        world.date.advance(by: 60)
        let second = try await world.desk.send(world.order())
        #expect(try await world.desk.ledger.contents().records.map(\.id) == [second.id, first.id])
        world.date.advance(by: Duration.days(3_650).timeInterval)
        #expect(try await world.desk.ledger.contents().records.count == 2)
    }

    @Test("A payment that cannot be read is told, and does not hide the others")
    func unreadable() async throws {
        let world = PaymentsWorld(.transaction())
        let good = try await world.desk.send(world.order())
        let bad = UUID()
        try await world.ledger.insert(
            StoredEntry(bytes: Data("x".utf8), savedAt: .now), for: "payment:\(bad.uuidString)")
        let contents = try await world.desk.ledger.contents()
        #expect(contents.records == [good] && contents.unreadable.map(\.id) == [bad])
        let list = await PaymentsModel(world.service)
        await list.appear()
        #expect(await list.payments == [good])
        #expect(await list.unreadable.map(\.id) == [bad])
        #expect(await list.error == nil)
    }

    @Test("A ledger that cannot be read at all is an error")
    func noLedger() async throws {
        let world = PaymentsWorld(.transaction())
        _ = try await world.desk.send(world.order())
        world.ledger.fail(.contents, .retrieve, with: .busy(path: "/s"))
        #expect(
            await failure { () async throws(StoreError) in try await world.desk.ledger.contents() } == .busy(path: "/s")
        )
    }

    @Test("What is kept of a payment has neither the card's number nor the code")
    func keepsNoSecrets() async throws {
        let world = PaymentsWorld(.transaction())
        _ = try await world.service.desk.send(world.order(code: "978"))
        let entries = try await world.ledger.entries()
        #expect(!entries.isEmpty)
        #expect(#"{"code":"978"}"#.tells(code: "978") && "978".tells(code: "978"))
        for summary in entries {
            let bytes = try #require(try await world.ledger.retrieve(summary.key)).bytes
            let text = String(decoding: bytes, as: UTF8.self)
            #expect(!text.contains("4012888888881881") && !text.tells(code: "978"))
        }
        let order = try world.order(code: "978")
        for text in ["\(order)", String(reflecting: order), "\(Mirror(reflecting: order).children.map { "\($0)" })"] {
            #expect(!text.contains("4012888888881881") && !text.tells(code: "978"))
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
