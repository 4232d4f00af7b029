import AquiferConcurrency
import AquiferTesting
import Foundation

@testable import Aquifer

/// An item of a list: the newest has the largest number.
struct Note: Codable, Hashable, Identifiable, Sendable {
    let id: Int
    var text = "first"
}

/// A server of notes, newest first, in pages of five. Each answer takes a second and has a date of its own.
final class PageServer: Sendable {
    enum Way: String, CaseIterable, Sendable { case cursor, offset, link }

    struct State {
        var notes: [Note]
        var isOnline = true
        var isDenied = false
        var requests: [String] = []
        /// The notes at the time of each answer.
        var history: [Date: [Note]] = [:]
    }

    let way: Way
    let pageSize: Int
    let date = ManualDate(Date(timeIntervalSince1970: 1_780_000_000))
    let state: Locked<State>

    init(_ way: Way, _ ids: some Sequence<Int>, pageSize: Int = 5) {
        self.way = way
        self.pageSize = pageSize
        state = Locked(State(notes: ids.map { Note(id: $0) }))
    }

    var requests: [String] { state.withLock { $0.requests } }

    func add(_ ids: Int...) {
        state.withLock { $0.notes = ($0.notes + ids.map { Note(id: $0) }).sorted { $0.id > $1.id } }
    }
    func delete(_ ids: Int...) { state.withLock { $0.notes.removeAll { ids.contains($0.id) } } }
    func edit(_ id: Int, _ text: String) {
        state.withLock { state in
            for index in state.notes.indices where state.notes[index].id == id { state.notes[index].text = text }
        }
    }
    func goOffline() { state.withLock { $0.isOnline = false } }
    func goOnline() { state.withLock { $0.isOnline = true } }

    func reply(_ request: HTTPRequest) -> ScriptedHTTPClient.Reply {
        let query = URLComponents(url: request.url, resolvingAgainstBaseURL: false)?.queryItems ?? []
        let asked = query.first { $0.name == "at" }?.value
        date.advance(by: 1)
        return state.withLock { state in
            state.requests.append(asked ?? "")
            guard state.isOnline else { return .failure(TransportError(.offline)) }
            if state.isDenied { return .answer(status: 403) }
            state.history[date.now] = state.notes
            let rest: ArraySlice<Note> =
                switch (way, asked) {
                case (_, nil): state.notes[...]
                case (.offset, let asked?): state.notes.dropFirst(Int(asked) ?? 0)
                case (_, let asked?): state.notes.drop { $0.id >= Int(asked.dropFirst()) ?? 0 }
                }
            let page = Array(rest.prefix(pageSize))
            let next = rest.count > pageSize ? page.last.map { "+\($0.id)" } : nil
            return answer(page, next, request)
        }
    }

    private func answer(_ page: [Note], _ next: String?, _ request: HTTPRequest) -> ScriptedHTTPClient.Reply {
        var headers: HTTPHeaders = [:]
        if way == .link, let next { headers["Link"] = "</notes?at=%2B\(next.dropFirst())>; rel=\"next\"" }
        let body = try? JSONEncoder().encode(Envelope(items: page, next: way == .cursor ? next : nil))
        return .answer(headers: headers, body: body ?? Data())
    }

    struct Envelope: Codable {
        let items: [Note]
        let next: String?
    }
}

/// A list of notes with a server, a client and a store under a test's control.
struct PagedWorld {
    let server: PageServer
    let client: ScriptedHTTPClient
    let store = FaultyStore(RepeatingStore())

    init(_ way: PageServer.Way = .cursor, _ ids: some Sequence<Int>, pageSize: Int = 5) {
        let server = PageServer(way, ids, pageSize: pageSize)
        self.init(server, ScriptedHTTPClient { server.reply($0) })
    }

    /// Thirty notes, and a network that holds each request while it is told to.
    init(holdingIf isHeld: Locked<Bool>) {
        let server = PageServer(.cursor, down(30, 1))
        self.init(server, ScriptedHTTPClient { isHeld.withLock { $0 } ? .held : server.reply($0) })
    }

    init(_ server: PageServer, _ client: ScriptedHTTPClient) {
        self.server = server
        self.client = client
    }

    /// A new object over the same store: what another process, or the next start, has.
    func resource(
        in other: (any CacheStore)? = nil, policy: CachePolicy = .sevenDays, fallback: FallbackPolicy = .standard,
        clock: any Clock<Duration> = ContinuousClock(), decoding: @escaping @Sendable () -> Void = {}
    ) -> PagedResource<Note> {
        let json = CacheCodec<[Note]>.json
        let codec = CacheCodec<[Note]>(
            encode: json.encode,
            decode: { bytes in
                decoding()
                return try json.decode(bytes)
            })
        let next: NextPage<Note> =
            switch server.way {
            case .cursor: .cursor("at") { head, body in try JSONMapper<PageServer.Envelope>().map(head, body).next }
            case .offset: .offset("at")
            case .link: .link
            }
        return PagedResource(
            key: "notes", in: other ?? store, first: HTTPRequest(.get, URL(string: "http://notes.example/notes")!),
            next: next.inFixedOrder(), client: client, codec: codec, policy: policy, fallback: fallback,
            now: server.date.read, clock: clock
        ) { head, body in try JSONMapper<PageServer.Envelope>().map(head, body).items }
    }

    /// A resource that has loaded so many pages.
    func loaded(pages: Int) async throws -> PagedResource<Note> {
        let resource = resource()
        _ = try await resource.load()
        for _ in 1..<max(pages, 1) { _ = try await resource.loadMore() }
        return resource
    }
}

extension PagedList<Note> {
    /// The numbers of the items; a gap is 0.
    var shape: [Int] { pages.flatMap { ($0.gap == nil ? [] : [0]) + $0.items.map(\.id) } }
}

/// The numbers from the first down to the last.
func down(_ first: Int, _ last: Int) -> [Int] { Array((last...first).reversed()) }
