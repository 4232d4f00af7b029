import Aquifer
import AquiferCurl
import AquiferSQLite
import Foundation

// UserServer ADDRESS DATABASE: a server's part for many users. Each line of its input is a request:
//   USER notes         the user's notes; without the remote, the saved ones
//   USER add TEXT     a note to add; without the remote it waits, and is sent with the next one, or at logout
//   USER logout        ends the user's session, once nothing is left to send

/// What one user has here. Nobody else's loads, saves or requests meet it.
struct Session: Sendable {
    let scope: Scope
    let notes: Resource<[String]>
    let outbox: Outbox

    init(_ user: String, remote: URL, store: any CacheStore, client: any HTTPClient) {
        scope = Scope("user/\(user)", in: store)
        let mine = HTTPRequest(.get, remote.appending(path: "notes"), headers: ["X-User": user])
        notes = Resource(
            remote: RemoteLoader(mine, client: client, map: JSONMapper().map),
            cache: Cache(key: "notes", in: scope.store))
        outbox = Outbox(in: scope.store, attachments: nil, client: client)
        scope.register(outbox)
    }
}

/// The sessions of all users who are logged in.
actor Sessions {
    private var known: [String: Session] = [:]
    private let open: @Sendable (String) -> Session

    init(_ open: @escaping @Sendable (String) -> Session) { self.open = open }

    func session(of user: String) -> Session {
        let session = known[user] ?? open(user)
        known[user] = session
        return session
    }

    func end(_ user: String) async throws(ScopeError) {
        try await session(of: user).scope.end(unsent: .sendFirst)
        known[user] = nil  // whoever logs in again begins anew
    }
}

guard CommandLine.arguments.count == 3, let remote = URL(string: CommandLine.arguments[1]) else {
    print("usage: UserServer ADDRESS DATABASE")
    exit(64)
}
// It has unsent notes, which nobody else has: they survive a loss of power, and a deleted file is an error.
let store = try SQLiteStore(
    file: URL(filePath: CommandLine.arguments[2]), durability: .power, isIrreplaceable: true)
try await Scope.finishEnds(in: store)  // a crash may have interrupted one
let client = CurlHTTPClient()
let sessions = Sessions { Session($0, remote: remote, store: store, client: client) }

/// The answer to a request.
func answer(_ words: [String]) async -> String {
    guard words.count > 1 else { return "400" }
    let session = await sessions.session(of: words[0])
    do {
        switch words[1] {
        case "notes":
            let notes = try await session.notes.load()
            return (notes.source == .remote ? "200 " : "200 saved ") + notes.value.joined(separator: ", ")
        case "add":
            let text = Data(words.dropFirst(2).joined(separator: " ").utf8)
            let request = HTTPRequest(
                .post, remote.appending(path: "notes"), headers: ["X-User": words[0]], body: .bytes(text))
            let item = try await session.outbox.enqueue(request)
            try await session.outbox.drain()
            return session.outbox.hasSent(item.id) ? "201" : "202 waits"
        case "logout":
            try await sessions.end(words[0])
            return "204"
        default: return "404"
        }
    } catch { return "503 \(error)" }
}

while let line = readLine() { print(await answer(line.split(separator: " ").map(String.init))) }
