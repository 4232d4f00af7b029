import Aquifer
import AquiferConcurrency
import AquiferTesting
import Foundation

/// A note, as the server sends it.
struct NoteRow: Codable, Hashable, Sendable {
    var id: String
    var text: String
    var tag = ""
    var version: String?
}

/// A change that a user makes to notes.
enum NoteChange: PendingChange, Hashable {
    case create(id: String, text: String)
    /// The creation with the server's answer.
    case created(NoteRow)
    case rename(id: String, text: String)
    case tag(id: String, tag: String)
    case delete(id: String)

    struct NoSuchNote: Error, CustomStringConvertible {
        var id: String
        var description: String { "there is no note \(id)" }
    }

    static let url = URL(string: "http://notes.example/notes")!

    var target: String {
        switch self {
        case .create(let id, _), .rename(let id, _), .tag(let id, _), .delete(let id): id
        case .created(let note): note.id
        }
    }

    var isCreation: Bool { if case .create = self { true } else { false } }

    func apply(to notes: inout [NoteRow]) throws {
        let place = notes.firstIndex { $0.id == target }
        switch self {
        case .create(let id, let text):
            let note = NoteRow(id: id, text: text)
            if place == nil { notes.append(note) }
        case .created(let note):
            if place == nil { notes.append(note) }
        case .rename(let id, let text):
            guard let place else { throw NoSuchNote(id: id) }
            notes[place].text = text
        case .tag(let id, let tag):
            guard let place else { throw NoSuchNote(id: id) }
            notes[place].tag = tag
        case .delete:
            if let place { notes.remove(at: place) }
        }
    }

    func request(version: String?) throws -> HTTPRequest {
        let note = Self.url.appending(path: target)
        func body(_ fields: [String: String]) throws -> HTTPBody { .bytes(try JSONEncoder().encode(fields)) }
        return switch self {
        case .create(_, let text): HTTPRequest(.post, Self.url, body: try body(["text": text]))
        case .created(let note): HTTPRequest(.post, Self.url, body: try body(["text": note.text]))
        case .rename(_, let text): HTTPRequest(.patch, note, body: try body(["text": text]))
        case .tag(_, let tag): HTTPRequest(.patch, note, body: try body(["tag": tag]))
        case .delete: HTTPRequest(.delete, note)
        }
    }

    func confirmation(_ answer: Outbox.Answer) throws -> ChangeConfirmation<NoteChange> {
        let version = answer.head.headers["ETag"]
        guard case .create = self else { return ChangeConfirmation(self, version: version) }
        let note = try JSONDecoder().decode(NoteRow.self, from: answer.body)
        return ChangeConfirmation(.created(note), id: note.id, version: version)
    }

    func replacingIDs(_ real: (String) -> String) -> NoteChange {
        switch self {
        case .create(let id, let text): .create(id: real(id), text: text)
        case .created(let note): .created(note)
        case .rename(let id, let text): .rename(id: real(id), text: text)
        case .tag(let id, let tag): .tag(id: real(id), tag: tag)
        case .delete(let id): .delete(id: real(id))
        }
    }

    func coalesced(with later: NoteChange) -> CoalescedChange<NoteChange> {
        switch (self, later) {
        case (.create(let id, _), .rename(_, let text)): .merged(.create(id: id, text: text))
        case (.rename, .rename), (.tag, .tag), (.rename, .delete), (.tag, .delete): .merged(later)
        case (.create, .delete): .nothing
        default: .separate
        }
    }

    /// A tag for what is gone is not wanted any more.
    func verdict(_ head: HTTPResponseHead, _ body: Data) -> Outbox.Verdict? {
        if case .tag(let id, _) = self, head.status == 410 {
            body.isEmpty || body == Data(id.utf8) ? .sent : .foreign
        } else {
            nil
        }
    }

    func version(in notes: [NoteRow]) -> String? { notes.first { $0.id == target }?.version }
    func part(of notes: [NoteRow]) -> NoteRow? { notes.first { $0.id == target } }
}

/// A server of notes that honours keys and versions.
final class NotesServer: Sendable {
    struct State {
        var notes: [NoteRow] = []
        var answers: [String: (status: Int, etag: String?, body: Data)] = [:]
        var count = 0
        /// The requests that the server has carried out, in order.
        var log: [String] = []
        /// Answers in place of the server's own.
        var rule: @Sendable (HTTPRequest) -> ScriptedHTTPClient.Reply? = { _ in nil }
        var isOffline = false
        /// The keys of the requests for changes that have come in, each time that they have.
        var keys: [String] = []
    }

    let state = Locked(State())

    var notes: [NoteRow] { state.withLock { $0.notes } }
    var log: [String] { state.withLock { $0.log } }
    var keys: [String] { state.withLock { $0.keys } }

    func set(rule: @escaping @Sendable (HTTPRequest) -> ScriptedHTTPClient.Reply?) {
        state.withLock { $0.rule = rule }
    }
    func set(offline: Bool) { state.withLock { $0.isOffline = offline } }

    /// A change by somebody else.
    func edit(_ change: @Sendable (inout [NoteRow]) -> Void) { state.withLock { change(&$0.notes) } }

    /// Each version of a note is another one.
    func renameByOthers(_ id: String, _ text: String) {
        state.withLock { state in
            state.count += 1
            guard let place = state.notes.firstIndex(where: { $0.id == id }) else { return }
            state.notes[place].text = text
            state.notes[place].version = "\"\(state.count)\""
        }
    }

    func client() -> ScriptedHTTPClient {
        ScriptedHTTPClient { request in
            if self.state.withLock({ $0.isOffline }) { return .failure(TransportError(.offline)) }
            if let key = request.headers["Idempotency-Key"] { self.state.withLock { $0.keys.append(key) } }
            if let reply = self.state.withLock({ $0.rule })(request) { return reply }
            return self.reply(request)
        }
    }

