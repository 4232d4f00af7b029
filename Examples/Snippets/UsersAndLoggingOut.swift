import Aquifer
import AquiferTesting
import Foundation
import Testing

/// Everything of one user.
struct Session {
    let scope: Scope
    let contacts: Resource<[String]>
    let outbox: Outbox

    /// Logs a user in: what they kept at their last logout is in the queue.
    init(user: String, in store: any CacheStore, files: URL, client: any HTTPClient) async throws {
        scope = Scope("user/\(user)", in: store)
        try await scope.deleteAtEnd(files, isForUnsent: true)
        let server = URL(string: "https://example.com/contacts")!
        let remote = RemoteLoader(HTTPRequest(.get, server), client: client, map: JSONMapper<[String]>().map)
        contacts = Resource(remote: remote, cache: Cache(key: "contacts", in: scope.store))
        outbox = Outbox(in: scope.store, attachments: files, client: client)
        scope.register(outbox)
    }
}

extension Session {
    /// Logs the user out. Asks when there is something that only the user can decide.
    func end(ask: @Sendable (_ unsent: Int) async -> Scope.Unsent?) async throws {
        var choice: Scope.Unsent?
        while true {
            do { return try await scope.end(unsent: choice) } catch ScopeError.unsent(let count) {
                // Also after `.sendFirst`, if not everything could be sent.
                guard let next = await ask(count) else { return }  // the user stays
                choice = next
            }
        }
    }
}

/// Call it when the app starts, before anybody logs in.
func finishLogouts(in store: any CacheStore) async throws {
    try await Scope.finishEnds(in: store)
}

@Test("Users and logging out: a session ends with all that is its user's, and unsent changes wait for them")
func session() async throws {
    let files = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
    let store = MemoryStore()
    try await finishLogouts(in: store)
    let client = ScriptedHTTPClient([])
    let session = try await Session(user: "42", in: store, files: files, client: client)
    let server = URL(string: "https://example.com/notes")!
    try await session.outbox.enqueue(HTTPRequest(.post, server, body: .bytes(Data("note".utf8))))
    try await session.end { count in
        #expect(count == 1)
        return .keep
    }
    await #expect(throws: LoadError.self) { try await session.contacts.load() }
    #expect(client.requests.isEmpty)
    let next = try await Session(user: "42", in: store, files: files, client: client)
    #expect(try await next.outbox.items().count == 1)
    try await next.scope.end(unsent: .discard)
    #expect(try await store.contents().entries.isEmpty)
}
