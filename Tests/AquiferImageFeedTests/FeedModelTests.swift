import Aquifer
import AquiferImageFeed
import AquiferTesting
import Foundation
import Testing

@MainActor
@Suite("The feed's screen", .timeLimit(.minutes(10)))
struct FeedModelTests {
    private let first = items(1)
    private let second = items(11)

    @Test("Load feed automatically when view is visible, once")
    func appears() async {
        let world = FeedWorld(.page(first))
        let model = FeedModel(world.service)
        #expect(world.client.requests.isEmpty)
        await model.appear()
        await model.appear()
        #expect(model.items == first)
        #expect(world.client.requests.count == 1)
    }

    @Test("Allow customer to manually reload feed")
    func reloads() async {
        let world = FeedWorld(.page(first), .page(second))
        let model = FeedModel(world.service)
        await model.appear()
        await model.refresh()
        #expect(model.items == second)
    }

    @Test("Show a loading indicator while loading feed")
    func indicates() async {
        let world = FeedWorld(client: ScriptedHTTPClient())
        let model = FeedModel(world.service)
        let loading = Task { await model.appear() }
        let exchange = await world.client.exchange(0)
        #expect(model.list.isLoading)
        exchange.respond(body: json(first))
        await loading.value
        #expect(!model.list.isLoading)
    }

    @Test("Render all loaded feed items: location, image, description")
    func renders() async {
        let world = FeedWorld(.page(first))
        let model = FeedModel(world.service)
        await model.appear()
        #expect(model.items.map(\.location) == first.map(\.location))
        #expect(model.items.map(\.image) == first.map(\.image))
        #expect(model.items.map(\.description) == first.map(\.description))
        #expect(!model.isEmpty)
    }

    @Test("A feed without items is empty, which is not the same as not loaded")
    func empty() async {
        let world = FeedWorld(.page([]))
        let model = FeedModel(world.service)
        #expect(!model.isEmpty)
        await model.appear()
        #expect(model.isEmpty)
    }

    @Test("Near the end the next page is loaded and appended, until there is none")
    func pages() async {
        let world = FeedWorld(.page(first), .page(second), .page([]))
        let model = FeedModel(world.service)
        await model.appear()
        await model.loadMore()
        #expect(model.items == first + second && model.more == .idle)
        await model.loadMore()
        #expect(model.items == first + second && model.more == .end)
        await model.loadMore()
        #expect(world.client.requests.count == 3)
    }

    @Test("No page is loaded beside another, beside the list, or without one")
    func oneAtATime() async {
        let world = FeedWorld(client: ScriptedHTTPClient())
        let model = FeedModel(world.service)
        await model.loadMore()
        #expect(world.client.requests.isEmpty)
        let loading = Task { await model.appear() }
        let list = await world.client.exchange(0)
        await model.loadMore()
        #expect(world.client.requests.count == 1)
        list.respond(body: json(first))
        await loading.value
        let more = Task { await model.loadMore() }
        let page = await world.client.exchange(1)
        #expect(model.more == .loading)
        await model.loadMore()
        #expect(world.client.requests.count == 2)
        page.respond(body: json(second))
        await more.value
        #expect(model.items.count == 20)
    }

    @Test("A page that fails says so, keeps the items, and is loaded when tapped")
    func pageFails() async {
        let world = FeedWorld(.page(first), .refused, .page(second))
        let model = FeedModel(world.service)
        await model.appear()
        await model.loadMore()
        #expect(model.more == .failed(.connectivity(TransportError(.cannotConnect))))
        #expect(model.items == first)
        await model.loadMore()
        #expect(model.items == first + second)
    }

    @Test("A page that arrives after the list was loaded anew is dropped")
    func outdatedPage() async {
        let world = FeedWorld(client: ScriptedHTTPClient())
        let model = FeedModel(world.service)
        let loading = Task { await model.appear() }
        await world.client.exchange(0).respond(body: json(first))
        await loading.value
        let more = Task { await model.loadMore() }
        let page = await world.client.exchange(1)
        let refreshing = Task { await model.refresh() }
        await world.client.exchange(2).respond(body: json(items(31)))
        await refreshing.value
        page.respond(body: json(second))
        await more.value
        #expect(model.items == items(31))
    }

