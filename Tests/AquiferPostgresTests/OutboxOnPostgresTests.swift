import Aquifer
import AquiferConcurrency
import AquiferTesting
import Foundation
import Testing

@testable import AquiferPostgres

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#endif

/// Several senders, each with a store of its own as on a machine of its own, over one queue; judged by what the remote has.
@Suite("A queue in PostgreSQL with four senders", .timeLimit(.minutes(5)), .serialized)
struct OutboxOnPostgresTests {
    private static let items = 500
    private static let groups = 20
    private let schema = "queue_\(UUID().uuidString.prefix(13))"

    private func fill(_ store: any CacheStore) async throws {
        let outbox = Outbox(in: store, client: ScriptedHTTPClient())
        for number in 0..<Self.items {
            let group = "g\(number % Self.groups)"
            try await outbox.enqueue(.post("\(group) \(number)"), group: group)
        }
    }

    /// Each item is there once, and each group in its order.
    private func judge(_ taken: [String]) {
        #expect(taken.count == Self.items && Set(taken).count == Self.items)
        let words = taken.map { $0.split(separator: " ") }
        for (_, all) in Dictionary(grouping: words, by: { $0[0] }) {
            let numbers = all.compactMap { Int($0[1]) }
            #expect(numbers == numbers.sorted() && numbers.count == Self.items / Self.groups)
        }
    }

    @Test(
        "loses, doubles and reorders nothing while the processes of the senders are killed, and does not wait for their claims"
    )
    func killedProcesses() async throws {
        let server = try PostgresServer.shared.get()
        let remote = TableRemote(server.address, schema)
        try remote.make()
        let store = try await PostgresStore(server.address, schema: schema)
        try await fill(store)
        var rounds = 0
        while try await !store.contents(prefix: "item:").entries.isEmpty {
            rounds += 1
            try #require(rounds < 60)
            await withTaskGroup(of: Void.self) { group in
                for _ in 0..<4 { group.addTask { [schema] in await Self.sender(server.address, schema) } }
            }
        }
        judge(try remote.taken())
        // A claim lasts half an hour, which is longer than this suite may take: nobody has waited for one.
    }

    /// A process that sends until it is killed, in the middle of a request: before the remote has it, or after.
    private static func sender(_ address: String, _ schema: String) async {
        await #expect(processExitsWith: .signal(SIGKILL)) { [address = address as String, schema = schema as String] in
            let store = try await PostgresStore(address, schema: schema)
            let client = TableRemote(address, schema, requests: .random(in: 3...60))
            let policy = SendPolicy(base: .milliseconds(10), lease: .minutes(30), poll: .milliseconds(300))
            try await Outbox(in: store, client: client, policy: policy).drainToEnd()
            _ = kill(getpid(), SIGKILL)
        }
    }

    @Test("loses, doubles and reorders nothing while connections are cut")
    func cutConnections() async throws {
        let server = try PostgresServer()
        try await drain(server.address) { made in
            try server.cutConnections(named: made % 2 == 0 ? "aquifer" : "aquifer-changes")
        }
    }

    @Test("loses, doubles and reorders nothing while the server is killed and started")
    func restartedServer() async throws {
        let server = try PostgresServer()
        try await drain(server.address, times: 3) { _ in
            try server.kill()
            try server.start()
        }
    }

    @Test("loses, doubles and reorders nothing while the primary is killed and its replica promoted")
    func promotedReplica() async throws {
        let primary = try PostgresServer()
        let replica = try PostgresServer(replicaOf: primary)
        try await drain(primary.address(or: replica), times: 1) { _ in
            try primary.kill()
            try replica.promote()
        }
    }

    /// Drains a queue with four senders, and disturbs them as the remote gets items.
    private func drain(
        _ address: String, times: Int = 12, disturb: @escaping @Sendable (Int) async throws -> Void
    ) async throws {
        let remote = MemoryRemote()
        try await fill(try await PostgresStore(address, schema: schema))
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<4 {
                let store = try await PostgresStore(address, schema: schema)
                let policy = SendPolicy(base: .milliseconds(10), cap: .milliseconds(50), poll: .milliseconds(300))
                let outbox = Outbox(in: store, client: remote.client, policy: policy)
                group.addTask {
                    let isDone = await eventually {
                        // The server may be away for longer than a call waits.
                        _ = try? await outbox.drainToEnd()
                        return remote.count >= Self.items
                    }
                    #expect(isDone)
                    _ = try? await outbox.drainToEnd()
                }
            }
            group.addTask {
                for time in 0..<times {
                    let before = min(time * Self.items / (times + 1), Self.items - 1)
                    #expect(await eventually { remote.count > before })
                    try await disturb(time)
                }
            }
            try await group.waitForAll()
        }
        judge(remote.taken)
        let store = try await PostgresStore(address, schema: schema)
        #expect(try await Outbox(in: store, client: remote.client).items().isEmpty)
    }
}

extension HTTPRequest {
    static func post(_ text: String) -> HTTPRequest {
        HTTPRequest(.post, URL(string: "http://server.example/notes")!, body: .bytes(Data(text.utf8)))
    }

    var text: String {
        (body?.parts ?? []).map { part in
            if case .bytes(let data) = part { String(decoding: data, as: UTF8.self) } else { "" }
        }.joined()
    }
}

/// A remote in this process that honours keys.
final class MemoryRemote: Sendable {
    private let state = Locked((keys: Set<String>(), taken: [String]()))

    var client: ScriptedHTTPClient {
        ScriptedHTTPClient { [state] request in
            state.withLock { state in
                if state.keys.insert(request.headers["Idempotency-Key"] ?? "").inserted {
                    state.taken.append(request.text)
                }
            }
            return .answer(status: 201)
        }
    }

    var taken: [String] { state.withLock { $0.taken } }
    var count: Int { state.withLock { $0.taken.count } }
}

/// A remote that several processes share, and that honours keys: a table. It kills its process after some requests.
private final class TableRemote: HTTPClient {
    private let address: String
    private let table: String
    private let left: Locked<Int>

    init(_ address: String, _ schema: String, requests: Int = .max) {
        self.address = address
        table = "\"remote_\(schema)\""
        left = Locked(requests)
    }

    func make() throws {
        try run("CREATE TABLE \(table) (number bigserial, key text PRIMARY KEY, note text NOT NULL)")
    }

    func taken() throws -> [String] {
        let connection = try Connecting(address, Schema("none"), .seconds(30)).connect("remote")
        defer { PostgresServer.finish(connection) }
        let rows = try Connecting.rows("SELECT note FROM \(table) ORDER BY number", on: connection)
        return (0..<rows.count).map { String(decoding: rows.bytes($0, 0) ?? Data(), as: UTF8.self) }
    }

    private func run(_ sql: String) throws {
        let connection = try Connecting(address, Schema("none"), .seconds(30)).connect("remote")
        defer { PostgresServer.finish(connection) }
        try Connecting.run(sql, on: connection)
    }

    func send(_ request: HTTPRequest) async throws(TransportError) -> HTTPResponse {
        let rest = left.withLock { left in
            left -= 1
            return left
        }
        if rest == 0, Bool.random() { _ = kill(getpid(), SIGKILL) }
        let key = request.headers["Idempotency-Key"] ?? ""
        do {
            try run("INSERT INTO \(table)(key, note) VALUES ('\(key)', '\(request.text)') ON CONFLICT (key) DO NOTHING")
        } catch { throw TransportError(.cannotConnect) }
        if rest <= 0 { _ = kill(getpid(), SIGKILL) }
        return try await ScriptedHTTPClient { _ in .answer(status: 201) }.send(request)
    }
}
