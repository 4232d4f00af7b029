import Aquifer
import AquiferConcurrency
import AquiferTesting
import Foundation

/// An outbox with everything under a test's control: server, store, clocks, keys.
struct OutboxWorld {
    let server = ScriptedServer()
    let store: FaultyStore
    let date = ManualDate(Date(timeIntervalSince1970: 1_780_000_000))
    let clock = ManualClock()
    let keys = Locked(0)
    let url = URL(string: "http://server.example/v1/notes")!

    /// True to run these tests over a store that changes many entries at once: `AQUIFER_BATCHES=1`.
    private static let isInBatches = ProcessInfo.processInfo.environment["AQUIFER_BATCHES"] != nil

    /// A world over a store. Each decision runs several times, as it may in a store that machines share.
    init(store: any CacheStore = MemoryStore()) { self.store = FaultyStore(RepeatingStore(store)) }

    func policy(width: Int = 4, random: Double = 1) -> SendPolicy {
        SendPolicy(
            width: width, base: .seconds(10), cap: .seconds(100), patience: .hours(2), lease: .seconds(30),
            clock: clock,
            random: { random }, now: date.read,
            makeKey: { [keys] in
                keys.withLock { count in
                    count += 1
                    return "key-\(count)"
                }
            })
    }

    /// An outbox over the world's store; each is as that of another process.
    func outbox(
        attachments: URL? = nil, width: Int = 4, random: Double = 1, skipsRefused: Bool = false,
        judge: Outbox.Judge? = nil
    ) -> Outbox {
        let policy = policy(width: width, random: random)
        let store: any CacheStore = Self.isInBatches ? BatchingStore(store) : store
        guard let judge else {
            return Outbox(
                in: store, attachments: attachments, client: server.client, policy: policy,
                skipsRefused: skipsRefused)
        }
        return Outbox(
            in: store, attachments: attachments, client: server.client, policy: policy, skipsRefused: skipsRefused,
            judge: judge)
    }

    func note(_ text: String) -> HTTPRequest {
        HTTPRequest(.post, url, headers: ["Content-Type": "text/plain"], body: .bytes(Data(text.utf8)))
    }

    /// A note for another host.
    func elsewhere(_ text: String) -> HTTPRequest {
        var note = note(text)
        note.url = URL(string: "http://other.example/")!
        return note
    }

    /// Lets the wall clock and the clock that sleepers sleep on go on together.
    func pass(_ seconds: Double) {
        date.advance(by: seconds)
        clock.advance(by: .seconds(seconds))
    }
}

/// A server that does as it is told, and honours idempotency keys.
final class ScriptedServer: Sendable {
    typealias Rule = @Sendable (_ text: String, _ request: HTTPRequest) -> ScriptedHTTPClient.Reply?

    private struct State {
        var rule: Rule = { _, _ in nil }
        var keys: Set<String> = []
        var taken: [String] = []
        var asked: [String] = []
    }

    private let state = Locked(State())
    private let holder = Locked<ScriptedHTTPClient?>(nil)

    var client: ScriptedHTTPClient {
        holder.withLock { client in
            if let client { return client }
            // The client answers from the state, for the server has the client.
            let new = ScriptedHTTPClient { [state] request in Self.answer(request, state) }
            client = new
            return new
        }
    }

    /// The texts that the server has, in the order in which they came, each once.
    var taken: [String] { state.withLock { $0.taken } }
    /// The texts of all requests, also of those that the server refused or left without an answer.
    var asked: [String] { state.withLock { $0.asked } }

    /// Decides about every request by the text it brings; `nil` to take it.
    func rule(_ rule: @escaping Rule) { state.withLock { $0.rule = rule } }

    /// Takes everything.
    func heal() { rule { _, _ in nil } }

    /// Takes a request whose answer is lost.
    func take(_ request: HTTPRequest) { Self.take(request, state) }

    private static func take(_ request: HTTPRequest, _ state: Locked<State>) {
        let key = request.headers["Idempotency-Key"] ?? "none"
        state.withLock { if $0.keys.insert(key).inserted { $0.taken.append(request.text) } }
    }

    private static func answer(_ request: HTTPRequest, _ state: Locked<State>) -> ScriptedHTTPClient.Reply {
        let rule = state.withLock { state in
            state.asked.append(request.text)
            return state.rule
        }
        if let reply = rule(request.text, request) { return reply }
        take(request, state)
        return .answer(status: 201, body: Data("took \(request.text)".utf8))
    }
}

extension HTTPRequest {
    /// The body's bytes in memory, as text.
    var text: String {
        (body?.parts ?? []).map { part in
            if case .bytes(let data) = part { String(decoding: data, as: UTF8.self) } else { "" }
        }.joined()
    }
}

extension ScriptedHTTPClient.Reply {
    static func status(_ status: Int, _ headers: HTTPHeaders = [:], _ words: String = "") -> Self {
        .answer(status: status, headers: headers, body: Data(words.utf8))
    }

    static let silence = Self.failure(TransportError(.timedOut))
}

extension Outbox {
    /// The state of each item in the queue.
    func standing() async throws -> [State] { try await items().map(\.state) }
}
