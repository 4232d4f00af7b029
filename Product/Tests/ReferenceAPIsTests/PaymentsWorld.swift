import Aquifer
import Foundation
import ReferenceAPIs
import Testing

/// The reference payments, as a client sees them.
struct PaymentsWorld {
    static let now = Date(timeIntervalSince1970: 1_790_000_000)

    let apis: ReferenceAPIs
    let client: any HTTPClient
    let base: URL

    /// Runs a test over one of the ways.
    static func run(_ way: Way, _ test: (PaymentsWorld) async throws -> Void) async throws {
        let apis = try ReferenceAPIs(now: { now })
        try await way.run(apis) { client, base in
            try await test(PaymentsWorld(apis: apis, client: client, base: base.appending(path: "payments")))
        }
    }

    struct Answer {
        let status: Int
        let headers: HTTPHeaders
        let data: Data

        var text: String { String(decoding: data, as: UTF8.self) }
        var json: [String: Any] { (try? JSONSerialization.jsonObject(with: data) as? [String: Any]) ?? [:] }
        var error: String? { json["error"] as? String }
        var transaction: [String: Any] { json["transaction"] as? [String: Any] ?? [:] }
        var number: Int? { transaction["id"] as? Int }
        var isApproved: Bool? { transaction["success"] as? Bool }
    }

    private func send(_ request: HTTPRequest) async throws -> Answer {
        let response = try await client.send(request)
        return Answer(
            status: response.head.status, headers: response.head.headers, data: try await response.data(upTo: 1 << 20))
    }

    func get(_ target: String, _ headers: HTTPHeaders = [:]) async throws -> Answer {
        let url = target.hasPrefix("http") ? URL(string: target) : URL(string: "\(base.absoluteString)/\(target)")
        return try await send(HTTPRequest(.get, try #require(url), headers: headers))
    }

    /// The body of the challenge, with some of its fields written otherwise; `nil` leaves a field away.
    static func body(_ changes: [String: String?] = [:]) -> String {
        var fields = [
            "card_number": "\"1111111111111111\"", "cvv": "789", "value": "79.9", "expiry_date": "\"01/18\"",
            "destination_user_id": "1002",
        ]
        for (name, value) in changes { fields[name] = value }
        return "{" + fields.sorted { $0.key < $1.key }.map { "\"\($0.key)\":\($0.value)" }.joined(separator: ",") + "}"
    }

    func post(_ body: String, key: String? = nil, type: String? = "application/json") async throws -> Answer {
        var headers: HTTPHeaders = [:]
        headers["Content-Type"] = type
        headers["Idempotency-Key"] = key
        let url = base.appending(path: "transaction")
        return try await send(HTTPRequest(.post, url, headers: headers, body: .bytes(Data(body.utf8))))
    }

    func pay(
        card: String = "1111111111111111", value: String = "79.9", to receiver: Int = 1002, key: String? = nil
    ) async throws -> Answer {
        try await post(
            Self.body(["card_number": "\"\(card)\"", "value": value, "destination_user_id": "\(receiver)"]), key: key)
    }

    func find(_ key: String) async throws -> Answer { try await get("transaction?idempotency_key=\(key)") }

    /// The number of transactions that were decided so far. It decides one more to find out.
    func decided() async throws -> Int {
        try #require(try await pay().number) - 12314
    }
}
