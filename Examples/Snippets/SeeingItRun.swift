import Aquifer
import AquiferTesting
import Foundation
import Testing

#if canImport(OSLog)
    import OSLog
#endif

struct PrintedEvents: AquiferEvents {
    func note(_ event: AquiferEvent) { print(event) }
}

func articles(
    at address: URL, client: any HTTPClient, store: any CacheStore, events: any AquiferEvents
) -> Resource<[String]> {
    Resource(
        remote: RemoteLoader(HTTPRequest(.get, address), client: client, map: JSONMapper().map),
        cache: Cache(key: "articles:latest", in: store, events: events))
}

#if canImport(OSLog)
    struct LoggedEvents: AquiferEvents {
        private let log = Logger(subsystem: "org.example.app", category: "Aquifer")
        private let signposter = OSSignposter(subsystem: "org.example.app", category: "Aquifer")

        func note(_ event: AquiferEvent) {
            log.debug("\(event.description, privacy: .public)")
            signposter.emitEvent("Aquifer", "\(event.description, privacy: .public)")
        }
    }
#endif

@Suite("The snippets of Seeing it run", .timeLimit(.minutes(10)))
struct SeeingItRunTests {
    @Test("A load tells what it does, in lines without values, keys and addresses")
    func lines() async throws {
        let client = ScriptedHTTPClient([.answer(body: Data(#"["One"]"#.utf8)), .failure(TransportError(.offline))])
        let address = try #require(URL(string: "https://example.org/articles"))
        let events = RecordedEvents()
        let articles = articles(at: address, client: client, store: MemoryStore(), events: events)
        _ = try await articles.load()
        _ = try await articles.load()
        #expect(events.told.map(\.name) == ["asked", "answered", "saved", "asked", "answered", "stoodIn"])
        #expect(events.told.map(\.keyClass.name) == Array(repeating: "articles", count: 6))
        #expect(events.told.last?.trouble == .offline)
        PrintedEvents().note(.evicted(KeyClass(of: "data:a"), bytes: 1))
    }
}
