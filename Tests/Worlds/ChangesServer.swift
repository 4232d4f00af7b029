import Aquifer
import AquiferTesting
import Foundation

/// A note of the world of changes.
struct WorldNote: Codable, Hashable, Sendable {
    var id: String
    /// The id that the device drew.
    var mark: String
    var text: String
    var tag = ""
    var version = ""
}

/// A server of notes that honours keys and versions. Its notes are on its disk, and survive a restart.
final class ChangesServer: @unchecked Sendable {
    // One thread at a time runs in a simulation.
    private let world: Simulation
    private var answers: [String: SimulatedNetwork.Answer] = [:]
    private var count = 0
    private(set) var notes: [WorldNote] = []
    private(set) var created: [String] = []

    init(_ world: Simulation) { self.world = world }

    func answer(_ request: SimulatedNetwork.Request) async -> SimulatedNetwork.Answer {
        try? await world.clock.sleep(for: world.random.duration(in: .microseconds(10) ... .milliseconds(100)))
        let answer = act(on: request)
        // An answer that has seen the notes may come much later.
        let pause = Duration.microseconds(10)...(world.random.chance(0.1) ? .seconds(20) : .milliseconds(100))
        try? await world.clock.sleep(for: world.random.duration(in: pause))
        return answer
    }

    private func act(on request: SimulatedNetwork.Request) -> SimulatedNetwork.Answer {
        if request.method == .get { return json(notes, status: 200) }
        guard let key = request.headers["Idempotency-Key"] else { return .init(status: 400) }
        if let known = answers[key] { return known }
        let answer = carryOut(request)
        // A refusal is no answer to keep: the user may send the same again over another version.
        if answer.status < 400 { answers[key] = answer }
        return answer
    }

    private func carryOut(_ request: SimulatedNetwork.Request) -> SimulatedNetwork.Answer {
        guard let fields = try? JSONDecoder().decode([String: String].self, from: request.body) else {
            return .init(status: 400)
        }
        count += 1
        let version = "\"\(count)\""
        if request.method == .post {
            let mark = fields["mark"] ?? ""
            created.append(mark)
            let note = WorldNote(id: "\(1000 + count)", mark: mark, text: fields["text"] ?? "", version: version)
            notes.append(note)
            world.note("creates \(note.id) for \(mark)")
            return json(note, status: 201, version)
        }
        guard let place = notes.firstIndex(where: { $0.id == request.url.lastPathComponent }) else {
            return .init(status: 404)
        }
        if let wanted = request.headers["If-Match"], wanted != notes[place].version {
            return .init(status: 412, body: Data("somebody else has changed it".utf8))
        }
        if request.method == .delete {
            world.note("deletes \(notes[place].mark)")
            notes.remove(at: place)
            return .init(status: 204)
        }
        if let text = fields["text"] { notes[place].text = text }
        if let tag = fields["tag"] { notes[place].tag = tag }
        notes[place].version = version
        world.note("\(notes[place].mark) is \(notes[place].text) \(notes[place].tag)")
        return json(notes[place], status: 200, version)
    }

    private func json(
        _ value: some Encodable, status: Int, _ version: String? = nil
    ) -> SimulatedNetwork.Answer {
        var headers: HTTPHeaders = ["Content-Type": "application/json"]
        headers["ETag"] = version
        return .init(status: status, headers: headers, body: (try? JSONEncoder().encode(value)) ?? Data())
    }
}

/// A change that a user of the world makes to notes.
enum WorldChange: PendingChange, Hashable {
    case create(id: String, mark: String, text: String)
    case created(WorldNote)
    case rename(id: String, text: String)
    case tag(id: String, tag: String)
    case delete(id: String)

    struct NoSuchNote: Error {}

    var target: String {
        switch self {
        case .create(let id, _, _): id
        case .created(let note): note.id
        case .rename(let id, _), .tag(let id, _), .delete(let id): id
        }
    }

    var isCreation: Bool { if case .create = self { true } else { false } }

    func apply(to notes: inout [WorldNote]) throws {
        let place = notes.firstIndex { $0.id == target || $0.mark == target }
        switch self {
        case .create(let id, let mark, let text):
            if place == nil, !notes.contains(where: { $0.mark == mark }) {
                notes.append(WorldNote(id: id, mark: mark, text: text))
            }
        case .created(let note):
            if place == nil { notes.append(note) }
        case .rename(_, let text):
            guard let place else { throw NoSuchNote() }
            notes[place].text = text
        case .tag(_, let tag):
            guard let place else { throw NoSuchNote() }
            notes[place].tag = tag
        case .delete: if let place { notes.remove(at: place) }
        }
    }

    func request(version: String?) throws -> HTTPRequest {
        guard let url = URL(string: "http://notes.example/notes") else { throw NoSuchNote() }
        func body(_ fields: [String: String]) throws -> HTTPBody { .bytes(try JSONEncoder().encode(fields)) }
        let note = url.appending(path: target)
        return switch self {
        case .create(_, let mark, let text): HTTPRequest(.post, url, body: try body(["mark": mark, "text": text]))
        case .created: throw NoSuchNote()
        case .rename(_, let text): HTTPRequest(.patch, note, body: try body(["text": text]))
        case .tag(_, let tag): HTTPRequest(.patch, note, body: try body(["tag": tag]))
        case .delete: HTTPRequest(.delete, note, body: try body([:]))
        }
    }

    func confirmation(_ answer: Outbox.Answer) throws -> ChangeConfirmation<WorldChange> {
        let version = answer.head.headers["ETag"]
        guard case .create = self else { return ChangeConfirmation(self, version: version) }
        let note = try JSONDecoder().decode(WorldNote.self, from: answer.body)
        return ChangeConfirmation(.created(note), id: note.id, version: version)
    }

    func replacingIDs(_ real: (String) -> String) -> WorldChange {
        switch self {
        case .create(let id, let mark, let text): .create(id: real(id), mark: mark, text: text)
        case .created: self
        case .rename(let id, let text): .rename(id: real(id), text: text)
        case .tag(let id, let tag): .tag(id: real(id), tag: tag)
        case .delete(let id): .delete(id: real(id))
        }
    }

    func coalesced(with later: WorldChange) -> CoalescedChange<WorldChange> {
        switch (self, later) {
        case (.create(let id, let mark, _), .rename(_, let text)): .merged(.create(id: id, mark: mark, text: text))
        case (.rename, .rename), (.tag, .tag), (.rename, .delete), (.tag, .delete): .merged(later)
        case (.create, .delete): .nothing
        default: .separate
        }
    }

    func version(in notes: [WorldNote]) -> String? {
        notes.first { $0.id == target || $0.mark == target }.flatMap { $0.version.isEmpty ? nil : $0.version }
    }
}
