import AquiferTesting
import Foundation
import Synchronization

/// A server of notes in memory, for trying Examples/Notes and for its tests. It does what an app may ask of the server of its
/// changes: it gives ids, a version to each note (`ETag`, `If-Match`), and carries out each `Idempotency-Key` once.
final class NotesServer: Sendable {
    struct Note: Codable, Sendable, Equatable {
        var id: String
        /// The id that the device drew.
        var draft: String?
        var title: String
        var rank: Double
        var version: String?
    }

    /// The body of a device's request.
    struct Change: Codable, Sendable {
        var target: String?
        var title: String?
        var rank: Double?
    }

    struct Answer: Sendable {
        var status: String
        var note: Note?
        var words = ""

        static let missing = Answer(status: "404 Not Found", words: "there is no such note")
        static let conflict = Answer(status: "412 Precondition Failed", words: "somebody else has changed this note")
    }

    struct State: Sendable {
        var notes: [Note] = []
        var lastID = 16
        var lastVersion = 0
        /// The answers, by the keys of their requests.
        var answers: [String: Answer] = [:]
        /// The requests other than those for the list: `PATCH /notes/17`.
        var requests: [String] = []
    }

    typealias Request = LoopbackConnection.Request

    private let state = Mutex(State())
    private let server = Mutex<LoopbackServer?>(nil)

    /// Starts a server.
    ///
    /// - Parameter beforeAnswer: called when a change was carried out, before its answer is sent. If it throws, the answer is lost.
    init(beforeAnswer: @escaping @Sendable (Request) throws -> Void = { _ in }) throws {
        let loopback = try LoopbackServer { [weak self] connection in
            while let self, let request = try connection.readRequest() {
                guard request.method != "GET" else {
                    try connection.respond(body: try JSONEncoder().encode(notes))
                    continue
                }
                let answer = try carryOut(request)
                try beforeAnswer(request)
                let body = try answer.note.map { try JSONEncoder().encode($0) } ?? Data(answer.words.utf8)
                let fields = answer.note?.version.map { ["ETag: \($0)"] } ?? []
                try connection.respond(status: answer.status, fields: fields, body: body)
            }
        }
        server.withLock { $0 = loopback }
    }

    /// The address of the notes.
    var address: String { server.withLock { $0?.url("/notes").absoluteString ?? "" } }
    /// The notes as they are now.
    var notes: [Note] { state.withLock { $0.notes } }
    /// The changes that were asked for, each time that they were.
    var requests: [String] { state.withLock { $0.requests } }

    /// Takes no more connections.
    func stop() { server.withLock { $0?.stop() } }

    private func carryOut(_ request: Request) throws -> Answer {
        let change = request.body.isEmpty ? Change() : try JSONDecoder().decode(Change.self, from: request.body)
        let key = request.value("Idempotency-Key") ?? UUID().uuidString
        return state.withLock { state in
            state.requests.append("\(request.method) \(request.target)")
            if let known = state.answers[key] { return known }
            let answer = state.carryOut(request, change)
            state.answers[key] = answer
            return answer
        }
    }
}

extension NotesServer.State {
    mutating func carryOut(_ request: NotesServer.Request, _ change: NotesServer.Change) -> NotesServer.Answer {
        lastVersion += 1
        let version = "\"\(lastVersion)\""
        if request.method == "POST" {
            lastID += 1
            let note = NotesServer.Note(
                id: "\(lastID)", draft: change.target, title: change.title ?? "", rank: change.rank ?? 0,
                version: version)
            notes.append(note)
            return NotesServer.Answer(status: "201 Created", note: note)
        }
        let id = request.target.split(separator: "/").last.map(String.init)
        guard let place = notes.firstIndex(where: { $0.id == id }) else { return .missing }
        if let wanted = request.value("If-Match"), wanted != notes[place].version { return .conflict }
        if request.method == "DELETE" {
            notes.remove(at: place)
            return NotesServer.Answer(status: "204 No Content")
        }
        notes[place].title = change.title ?? notes[place].title
        notes[place].rank = change.rank ?? notes[place].rank
        notes[place].version = version
        return NotesServer.Answer(status: "200 OK", note: notes[place])
    }
}