    @Test("A page that fails during a refresh says so after it, too")
    func pageFailsDuringRefresh() async {
        let world = FeedWorld(client: ScriptedHTTPClient())
        let model = FeedModel(world.service)
        let loading = Task { await model.appear() }
        await world.client.exchange(0).respond(body: json(first))
        await loading.value
        let more = Task { await model.loadMore() }
        let page = await world.client.exchange(1)
        let refreshing = Task { await model.refresh() }
        let latest = await world.client.exchange(2)
        page.fail(TransportError(.offline))
        await more.value
        latest.fail(TransportError(.offline))
        await refreshing.value
        #expect(model.more == .failed(.connectivity(TransportError(.offline))))
        #expect(model.items == first)
    }

    @Test("Who asks for the next page while the list is loading gets it afterwards, once")
    func asksDuringLoad() async {
        let world = FeedWorld(client: ScriptedHTTPClient())
        let model = FeedModel(world.service)
        let loading = Task { await model.appear() }
        await world.client.exchange(0).respond(body: json(first))
        await loading.value
        let refreshing = Task { await model.refresh() }
        let latest = await world.client.exchange(1)
        let more = Task { await model.loadMore() }
        #expect(await eventually { model.more == .loading })
        await model.loadMore()
        #expect(world.client.requests.count == 2)
        latest.respond(body: json(first))
        await refreshing.value
        await world.client.exchange(2).respond(body: json(second))
        await more.value
        #expect(model.items == first + second && model.more == .idle)
        #expect(world.client.requests.count == 3)
    }

    @Test("A refresh while the load of one who has left is ending is not lost")
    func refreshesDuringTheEnd() async {
        let world = FeedWorld(client: ScriptedHTTPClient())
        let model = FeedModel(world.service)
        let loading = Task { await model.appear() }
        _ = await world.client.exchange(0)
        loading.cancel()
        let refreshing = Task { await model.refresh() }
        await loading.value
        await world.client.exchange(1).respond(body: json(first))
        await refreshing.value
        #expect(model.items == first)
    }

    @Test("A refresh keeps the pages that still join, and the end that was reached")
    func keepsPages() async {
        let world = FeedWorld(.page(first), .page(second), .page([]), .page(first))
        let model = FeedModel(world.service)
        await model.appear()
        await model.loadMore()
        await model.loadMore()
        await model.refresh()
        #expect(model.items == first + second && model.more == .end)
    }

    @Test("A gap is shown with its state, and is filled when the user asks for it")
    func gap() async throws {
        let world = FeedWorld(.page(second), .page(first), .refused, .page(second))
        let model = FeedModel(world.service)
        await model.appear()
        world.date.advance(by: 60)
        await model.refresh()
        #expect(model.items == first && model.pages.map(\.items) == [first, second])
        let gap = try #require(model.pages[1].gap)
        #expect(model.state(of: gap) == .idle)
        await model.fill(gap)
        #expect(model.state(of: gap) == .failed(.connectivity(TransportError(.cannotConnect))))
        #expect(model.pages.count == 2, "what is shown stays")
        world.date.advance(by: 60)
        await model.fill(gap)
        #expect(model.state(of: gap) == .idle && model.items == first + second)
        #expect(model.pages.allSatisfy { $0.gap == nil })
    }

    @Test(
        "A gap that the user fills while the list is loading is filled afterwards, if it is still there",
        arguments: [true, false])
    func fillsDuringLoad(isStillThere: Bool) async throws {
        let world = FeedWorld(client: ScriptedHTTPClient())
        let model = FeedModel(world.service)
        for (number, page) in [second, first].enumerated() {
            let loading = Task { await model.refresh() }
            await world.client.exchange(number).respond(body: json(page))
            await loading.value
            world.date.advance(by: 60)
        }
        let gap = try #require(model.pages.last?.gap)
        let refreshing = Task { await model.refresh() }
        let latest = await world.client.exchange(2)
        let filling = Task { await model.fill(gap) }
        #expect(await eventually { model.state(of: gap) == .loading })
        latest.respond(body: json(isStillThere ? first : first + second))
        await refreshing.value
        if isStillThere {
            await world.client.exchange(3).respond(body: json(second))
        }
        await filling.value
        #expect(model.state(of: gap) == .idle)
        #expect(model.items == first + second)
        #expect(world.client.requests.count == (isStillThere ? 4 : 3))
    }

