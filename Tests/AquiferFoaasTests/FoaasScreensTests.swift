import Aquifer
import AquiferTesting
import Foundation
import Testing

@testable import AquiferFoaas

@MainActor
@Suite("The phrases' screens", .timeLimit(.minutes(10)))
struct FoaasScreensTests {
    private let center = NotificationCenter()

    /// Returns once the phrases posted before have been shown.
    private func delivered() async { await Task { @MainActor in }.value }

    @Test("The main screen asks for a phrase when it appears, once, and for another when it is tapped")
    func main() async {
        let world = FoaasWorld(.operations(), .phrase("One", "-"), .phrase("Two", "-"))
        let model = FoaasModel(world.service, center: center)
        await model.appear()
        await model.appear()
        #expect(model.phrase?.message == "One" && model.error == nil && !model.isSaved)
        await model.random()
        #expect(model.phrase?.message == "Two" && world.paths.count == 3)
    }

    @Test("Many taps ask once at a time")
    func taps() async {
        let client = ScriptedHTTPClient { $0.url.lastPathComponent == "operations" ? .operations() : .held }
        let world = FoaasWorld(client: client)
        let model = FoaasModel(world.service, center: center)
        let first = Task { await model.random() }
        let exchange = await client.exchange(1)
        let second = Task { await model.random() }
        #expect(client.requests.count == 2 && model.isLoading)
        exchange.respond(status: 200, headers: [:], body: Data(#"{"message":"A","subtitle":"b"}"#.utf8))
        await first.value
        await second.value
        #expect(client.requests.count == 2)
        #expect(model.phrase?.message == "A" && !model.isLoading)
    }

    @Test("A screen that comes while the phrase of one that has left is still ending gets one all the same")
    func cameDuringTheEnd() async {
        let client = ScriptedHTTPClient { $0.url.lastPathComponent == "operations" ? .operations() : .held }
        let world = FoaasWorld(client: client)
        let main = FoaasModel(world.service, center: center)
        let first = Task { await main.appear() }
        _ = await client.exchange(1)
        first.cancel()
        let third = Task { await main.appear() }
        await client.exchange(2).respond(
            status: 200, headers: [:], body: Data(#"{"message":"A","subtitle":"b"}"#.utf8))
        await third.value
        #expect(main.phrase?.message == "A" && !main.isLoading)
        let preview = FoaasPreviewModel(world.service, operation: "/awesome/:from", center: center)
        let second = Task { await preview.appear() }
        _ = await client.exchange(3)
        second.cancel()
        let fourth = Task { await preview.appear() }
        await client.exchange(4).respond(
            status: 200, headers: [:], body: Data(#"{"message":"A","subtitle":"zqx0xqz"}"#.utf8))
        await fourth.value
        #expect(preview.phase == .ready)
    }

    @Test("Offline the main screen says that a phrase needs a connection, and offers the last ones seen")
    func offline() async throws {
        let world = FoaasWorld(.operations(), .phrase("Seen", "- before"))
        let model = FoaasModel(world.service, center: center)
        await model.appear()
        await model.random()
        guard case .load(.connectivity)? = model.error else {
            _ = Issue.record("\(String(describing: model.error))")
            return
        }
        #expect(model.lastSeen.map(\.phrase.message) == ["Seen"])
        model.show(try #require(model.lastSeen.first).id)
        #expect(model.phrase?.message == "Seen" && model.isSaved)
        model.dismissError()
        #expect(model.error == nil)
    }

    @Test("The notification FoaasObjectDidUpdate carries the phrase in userInfo[\"info\"], and main shows it")
    func notification() async throws {
        let world = FoaasWorld()
        let model = FoaasModel(world.service, center: center)
        center.post(
            name: Notification.Name(rawValue: "FoaasObjectDidUpdate"), object: nil,
            userInfo: ["info": ["message": "Hello", "subtitle": "- you"]])
        await delivered()
        #expect(model.phrase == Foaas(message: "Hello", subtitle: "- you"))
        for info in [nil, ["info": 7], ["info": ["message": "only"]]] as [[String: Any]?] {
            center.post(name: .foaasObjectDidUpdate, object: nil, userInfo: info)
        }
        await delivered()
        #expect(model.phrase?.message == "Hello")
        NotificationCenter().post(Foaas(message: "of another tab", subtitle: ""))
        await delivered()
        #expect(model.phrase?.message == "Hello")
    }

    @Test("A phrase that was made on the preview is not replaced by one that was asked for before")
    func preferred() async {
        let client = ScriptedHTTPClient { $0.url.lastPathComponent == "operations" ? .operations() : .held }
        let model = FoaasModel(FoaasWorld(client: client).service, center: center)
        let asking = Task { await model.appear() }
        let exchange = await client.exchange(1)
        center.post(Foaas(message: "Mine", subtitle: "-"))
        await delivered()
        exchange.respond(status: 200, headers: [:], body: Data(#"{"message":"Other","subtitle":""}"#.utf8))
        await asking.value
        #expect(model.phrase?.message == "Mine" && !model.isLoading)
    }

    @Test("A main screen that is gone is told nothing")
    func gone() {
        weak var observation: FoaasModel?
        do {
            let model = FoaasModel(FoaasWorld().service, center: center)
            observation = model
        }
        #expect(observation == nil)
        center.post(Foaas(message: "nobody", subtitle: ""))
    }

    @Test("The operations list loads, is searched, and says how many were skipped")
    func list() async {
        let world = FoaasWorld(
            .json(#"[{"name":"Awesome","url":"/awesome/:from","fields":[]},{"name":"Bye","url":"/bye","fields":[]},7]"#)
        )
        let model = FoaasOperationsModel(world.service)
        await model.list.appear()
        #expect(model.operations.map(\.name) == ["Awesome", "Bye"] && model.skipped == 1)
        model.search("BYE")
        #expect(model.operations.map(\.name) == ["Bye"] && !model.hasNoMatch)
        model.search("qqq")
        #expect(model.hasNoMatch && !model.isEmpty)
    }

    @Test("The preview asks once for the template, and follows what is typed without asking again")
    func preview() async throws {
        let client = ScriptedHTTPClient { request in
            request.url.lastPathComponent == "operations"
                ? .operations() : .phrase("For \(request.url.pathComponents[3])", "- \(request.url.lastPathComponent)")
        }
        let world = FoaasWorld(client: client)
        let model = FoaasPreviewModel(world.service, operation: "/gift/:name/:thing/:from", center: center)
        await model.appear()
        await model.appear()
        #expect(model.phase == .ready && model.phrase == Foaas(message: "For [Name]", subtitle: "- [From]"))
        model.edit("name", "Ada")
        #expect(model.phrase?.message == "For Ada" && !model.canFinish)
        model.edit("from", "me")
        model.edit("name", "")
        #expect(model.phrase == Foaas(message: "For [Name]", subtitle: "- me"))
        #expect(client.requests.count == 2)
    }

    @Test("Done only when all fields are filled; then main has the phrase, and it is among the last seen")
    func finish() async throws {
        let client = ScriptedHTTPClient { request in
            request.url.lastPathComponent == "operations"
                ? .operations() : .phrase("Hi", "- \(request.url.lastPathComponent)")
        }
        let world = FoaasWorld(client: client)
        let main = FoaasModel(world.service, center: center)
        let model = FoaasPreviewModel(world.service, operation: "/awesome/:from", center: center)
        await model.appear()
        await model.finish()
        #expect(!model.canFinish && !model.isDone && main.phrase == nil)
        model.edit("from", "me/you")
        #expect(model.canFinish)
        await model.finish()
        await delivered()
        #expect(model.isDone && main.phrase == Foaas(message: "Hi", subtitle: "- me/you"))
        #expect(try await world.service.seen.all().first?.phrase == main.phrase)
        await model.appear()
        #expect(!model.isDone)
    }

    @Test("Offline the preview can be filled in, and says why there is no phrase; retry asks again")
    func previewOffline() async throws {
        let world = FoaasWorld(.operations(), .refused, .phrase("Back", "- zqx0xqz"))
        _ = try await world.service.operations.load()
        let model = FoaasPreviewModel(world.service, operation: "/awesome/:from", center: center)
        await model.appear()
        guard case .failed(.load(.connectivity)) = model.phase else {
            _ = Issue.record("\(model.phase)")
            return
        }
        model.edit("from", "me")
        #expect(model.builder?.path == "/awesome/me" && !model.canFinish && model.phrase == nil)
        await model.retry()
        #expect(model.phrase == Foaas(message: "Back", subtitle: "- me") && model.canFinish)
    }

    @Test("An operation that is not there is missing; one without fields is done at once")
    func missing() async {
        let model = FoaasPreviewModel(FoaasWorld(.operations()).service, operation: "/nothing", center: center)
        await model.appear()
        #expect(model.phase == .missing && !model.canFinish)
        let world = FoaasWorld(.operations([FoaasWorld.version]), .phrase())
        let version = FoaasPreviewModel(world.service, operation: "/version", center: center)
        await version.appear()
        #expect(version.canFinish)
    }

    @Test("A text too long to be sent is not taken, and said")
    func tooLong() async {
        let world = FoaasWorld(.operations(), .phrase())
        let model = FoaasPreviewModel(world.service, operation: "/awesome/:from", center: center)
        await model.appear()
        model.edit("from", "ok")
        model.edit("from", String(repeating: "😀", count: 3000))
        #expect(model.builder?["from"] == "ok" && model.problem == .tooLong(limit: FoaasPathBuilder.longest))
        model.edit("from", "ok!")
        #expect(model.problem == nil && model.canFinish)
    }

    @Test("The filter is on until it is switched off, and the settings are kept")
    func settings() async {
        let world = FoaasWorld()
        let settings = FoaasSettings(world.service)
        await settings.load()
        let phrase = Foaas(message: "Damn.", subtitle: "- shit")
        #expect(settings.filters && settings.shown(phrase) == Foaas(message: "D*mn.", subtitle: "- sh*t"))
        await settings.setFilters(false)
        await settings.choose(.moss)
        #expect(settings.shown(phrase) == phrase && settings.error == nil)
        let next = FoaasSettings(world.service)
        await next.load()
        #expect(!next.filters && next.palette == .moss)
    }

    @Test("Of two changes made at once the later is kept, also when the earlier takes longer to be written")
    func twoChanges() async {
        let store = SlowFirstStore()
        let service = FoaasService(client: ScriptedHTTPClient([]), store: MemoryStore(), ownStore: store)
        let settings = FoaasSettings(service)
        await settings.load()
        let first = Task { await settings.setFilters(false) }
        #expect(await eventually { store.arrived == 1 })
        let second = Task { await settings.choose(.moss) }
        #expect(await eventually { settings.palette == .moss })
        // The second may try to go past the first; it has every chance to.
        for _ in 0..<10_000 where store.arrived < 2 { await Task.yield() }
        store.open()
        await first.value
        await second.value
        let next = FoaasSettings(service)
        await next.load()
        #expect(!next.filters && next.palette == .moss)
    }

    @Test("Settings are those that any screen or process has kept last, and the initial ones when they are deleted")
    func others() async throws {
        let world = FoaasWorld()
        let (here, there) = (FoaasSettings(world.service), FoaasSettings(world.service))
        await here.load()
        await there.load()
        await here.choose(.moss)
        #expect(await eventually { there.palette == .moss })
        await there.setFilters(false)
        #expect(await eventually { !here.filters })
        #expect(here.palette == .moss && !there.filters && there.palette == .moss)
        try await world.own.delete(FoaasSettings.entries.prefix)
        #expect(await eventually { here.filters && here.palette == .ink && there.palette == .ink })
    }

    @Test("A setting that could not be kept is not taken back by a change of something else")
    func unkeptStays() async throws {
        let world = FoaasWorld()
        let settings = FoaasSettings(world.service)
        await settings.load()
        world.own.fail(.insert, with: .full(path: "/d"))
        await settings.choose(.plum)
        #expect(settings.error == .full(path: "/d"))
        world.own.forgetCalls()
        world.own.changes.post(.everything)
        #expect(await eventually { world.own.calls.count > 0 })
        for _ in 0..<1000 { await Task.yield() }
        #expect(settings.palette == .plum)
    }

    @Test("Settings that cannot be kept hold until the end, and that is said")
    func unkept() async {
        let world = FoaasWorld()
        world.own.fail(.insert, with: .full(path: "/d"))
        let settings = FoaasSettings(world.service)
        await settings.choose(.plum)
        #expect(settings.palette == .plum && settings.error == .full(path: "/d"))
        settings.dismissError()
        #expect(settings.error == nil)
    }
}
