import Aquifer
import AquiferConcurrency
import AquiferCurl
import AquiferTesting
import Foundation
import HTTPServer
import ReferenceAPIs
import Testing

@testable import App

/// Reads a screen's states.
@MainActor
final class StateReader {
    private var rest: AsyncStream<String>.Iterator

    init(_ states: AsyncStream<String>) { rest = states.makeAsyncIterator() }

    func next() async -> String? {
        var iterator = rest
        defer { rest = iterator }
        return await iterator.next(isolation: MainActor.shared)
    }

    /// The next state that has these words.
    func state(with words: String) async -> String { await state { $0.contains(words) } }

    /// The next state that meets the condition.
    func state(_ isWanted: (String) -> Bool) async -> String {
        while let state = await next() {
            if isWanted(state) { return state }
        }
        return ""
    }
}

@MainActor
@Suite("Screens of tabs", .timeLimit(.minutes(10)))
struct ScreenTests {
    @Test("A screen streams its present state at once, then each change, up to what was loaded")
    func streams() async throws {
        let world = AppWorld()
        let iterator = world.states()
        #expect(await iterator.next()?.contains(#""phase":"idle""#) == true)
        #expect(await world.tell("feed?tab=tab", "appear") == 204)
        let loaded = await iterator.state(with: #""phase":"loaded""#)
        #expect(world.site.hub.screen(FeedScreen.self, tab: "tab")?.model.list.source == .remote)
        #expect(loaded.contains("/api/screens/feed/images/"))
        await world.tell("feed?tab=tab", "loadMore")
        // Who follows the list may show the page before the request for it has ended.
        let more = await iterator.state {
            $0.components(separatedBy: "/api/screens/feed/images/").count > 20
                && $0.contains(#""more":{"message":null,"phase":"idle"}"#)
        }
        #expect(!more.isEmpty)
        await world.services.stop()
    }

    @Test("Two tabs have screens of their own; a reload finds the tab's screen as it was")
    func tabs() async throws {
        let world = AppWorld()
        _ = try await world.load(tab: "one")
        let one = world.states(tab: "one")
        let two = world.states(tab: "two")
        #expect(await one.next()?.contains(#""phase":"loaded""#) == true)
        #expect(await two.next()?.contains(#""phase":"idle""#) == true)
        await world.services.stop()
    }

    @Test("Offline with nothing saved is an error in words; offline with a copy is the copy and its age")
    func offline() async throws {
        let world = AppWorld { $0.faults = [.feed: .offline] }
        let iterator = world.states()
        await world.tell("feed?tab=tab", "appear")
        #expect(
            await iterator.state(with: #""phase":"failed""#).contains("You’re offline, and nothing recent is saved"))
        world.services.reference.set(.none, of: .feed)
        _ = try await world.services.feed.feed.load()
        world.date.advance(by: Duration.days(2).timeInterval)
        world.services.reference.set(.offline, of: .feed)
        let later = world.states()
        await world.tell("feed?tab=tab", "refresh")
        _ = await later.state(with: "Saved 2 days ago.")
        let source = world.site.hub.screen(FeedScreen.self, tab: "tab")?.model.list.source
        guard case .cache(_, because: .connectivity?)? = source else {
            Issue.record("came from \(String(describing: source))")
            return
        }
        await world.services.stop()
    }

    @Test("A failure beside what is shown, of a refresh or of more, says nothing of what is saved")
    func besideValue() async throws {
        let world = AppWorld()
        _ = try await world.load()
        world.services.reference.set(.offline, of: .feed)
        let iterator = world.states()
        await world.tell("feed?tab=tab", "loadMore")
        #expect(await iterator.state(with: "More couldn’t be loaded. You’re offline.") != "")
        await world.services.stop()

        let offline = LoadError.connectivity(TransportError(.offline))
        let answers = Locked<[Result<Loaded<String>, LoadError>]>([
            .failure(offline), .success(Loaded("one", source: .remote)), .failure(offline),
        ])
        let model = ResourceModel(
            ResourceModel<String>.Loading(
                load: { () async throws(LoadError) in try answers.withLock { $0.removeFirst() }.get() },
                saved: { () async throws(StoreError) in nil }, isFresh: { _ in true }))
        let context = ScreenContext(language: .english, now: world.date.now)
        var errors: [String?] = []
        for _ in 0..<3 {
            await model.refresh()
            errors.append(context.progress(of: model).error?.message)
        }
        #expect(errors == [offline.message(in: .english), nil, "Couldn’t refresh. You’re offline."])
    }

    @Test("When the last reader leaves, what still loads is cancelled, up to the remote")
    func leaving() async throws {
        let world = AppWorld { $0.faults = [.feed: .slow] }
        var reading: StateReader? = world.states()
        await world.tell("feed?tab=tab", "appear")
        #expect(await eventually { world.services.reference.transfers(of: .feed).active != 0 })
        #expect(reading != nil)
        reading = nil
        #expect(await eventually { world.services.reference.transfers(of: .feed).cut != 0 })
        let screen = world.site.hub.screen(FeedScreen.self, tab: "tab")
        #expect(await eventually { screen?.model.list.isLoading != true })
        #expect(screen?.model.list.phase == .idle)
        await world.services.stop()
    }

    @Test("A page says with its stream that it looks, and its content is loaded: no intent has to follow")
    func appearsWithItsStream() async throws {
        let world = AppWorld()
        let target = "/api/screens/feed/events?tab=tab"
        let silent = OpenStream(await world.request("GET", target))
        #expect(await eventually { silent.text.contains(#""phase":"idle""#) })
        #expect(world.services.reference.requests(of: .feed).isEmpty)
        let looking = OpenStream(await world.request("GET", target, "", ["Aquifer-Appear": "load"]))
        #expect(await eventually { looking.text.contains(#""phase":"loaded""#) })
        let lists = { world.services.reference.requests(of: .feed).count { $0.path.hasSuffix("/feed") } }
        #expect(lists() == 1)
        // The same page comes back to it: what it shows is no older than the page.
        let back = OpenStream(await world.request("GET", target, "", ["Aquifer-Appear": "again"]))
        #expect(await eventually { back.text.contains(#""phase":"loaded""#) })
        let anew = OpenStream(await world.request("GET", target, "", ["Aquifer-Appear": "load"]))
        #expect(await eventually { lists() == 2 })
        for stream in [silent, looking, back, anew] { await stream.close() }
        await world.services.stop()
    }

    @Test("Each screen can be looked at")
    @MainActor
    func canBeLookedAt() async throws {
        let world = AppWorld()
        for kind in Screens.all {
            let subject = kind.subject.map { "&\($0)=\($0 == "contact" ? "1001" : "coffee%2F%3Afrom")" } ?? ""
            let target = "/api/screens/\(kind.name)/events?tab=tab\(subject)"
            let plain = await world.request("GET", target)
            let looking = await world.request("GET", target, "", ["Aquifer-Appear": "load"])
            #expect(looking.status == plain.status, "\(kind.name)")
            for response in [plain, looking] { await OpenStream(response).close() }
        }
        await world.services.stop()
    }

    @Test("Comments come with who, what, and how long ago")
    func comments() async throws {
        let world = AppWorld()
        _ = try await world.load()
        let items = world.site.hub.screen(FeedScreen.self, tab: "tab")?.model.items ?? []
        let image = try #require(items.first).id
        let iterator = world.states(CommentsScreen.self, showing: image.uuidString)
        let target = "/api/screens/comments/intents?tab=tab&image=\(image.uuidString)"
        #expect(await world.request("POST", target, #"{"intent":"appear"}"#).status == 204)
        let state = await iterator.state(with: #""phase":"loaded""#)
        #expect(state.contains("\"author\":") && state.contains(" ago\""))
        await world.services.stop()
    }
}

@Suite("One chain from the browser to the remote", .timeLimit(.minutes(10)))
struct ChainTests {
    @Test("Closing a picture's connection ends the transfer at the remote")
    func chain() async throws {
        let world = await AppWorld()
        let pictures = try await world.load()
        let server = try await WebServer(world.services, at: Entrance(port: 0), token: false)
        // The tab lives in the server that is asked.
        let tab = try #require(URL(string: "http://127.0.0.1:\(server.port)/api/screens/feed/intents?tab=tab"))
        try await post(#"{"intent":"appear"}"#, to: tab)
        #expect(try await eventually { try await isLoaded(server.port) })

        world.services.reference.set(.slow, of: .feed)
        let before = world.services.reference.transfers(of: .feed).cut
        let url = try #require(URL(string: "http://127.0.0.1:\(server.port)\(pictures[0])"))
        let loading = Task { try? await client.send(HTTPRequest(.get, url)).data(upTo: 1 << 20) }
        #expect(await eventually { world.services.reference.transfers(of: .feed).active != 0 })
        loading.cancel()
        #expect(await eventually { world.services.reference.transfers(of: .feed).cut != before })
        #expect(world.services.reference.transfers(of: .feed).active == 0)
        await server.stop()
        await world.services.stop()
    }

    private let client = CurlHTTPClient()

    private func post(_ body: String, to url: URL) async throws {
        let response = try await client.send(HTTPRequest(.post, url, body: .bytes(Data(body.utf8))))
        #expect(response.head.status == 204)
    }

    private func isLoaded(_ port: UInt16) async throws -> Bool {
        let url = try #require(URL(string: "http://127.0.0.1:\(port)/api/screens/feed/events?tab=tab"))
        let response = try await client.send(HTTPRequest(.get, url))
        var text = ""
        while !text.contains("event: state"), let chunk = try await response.body.next() {
            text += String(decoding: chunk, as: UTF8.self)
        }
        while !text.hasSuffix("\n\n"), let chunk = try await response.body.next() {
            text += String(decoding: chunk, as: UTF8.self)
        }
        return text.contains(#""phase":"loaded""#)
    }
}
