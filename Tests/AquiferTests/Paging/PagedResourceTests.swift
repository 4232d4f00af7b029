import AquiferConcurrency
import AquiferTesting
import Foundation
import Testing

@testable import Aquifer

@Suite("A list in pages", .timeLimit(.minutes(10)))
struct PagedResourceTests {
    @Test(
        "is loaded page by page to its end, whichever way the server gives the next page",
        arguments: PageServer.Way.allCases)
    func toTheEnd(way: PageServer.Way) async throws {
        let world = PagedWorld(way, down(12, 1))
        let resource = world.resource()
        #expect(try await resource.load().value.shape == down(12, 8))
        var list = try await resource.loadMore()
        #expect(list.value.shape == (way == .offset ? down(12, 4) : down(12, 3)) && !list.value.isComplete)
        #expect(list.source == .remote)
        while !list.value.isComplete { list = try await resource.loadMore() }
        #expect(list.value.shape == down(12, 1))
        let count = world.server.requests.count
        #expect(try await resource.loadMore().value == list.value)
        #expect(world.server.requests.count == count, "the end is known")
        #expect(try await world.resource().saved()?.value == list.value, "the saved copy is all pages")
    }

    @Test("keeps its later pages when it is refreshed and they still join", arguments: PageServer.Way.allCases)
    func refreshed(way: PageServer.Way) async throws {
        let world = PagedWorld(way, down(20, 1))
        let resource = try await world.loaded(pages: 3)
        let before = try #require(try await resource.saved()).value.shape
        world.server.add(21, 22, 23)
        let list = try await resource.reload()
        #expect(list.value.shape == down(23, 21) + before)
        #expect(
            list.source == .remote
                && list.value.pages.map(\.gap) == Array(repeating: nil, count: list.value.pages.count))
        #expect(try await world.resource().saved()?.value == list.value)
        world.server.goOffline()
        #expect(try await resource.reload().value == list.value, "all pages are there offline")
    }

    @Test(
        "goes on at its end after a refresh, without a request for the pages between",
        arguments: PageServer.Way.allCases)
    func goesOn(way: PageServer.Way) async throws {
        let world = PagedWorld(way, down(20, 1))
        let resource = try await world.loaded(pages: 2)
        world.server.add(21, 22)
        _ = try await resource.reload()
        let count = world.server.requests.count
        let list = try await resource.loadMore()
        #expect(list.value.shape == down(22, way == .offset ? 8 : 6) && list.value.gaps.isEmpty)
        #expect(world.server.requests.count == count + 1)
    }

    @Test("loses what was deleted on the server inside what was loaded anew", arguments: PageServer.Way.allCases)
    func deleted(way: PageServer.Way) async throws {
        let world = PagedWorld(way, down(20, 1))
        let resource = try await world.loaded(pages: 2)
        world.server.delete(19, 17)
        let shape = try await resource.reload().value.shape
        #expect(shape == [20, 18, 16, 15, 14] + down(13, way == .offset ? 12 : 11))
        #expect(try await world.resource().saved()?.value.shape == shape)
    }

    @Test(
        "has a gap where the refreshed page does not reach the older ones, and says so",
        arguments: PageServer.Way.allCases)
    func gap(way: PageServer.Way) async throws {
        let world = PagedWorld(way, down(9, 1))
        let resource = try await world.loaded(pages: 1)
        for id in 10...21 { world.server.add(id) }
        let list = try await resource.reload().value
        #expect(list.shape == down(21, 17) + [0] + down(9, 5))
        #expect(list.items.map(\.id) == down(21, 17), "between these items none is missing")
        #expect(list.allItems.count == 10 && list.gaps.count == 1)
        #expect(try await world.resource().saved()?.value == list)
    }

    @Test("closes a gap page by page, and then has none", arguments: PageServer.Way.allCases)
    func filled(way: PageServer.Way) async throws {
        let world = PagedWorld(way, down(9, 1))
        let resource = try await world.loaded(pages: 1)
        for id in 10...21 { world.server.add(id) }
        var list = try await resource.reload().value
        var filled = 0
        while let gap = list.gaps.first {
            list = try await resource.fill(gap).value
            filled += 1
            #expect(list.shape.last == 5)
        }
        #expect(filled == 2)
        #expect(list.shape == down(21, 5))
        #expect(try await world.resource().saved()?.value == list)
        #expect(try await resource.loadMore().value.shape.starts(with: down(21, 2)))
    }

    @Test(
        "does not pretend that a page joins because one of its items was moved up", arguments: [PageServer.Way.cursor])
    func moved(way: PageServer.Way) async throws {
        let splice = PageSplice(
            PageRecord(items: [Note(id: 30), Note(id: 4)], start: nil, next: "+4", link: "+4"),
            over: [
                PageEntry(
                    record: PageRecord(items: down(9, 5).map { Note(id: $0) }, start: nil, next: "+5", link: "+5")),
                PageEntry(
                    name: "+5",
                    record: PageRecord(items: down(4, 1).map { Note(id: $0) }, start: "+5", next: nil, link: "")),
            ], joining: .ends, identify: { ItemID($0.id) })
        #expect(splice.rest?.record.followsGap == true)
        #expect(splice.rest?.record.items.map(\.id) == down(9, 5))
    }

    @Test("has an item once: its newest copy, at the place of the newer page", arguments: PageServer.Way.allCases)
    func newestCopy(way: PageServer.Way) async throws {
        let world = PagedWorld(way, down(20, 1))
        let resource = try await world.loaded(pages: 2)
        world.server.edit(18, "second")
        let list = try await resource.reload().value
        #expect(list.allItems.filter { $0.id == 18 } == [Note(id: 18, text: "second")])
        #expect(Set(list.allItems.map(\.id)).count == list.allItems.count)
    }

    @Test("ends where the newer first page says that it ends")
    func shorter() async throws {
        let world = PagedWorld(.cursor, down(12, 1))
        let resource = try await world.loaded(pages: 3)
        world.server.delete(contentsOf: down(12, 4))
        let list = try await resource.reload().value
        #expect(list.shape == [3, 2, 1] && list.isComplete)
        #expect(try await world.store.entries().count == 1, "the other pages are deleted")
    }

    @Test("finds its place again when items were deleted before an offset")
    func shiftedOffset() async throws {
        let world = PagedWorld(.offset, down(30, 1))
        let resource = try await world.loaded(pages: 2)
        world.server.delete(30, 29, 28)
        let list = try await resource.loadMore().value
        #expect(list.gaps.isEmpty && list.shape.starts(with: down(30, 20)))
        let pairs = zip(list.shape, list.shape.dropFirst())
        #expect(pairs.allSatisfy { $0 - 1 == $1 })
    }

    @Test("has an item once although one answer has it twice, the first one too")
    func repeated() async throws {
        let world = PagedWorld(
            PageServer(.cursor, []),
            ScriptedHTTPClient { request in
                let isFirst = request.url.query?.contains("at=") != true
                let ids = isFirst ? [1, 2, 1] : [3, 3, 2]
                let items = ids.map { #"{"id":\#($0),"text":""}"# }.joined(separator: ",")
                return .answer(body: Data(#"{"items":[\#(items)]\#(isFirst ? #","next":"a""# : "")}"#.utf8))
            })
        let resource = world.resource()
        #expect(try await resource.load().value.shape == [1, 2])
        #expect(try await resource.loadMore().value.shape == [1, 2, 3])
        #expect(try await world.resource().saved()?.value.shape == [1, 2, 3])
    }

    @Test("is shown, and says that it is not saved, if a cursor is too long for that")
    func longCursor() async throws {
        let cursor = String(repeating: "c", count: 40_000)
        let world = PagedWorld(
            PageServer(.cursor, []),
            ScriptedHTTPClient { _ in
                .answer(body: Data(#"{"items":[{"id":1,"text":""}],"next":"\#(cursor)"}"#.utf8))
            })
        let loaded = try await world.resource().load()
        #expect(loaded.value.shape == [1] && loaded.saveError != nil)
        #expect(try await world.resource().saved() == nil)
    }

    @Test("goes on at a position that only looks like the one before")
    func lookalikes() async throws {
        let positions = ["\u{E9}", "e\u{301}", "z"]
        let asked = Locked(0)
        let client = ScriptedHTTPClient { _ in
            let number = asked.withLock { number in
                number += 1
                return number
            }
            let next = number <= positions.count ? "\"\(positions[number - 1])\"" : "null"
            return .answer(body: Data(#"{"items":[{"id":\#(number),"text":""}],"next":\#(next)}"#.utf8))
        }
        let world = PagedWorld(PageServer(.cursor, []), client)
        let resource = world.resource()
        var list = try await resource.load().value
        for _ in 0..<5 where !list.isComplete { list = try await resource.loadMore().value }
        #expect(list.isComplete && list.allItems.map(\.id) == [1, 2, 3, 4])
        #expect(try await world.resource().saved()?.value == list)
    }

    @Test("takes a page that does not move on for the end")
    func noProgress() async throws {
        let world = PagedWorld(
            PageServer(.cursor, []),
            ScriptedHTTPClient { _ in .answer(body: Data(#"{"items":[{"id":1,"text":""}],"next":"a"}"#.utf8)) })
        let resource = world.resource()
        #expect(try await resource.load().value.isComplete == false)
        let list = try await resource.loadMore().value
        #expect(list.shape == [1] && list.isComplete)
        #expect(try await world.resource().saved()?.value == list)
    }
}

extension PageServer {
    func delete(contentsOf ids: [Int]) { state.withLock { $0.notes.removeAll { ids.contains($0.id) } } }
}

@Suite("The address of the next page", .timeLimit(.minutes(10)))
struct NextPageTests {
    @Test(
        "is that of the relation next, in whichever form RFC 8288 allows",
        arguments: [
            (#"<https://a.example/?page=2>; rel="next""#, "https://a.example/?page=2"),
            (#"</a>; rel=prev, </b,c>; title="x, <y>; rel=next"; rel="first next""#, "/b,c"),
            (#"</a>;rel=NEXT"#, "/a"), (#"</a>; rel="nextdoor""#, nil), (#"</a>"#, nil), ("", nil), ("<", nil),
            (#"</a>; title="\""; rel=next"#, "/a"), (#"</a>; title="never ends"#, nil),
        ] as [(String, String?)])
    func relation(field: String, target: String?) {
        #expect(LinkField.target(of: "next", in: ["Link": field]) == target)
    }

    @Test("may stand in any of several fields")
    func severalFields() {
        let headers = HTTPHeaders([.init("Link", "</a>; rel=prev"), .init("link", "</b>; rel=next")])
        #expect(LinkField.target(of: "next", in: headers) == "/b")
    }

    @Test(
        "is never followed to another origin, where the request's fields would go",
        arguments: [
            "http://other.example/notes?at=2", "https://notes.example/notes", "http://notes.example:81/",
            "file:///etc/passwd",
        ])
    func otherOrigin(address: String) {
        let first = HTTPRequest(.get, URL(string: "http://notes.example/notes")!, headers: ["Authorization": "secret"])
        let way = NextPage<Note>.link
        #expect(throws: InvalidData.body("the next page is at another origin")) { try way.request(first, address) }
    }

    @Test(
        "keeps the other parameters, and each character of a cursor",
        arguments: [
            ("http://notes.example/notes", "http://notes.example/notes?at=a%2Bb%26c%3D"),
            ("http://notes.example/notes?limit=5&at=old", "http://notes.example/notes?limit=5&at=a%2Bb%26c%3D"),
        ])
    func parameters(first: String, expected: String) throws {
        let way = NextPage<Note>.after("at") { "\($0.id)" }
        let request = try way.request(HTTPRequest(.get, URL(string: first)!), "a+b&c=")
        #expect(request.url.absoluteString == expected)
    }
}
