import Aquifer
import AquiferCurl
import AquiferSQLite
import Foundation

struct Note: Codable, Sendable, Equatable {
    var id: String
    var draft: String?  // the id that a device drew for it: if the answer was lost, that device knows its note by it
    var title: String
    var rank: Double  // notes are listed by it
    var version: String?
    func has(_ name: String) -> Bool { id == name || draft == name }
}

struct NoteChange: PendingChange {
    enum Kind: String, Codable { case create = "POST", edit = "PATCH", delete = "DELETE" }
    struct NoSuchNote: Error {}
    static let server = URL(string: CommandLine.arguments.dropFirst().first ?? "") ?? URL(filePath: "/")
    var kind: Kind
    var target: String
    var title: String?
    var rank: Double?

    func part(of notes: [Note]) -> Note? { notes.first { $0.has(target) } }
    func version(in notes: [Note]) -> String? { part(of: notes)?.version }

    func apply(to notes: inout [Note]) throws {
        switch (kind, notes.firstIndex { $0.has(target) }) {
        case (.create, nil): notes.append(Note(id: target, title: title ?? "", rank: rank ?? 0))
        case (.create, let place?): notes[place].id = target  // the server has it, and its answer is on its way
        case (.edit, let place?):
            notes[place].title = title ?? notes[place].title
            notes[place].rank = rank ?? notes[place].rank
        case (.delete, let place?): notes.remove(at: place)
        case (_, nil): throw NoSuchNote()
        }
    }

    func request(version: String?) throws -> HTTPRequest {
        let address = kind == .create ? Self.server : Self.server.appending(path: target)
        return HTTPRequest(.init(rawValue: kind.rawValue), address, body: .bytes(try JSONEncoder().encode(self)))
    }

    func confirmation(_ answer: Outbox.Answer) throws -> ChangeConfirmation<NoteChange> {
        let note = kind == .delete ? nil : try JSONDecoder().decode(Note.self, from: answer.body)
        return ChangeConfirmation(self, id: note?.id, version: note?.version)
    }

    func replacingIDs(_ real: (String) -> String) -> NoteChange {
        .init(kind: kind, target: real(target), title: title, rank: rank)
    }

    func coalesced(with later: NoteChange) -> CoalescedChange<NoteChange> {
        if later.kind == .delete { return kind == .create ? .nothing : .merged(later) }
        return .merged(.init(kind: kind, target: target, title: later.title ?? title, rank: later.rank ?? rank))
    }
}

guard CommandLine.arguments.count > 3 else {
    print("ADDRESS FOLDER list|add TITLE|edit ID TITLE|move ID PLACE|delete ID|sync|conflict ID|keep mine|theirs ID")
    exit(64)
}
let words = CommandLine.arguments + ["", ""]
let (command, id, text, now) = (words[3], words[4], words[5], Date().timeIntervalSince1970)
let (file, client) = (URL(filePath: words[2]).appending(path: "notes.sqlite"), CurlHTTPClient())
let store = try SQLiteStore(file: file, durability: .power, isIrreplaceable: true)  // for changes that were not sent
let remote = RemoteLoader(HTTPRequest(.get, NoteChange.server), client: client, map: JSONMapper<[Note]>().map)
let cache = Cache<[Note]>(key: "notes", in: Scope("saved", in: store).store)
let outbox = Outbox(in: Scope("outbox", in: store).store, client: client)
let notes = EditableResource<NoteChange>(Resource(remote: remote, cache: cache), empty: [], outbox: outbox)
let item = try await notes.pendingChanges().map(\.item).first { $0.refusal != nil && [id, text].contains($0.target) }
switch (command, item) {
case ("add", _): try await notes.change(.init(kind: .create, target: UUID().uuidString, title: id, rank: now))
case ("edit", _): try await notes.change(.init(kind: .edit, target: id, title: text))
case ("move", _):
    let ranks = [0] + (try await notes.saved()?.value.filter { !$0.has(id) }.map(\.rank).sorted() ?? []) + [now]
    let place = min(max(Int(text) ?? 1, 1), ranks.count - 1)
    try await notes.change(.init(kind: .edit, target: id, rank: (ranks[place - 1] + ranks[place]) / 2))
case ("delete", _): try await notes.change(.init(kind: .delete, target: id))
case ("sync", _):
    await outbox.retryAll()
    try await outbox.drain()
case ("conflict", let item?):
    let conflict = try await notes.conflict(of: item.id)
    print("before, mine, theirs:", [conflict?.base, conflict?.mine, conflict?.theirs].map { $0?.title ?? "no note" })
case ("keep", let item?) where id == "mine": try await notes.keepMine(item.id)
case ("keep", let item?): try await notes.discard(item.id)
default: break  // list
}
let loaded = try await notes.load()
if loaded.source != .remote { print("The server has not answered. What you change is kept.") }
for note in loaded.value.sorted(by: { $0.rank < $1.rank }) { print("\(note.id)  \(note.title)") }
for item in loaded.pending { print("not sent: \(item.target) \(item.refusal?.description ?? "")") }
