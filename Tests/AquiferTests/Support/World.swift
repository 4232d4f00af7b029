import Aquifer
import AquiferTesting
import Foundation

/// A resource of texts with everything under a test's control: remote, store, clock.
struct World {
    let client: ScriptedHTTPClient
    let store = FaultyStore(RepeatingStore())
    let date = ManualDate(Date(timeIntervalSince1970: 1_780_000_000))
    let url = URL(string: "http://feed.example/v1/texts")!

    init(_ replies: ScriptedHTTPClient.Reply...) {
        client = ScriptedHTTPClient(replies)
    }

    init(client: ScriptedHTTPClient) {
        self.client = client
    }

    var cache: Cache<[String]> { Cache(key: "texts", in: store, now: date.read) }

    func remote(limit: Int = 32 << 20, retry: RetryPolicy = .never) -> RemoteLoader<[String]> {
        RemoteLoader(HTTPRequest(.get, url), client: client, limit: limit, retry: retry) { head, body in
            guard head.status == 200 else { throw InvalidData.status(head.status) }
            return try JSONDecoder().decode([String].self, from: body)
        }
    }

    func resource(retry: RetryPolicy = .never) -> Resource<[String]> {
        Resource(remote: remote(retry: retry), cache: cache)
    }

    /// Saves texts now, and lets time pass.
    func save(_ texts: [String], validators: Validators = .none, age: Duration = .zero) async throws {
        try await cache.save(texts, validators: validators)
        date.advance(by: age.timeInterval)
        store.forgetCalls()
    }

    /// The texts in the store and their entry, whatever its age; `nil` if there is none. A mark of an invalidation has no bytes.
    func saved() async throws -> (texts: [String], entry: StoredEntry)? {
        guard let entry = try await store.retrieve("texts"), !entry.bytes.isEmpty else { return nil }
        return (try JSONDecoder().decode([String].self, from: entry.bytes), entry)
    }
}

extension ScriptedHTTPClient.Reply {
    static func texts(_ texts: [String], headers: HTTPHeaders = [:]) -> Self {
        .answer(headers: headers, body: (try? JSONEncoder().encode(texts)) ?? Data())
    }

    static let refused = Self.failure(TransportError(.cannotConnect))
}