    func reply(_ request: HTTPRequest) -> ScriptedHTTPClient.Reply {
        let answer = carryOut(request)
        return .answer(status: answer.status, headers: answer.headers, body: answer.body)
    }

    /// The server's own answer, for an exchange that a test drives.
    func carryOut(_ request: HTTPRequest) -> (status: Int, headers: HTTPHeaders, body: Data) {
        let body = request.body?.parts.reduce(into: Data()) { data, part in
            if case .bytes(let bytes) = part { data += bytes }
        }
        let answer = state.withLock { state -> (status: Int, etag: String?, body: Data) in
            if request.method == .get { return (200, nil, (try? JSONEncoder().encode(state.notes)) ?? Data()) }
            if let key = request.headers["Idempotency-Key"], let known = state.answers[key] { return known }
            let answer = state.carryOut(request, body ?? Data())
            if let key = request.headers["Idempotency-Key"] { state.answers[key] = answer }
            return answer
        }
        var headers: HTTPHeaders = ["Content-Type": "application/json"]
        headers["ETag"] = answer.etag
        return (answer.status, headers, answer.body)
    }
}

extension NotesServer.State {
    mutating func carryOut(_ request: HTTPRequest, _ body: Data) -> (status: Int, etag: String?, body: Data) {
        let fields = (try? JSONDecoder().decode([String: String].self, from: body)) ?? [:]
        let id = request.url.lastPathComponent
        count += 1
        let version = "\"\(count)\""
        if request.method == .post {
            let note = NoteRow(id: "\(100 + count)", text: fields["text"] ?? "", version: version)
            notes.append(note)
            log.append("create \(note.id) \(note.text)")
            return (201, version, (try? JSONEncoder().encode(note)) ?? Data())
        }
        guard let place = notes.firstIndex(where: { $0.id == id }) else { return (404, nil, Data("no such note".utf8)) }
        if let wanted = request.headers["If-Match"], wanted != notes[place].version {
            return (412, nil, Data("somebody else has changed it".utf8))
        }
        if request.method == .delete {
            notes.remove(at: place)
            log.append("delete \(id)")
            return (204, nil, Data())
        }
        if let text = fields["text"] { notes[place].text = text }
        if let tag = fields["tag"] { notes[place].tag = tag }
        notes[place].version = version
        log.append("edit \(id) \(fields.values.sorted().joined())")
        return (200, version, Data())
    }
}

/// Notes with everything under a test's control.
struct NotesWorld {
    let server = NotesServer()
    /// The saved values, and the queue.
    let values = RepeatingStore()
    let queue = RepeatingStore()
    let date = ManualDate(Date(timeIntervalSince1970: 1_780_000_000))
    let clock = ManualClock()
    let keys = Locked(0)

    func outbox(in store: (any CacheStore)? = nil, client: (any HTTPClient)? = nil, width: Int = 4) -> Outbox {
        let policy = SendPolicy(
            width: width, base: .seconds(10), cap: .seconds(100), lease: .seconds(30), clock: clock, random: { 1 },
            now: date.read,
            makeKey: { [keys] in
                keys.withLock { count in
                    count += 1
                    return "key-\(count)"
                }
            })
        return Outbox(in: store ?? queue, client: client ?? server.client(), policy: policy)
    }

    func resource(client: (any HTTPClient)? = nil, store: (any CacheStore)? = nil) -> Resource<[NoteRow]> {
        let remote = RemoteLoader<[NoteRow]>(HTTPRequest(.get, NoteChange.url), client: client ?? server.client()) {
            head, body in
            guard head.status == 200 else { throw InvalidData.status(head.status) }
            return try JSONDecoder().decode([NoteRow].self, from: body)
        }
        return Resource(
            remote: remote, cache: Cache(key: "notes", in: store ?? values, now: date.read), clock: clock)
    }

    /// The notes as one process has them.
    func notes(_ outbox: Outbox? = nil) -> EditableResource<NoteChange> {
        EditableResource(resource(), changes: NoteChange.self, empty: [], outbox: outbox ?? self.outbox())
    }

    func pass(_ seconds: Double) {
        date.advance(by: seconds)
        clock.advance(by: .seconds(seconds))
    }
}

extension NotesWorld {
    static func copy(_ store: any CacheStore) async throws -> RepeatingStore {
        let copy = RepeatingStore()
        for summary in try await store.entries() {
            guard let entry = try await store.retrieve(summary.key) else { continue }
            try await copy.insert(entry, for: summary.key)
        }
        return copy
    }

    /// The stores that a kill after each write of some calls leaves behind.
    static func kills(_ before: RepeatingStore, _ calls: [FaultyStore.Call]) async throws -> [RepeatingStore] {
        let store = try await copy(before)
        var killed: [RepeatingStore] = []
        for call in calls where call.isWrite {
            switch call {
            case .update(let key, .replace(let entry)?), .insert(let entry, for: let key):
                try await store.insert(entry, for: key)
            case .update(let key, .delete?), .delete(let key): try await store.delete(key)
            default: continue
            }
            killed.append(try await copy(store))
        }
        return killed
    }
}

/// Reads the states of notes until one has what is waited for; each state that was passed is checked.
func wait(
    _ updates: inout ResourceUpdates<[NoteRow]>.AsyncIterator, until isThere: (Loaded<[NoteRow]>) -> Bool,
    each check: (Loaded<[NoteRow]>) -> Void = { _ in }
) async -> Loaded<[NoteRow]>? {
    while let state = await updates.next() {
        guard let state else { continue }
        check(state)
        if isThere(state) { return state }
    }
    return nil
}
