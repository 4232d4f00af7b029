import Aquifer
import AquiferTesting
import Foundation
import Testing

struct Article: Codable, Sendable, Identifiable {
    let id: Int
    let title: String
}

struct Articles: Codable {
    let items: [Article]
    let next: String?
}

func articles(from server: URL, client: any HTTPClient, store: any CacheStore) -> PagedResource<Article> {
    PagedResource(
        key: "articles:\(server.absoluteString)", in: store,
        first: HTTPRequest(.get, server.appending(path: "articles")),
        next: .cursor("cursor") { head, body in try JSONMapper<Articles>().map(head, body).next },
        client: client, codec: .json
    ) { head, body in try JSONMapper<Articles>().map(head, body).items }
}

@MainActor
func lines(of model: PagedModel<Article>) -> [String] {
    model.pages.flatMap { page in
        (page.gap == nil ? [] : ["More in between"]) + page.items.map(\.title)
    }
}

func outbox(adding articles: PagedResource<Article>, store: any CacheStore, client: any HTTPClient) -> Outbox {
    Outbox(
        in: store, client: client,
        whenSent: { _, _ in
            // A list that cannot be made invalid now is refreshed by its user.
            try? await articles.invalidate()
        })
}

@Suite("The snippets of Pages")
struct PagesTests {
    private func page(_ numbers: [Int], next: String?) -> ScriptedHTTPClient.Reply {
        let items = numbers.map { Article(id: $0, title: "Article \($0)") }
        return .answer(body: (try? JSONEncoder().encode(Articles(items: items, next: next))) ?? Data())
    }

    @Test("A screen shows its pages, a gap where they do not meet, and the whole list once it is filled")
    @MainActor
    func screen() async throws {
        let client = ScriptedHTTPClient([
            page([4, 3], next: "3"), page([2, 1], next: nil), page([8, 7], next: "7"),
            page([6, 5, 4, 3, 2], next: "2"),
        ])
        let server = try #require(URL(string: "https://example.org"))
        let model = PagedModel(articles(from: server, client: client, store: MemoryStore()))
        await model.appear()
        await model.loadMore()
        #expect(lines(of: model) == ["Article 4", "Article 3", "Article 2", "Article 1"] && model.more == .end)
        await model.refresh()
        #expect(lines(of: model)[1...3] == ["Article 7", "More in between", "Article 4"])
        await model.fill(try #require(model.list.value?.gaps.first))
        #expect(model.items.map(\.id) == [8, 7, 6, 5, 4, 3, 2, 1])
        #expect(client.requests[3].url.query() == "cursor=7")
    }

    @Test("A request that was sent from the queue makes the list load again")
    @MainActor
    func added() async throws {
        let client = ScriptedHTTPClient([page([1], next: nil), .answer(status: 201), page([2, 1], next: nil)])
        let server = try #require(URL(string: "https://example.org"))
        let list = articles(from: server, client: client, store: MemoryStore())
        let model = PagedModel(list)
        await model.appear()
        let outbox = outbox(adding: list, store: MemoryStore(), client: client)
        try await outbox.enqueue(HTTPRequest(.post, server, body: .bytes(Data("{}".utf8))))
        #expect(try await outbox.drain().sent == 1)
        #expect(await eventually { model.items.map(\.id) == [2, 1] })
    }
}