    @Test("A gap shows that its page is loading, and loads it once")
    func fillsOnce() async throws {
        let held = FeedWorld(client: ScriptedHTTPClient())
        let model = FeedModel(held.service)
        for (number, page) in [second, first].enumerated() {
            let loading = Task { await model.refresh() }
            await held.client.exchange(number).respond(body: json(page))
            await loading.value
            held.date.advance(by: 60)
        }
        let gap = try #require(model.pages.last?.gap)
        let filling = Task { await model.fill(gap) }
        let exchange = await held.client.exchange(2)
        #expect(model.state(of: gap) == .loading)
        await model.fill(gap)
        #expect(held.client.requests.count == 3)
        filling.cancel()
        await filling.value
        #expect(model.state(of: gap) == .idle)
        await exchange.waitForCancellation()
    }

    @Test("An error is shown, and goes when dismissed")
    func error() async {
        let world = FeedWorld(.refused)
        let model = FeedModel(world.service)
        await model.appear()
        #expect(model.list.error?.reason == .connectivity)
        model.dismissError()
        #expect(model.list.error == nil)
    }
}

@MainActor
@Suite("A picture on the screen", .timeLimit(.minutes(10)))
struct PictureModelTests {
    private let item = items(1, count: 1)[0]
    private let bytes = Data([0xFF, 0xD8, 0xFF, 0xE0])

    private func model(_ world: FeedWorld) -> PictureModel { PictureModel(item, from: world.service.pictures) }

    @Test("Load when image view is visible")
    func appears() async {
        let world = FeedWorld(.answer(body: bytes))
        let model = model(world)
        #expect(model.phase == .idle && world.client.requests.isEmpty)
        model.appear()
        await model.settled()
        #expect(model.phase == .loaded(bytes))
    }

    @Test("Show a loading indicator while loading image")
    func shimmer() async {
        let world = FeedWorld(client: ScriptedHTTPClient())
        let model = model(world)
        model.appear()
        #expect(model.phase == .loading)
        await world.client.exchange(0).respond(body: bytes)
        await model.settled()
        #expect(model.phase == .loaded(bytes))
    }

    @Test("Cancel when image view is out of screen; load again when it is back")
    func disappears() async {
        let world = FeedWorld(client: ScriptedHTTPClient())
        let model = model(world)
        model.appear()
        let exchange = await world.client.exchange(0)
        model.disappear()
        await exchange.waitForCancellation()
        #expect(model.phase == .idle)
        model.appear()
        await world.client.exchange(1).respond(body: bytes)
        await model.settled()
        #expect(model.phase == .loaded(bytes))
    }

    @Test("A picture that came stays when it is out of the screen")
    func stays() async {
        let world = FeedWorld(.answer(body: bytes))
        let model = model(world)
        model.appear()
        await model.settled()
        model.disappear()
        model.appear()
        #expect(model.phase == .loaded(bytes))
        #expect(world.client.requests.count == 1)
    }

    @Test("Option to retry on image download error, also when the bytes are no image", arguments: [true, false])
    func retries(refused: Bool) async {
        let world = FeedWorld(refused ? .refused : .answer(body: Data("no image".utf8)), .answer(body: bytes))
        let model = model(world)
        model.appear()
        await model.settled()
        guard case .failed = model.phase else {
            Issue.record("is \(model.phase)")
            return
        }
        model.appear()
        #expect(world.client.requests.count == 1)
        model.retry()
        await model.settled()
        #expect(model.phase == .loaded(bytes))
    }

    @Test("Preload when image view is near visible; becoming visible joins it")
    func preloads() async {
        let world = FeedWorld(client: ScriptedHTTPClient())
        let model = model(world)
        model.comeNear()
        let exchange = await world.client.exchange(0)
        model.appear()
        #expect(world.client.requests.count == 1)
        exchange.respond(body: bytes)
        await model.settled()
        #expect(model.phase == .loaded(bytes))
    }
}
