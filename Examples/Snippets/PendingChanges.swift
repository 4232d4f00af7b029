import Aquifer
import AquiferTesting
import Foundation
import Testing

struct Item: Codable, Sendable, Equatable {
    var id: String
    var draft: String?
    var title: String
    var version: String?
}

enum ItemChange: PendingChange {
    case add(Item)
    case rename(id: String, title: String)
    case remove(id: String)

    struct NoSuchItem: Error {}

    var target: String {
        switch self {
        case .add(let item): item.id
        case .rename(let id, _), .remove(let id): id
        }
    }

    func apply(to items: inout [Item]) throws {
        let place = items.firstIndex { $0.id == target || $0.draft == target }
        if case .add(let item) = self {
            if let place { items[place].id = item.id } else { items.append(item) }
            return
        }
        guard let place else { throw NoSuchItem() }
        if case .rename(_, let title) = self { items[place].title = title } else { items.remove(at: place) }
    }

    func request(version: String?) throws -> HTTPRequest {
        let all = URL(string: "https://example.org/items") ?? URL(filePath: "/")
        switch self {
        case .add(let item): return HTTPRequest(.post, all, body: .bytes(try JSONEncoder().encode(item)))
        case .rename(let id, let title):
            let fields = try JSONEncoder().encode(["title": title])
            return HTTPRequest(.patch, all.appending(path: id), body: .bytes(fields))
        case .remove(let id): return HTTPRequest(.delete, all.appending(path: id))
        }
    }
}

extension ItemChange {
    func confirmation(_ answer: Outbox.Answer) throws -> ChangeConfirmation<ItemChange> {
        let version = answer.head.headers["ETag"]
        guard case .add = self else { return ChangeConfirmation(self, version: version) }
        let item = try JSONDecoder().decode(Item.self, from: answer.body)
        return ChangeConfirmation(.add(item), id: item.id, version: version)
    }

    func replacingIDs(_ real: (String) -> String) -> ItemChange {
        switch self {
        case .add(var item):
            item.id = real(item.id)
            return .add(item)
        case .rename(let id, let title): return .rename(id: real(id), title: title)
        case .remove(let id): return .remove(id: real(id))
        }
    }
}

extension ItemChange {
    func version(in items: [Item]) -> String? { part(of: items)?.version }
    func part(of items: [Item]) -> Item? { items.first { $0.id == target || $0.draft == target } }
}

extension ItemChange {
    func coalesced(with later: ItemChange) -> CoalescedChange<ItemChange> {
        switch (self, later) {
        case (.add, .remove): return .nothing
        case (.add(var item), .rename(_, let title)):
            item.title = title
            return .merged(.add(item))
        case (.rename, .rename), (.rename, .remove): return .merged(later)
        default: return .separate
        }
    }
}

func items(_ resource: Resource<[Item]>, outbox: Outbox) -> EditableResource<ItemChange> {
    EditableResource(resource, changes: ItemChange.self, empty: [], outbox: outbox)
}

func rows(of loaded: Loaded<[Item]>) -> [String] {
    loaded.value.map { item in
        guard let pending = loaded.pending.first(where: { $0.target == item.id }) else { return item.title }
        if let refusal = pending.refusal { return "\(item.title) (not accepted: \(refusal))" }
        return "\(item.title) (not sent yet)"
    }
}

func question(about item: PendingItem, of items: EditableResource<ItemChange>) async throws -> String? {
    guard item.isConflict, let conflict = try await items.conflict(of: item.id) else { return nil }
    let (mine, theirs) = (conflict.mine?.title ?? "deleted", conflict.theirs?.title ?? "deleted")
    let before = conflict.base.map { "It was “\($0.title)”. " } ?? ""
    return "\(before)Keep yours, “\(mine)”, or theirs, “\(theirs)”?"
}

let contract = ChangeContract(
    changes: [
        ItemChange.add(Item(id: "draft-0001", title: "Milk")),
        .rename(id: "draft-0001", title: "Oat milk"), .rename(id: "draft-0001", title: "Rice milk"),
        .remove(id: "draft-0001"),
    ],
    values: [[Item(id: "7", title: "Bread", version: "\"1\"")]], empty: [])

@Test(arguments: contract.checks)
func keepsTheContract(check: ChangeContract<ItemChange>.Check) throws {
    try check.run()
}

@Suite("The snippets of Pending changes")
struct PendingChangesTests {
    private let server = URL(string: "https://example.org/items") ?? URL(filePath: "/")

    private func list(_ items: [Item]) -> ScriptedHTTPClient.Reply {
        .answer(body: (try? JSONEncoder().encode(items)) ?? Data())
    }

    private func resource(_ client: any HTTPClient) -> Resource<[Item]> {
        Resource(
            remote: RemoteLoader(HTTPRequest(.get, server), client: client, map: JSONMapper<[Item]>().map),
            cache: Cache(key: "items", in: MemoryStore()))
    }

    @Test("A change is shown at once, and sent under the id that the server gave")
    func shown() async throws {
        let made = Item(id: "17", draft: "d-1", title: "Milk", version: "\"1\"")
        let client = ScriptedHTTPClient([
            list([]), .answer(status: 201, headers: ["ETag": "\"1\""], body: try JSONEncoder().encode(made)),
            .answer(status: 204),
        ])
        let outbox = Outbox(in: MemoryStore(), client: client)
        let items = items(resource(client), outbox: outbox)
        _ = try await items.load()

        let milk = Item(id: "d-1", title: "Milk")  // in an app, UUID().uuidString
        try await items.change(.add(milk))
        var now = try #require(await items.saved())
        #expect(rows(of: now) == ["Milk (not sent yet)"])

        try await outbox.drain()
        try await items.change(.rename(id: milk.id, title: "Oat milk"))
        now = try #require(await items.saved())
        #expect(rows(of: now) == ["Oat milk (not sent yet)"])
        #expect(items.serverID(of: milk.id) == "17" && items.identity(of: "17") == milk.id)
        try await outbox.drain()
        #expect(client.requests.last?.url.lastPathComponent == "17")
    }

    @Test("A conflict is a question, and an answer settles it")
    func conflict() async throws {
        let (old, theirs) = (
            Item(id: "7", title: "Bread", version: "\"1\""), Item(id: "7", title: "Rye", version: "\"2\"")
        )
        let client = ScriptedHTTPClient([
            list([old]), .answer(status: 412), list([theirs]), list([theirs]),
            .answer(status: 200, headers: ["ETag": "\"3\""]),
        ])
        let outbox = Outbox(in: MemoryStore(), client: client)
        let items = items(resource(client), outbox: outbox)
        let form = try await items.load()  // a form is opened with this state
        try await items.change(.rename(id: "7", title: "Spelt"), over: form)  // and closed, an hour later
        try await outbox.drain()
        let item = try #require(try await items.pendingChanges().first?.item)
        #expect(
            try await question(about: item, of: items) == "It was “Bread”. Keep yours, “Spelt”, or theirs, “Rye”?")
        try await items.keepMine(item.id)  // or items.discard(item.id), for theirs
        try await outbox.drain()
        #expect(client.requests.last?.headers["If-Match"] == "\"2\"")
        #expect(client.requests[1].headers["If-Match"] == "\"1\"")
    }
}
