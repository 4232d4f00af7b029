import Aquifer
import AquiferConcurrency
import AquiferTesting
import Foundation
import Testing

@testable import AquiferFoaas

@MainActor
@Suite("The list of phrases: sentences and favorites", .timeLimit(.minutes(10)))
struct FoaasListTests {
    private let center = NotificationCenter()

    /// Operations `/o1/:from`, `/o2/:from`, …
    nonisolated private static func operations(_ count: Int) -> [FoaasOperation] {
        (1...count).map { number in
            FoaasOperation(
                name: "O\(number)", url: "/o\(number)/:from", fields: [FoaasField(name: "From", field: "from")])
        }
    }

    /// A remote that says the damn name of each operation.
    nonisolated private static func remote(_ count: Int) -> ScriptedHTTPClient {
        ScriptedHTTPClient { request in
            let segments = request.url.pathComponents
            return segments.last == "operations"
                ? .operations(operations(count))
                : .phrase("The damn \(segments[segments.count - 2]).", "- \(segments.last ?? "")")
        }
    }

    private func texts(_ model: FoaasOperationsModel, _ id: String) -> String? {
        model.operations.first { $0.id == id }.flatMap { model.sentence(of: $0) }?.phrase({ _ in nil }, name: { $0 })
            .description
    }

    @Test("Only what is looked at is asked for, once in seven days, also by another screen and by the preview")
    func looks() async {
        let world = FoaasWorld(client: Self.remote(6))
        let model = FoaasOperationsModel(world.service, center: center)
        await model.appear()
        #expect(world.paths == ["/operations"] && texts(model, "/o1/:from") == nil)
        await model.look(at: ["/o1/:from", "/o2/:from"])
        #expect(texts(model, "/o1/:from") == "The damn o1.\n- [from]" && texts(model, "/o3/:from") == nil)
        await model.look(at: ["/o2/:from", "/o3/:from", "/none"])
        #expect(world.paths.sorted() == ["/o1", "/o2", "/o3"].map { "\($0)/zqx0xqz" } + ["/operations"])
        let later = FoaasOperationsModel(world.service, center: center)
        await later.appear()
        #expect(texts(later, "/o3/:from") == "The damn o3.\n- [from]", "from the saved copy, before anybody looks")
        await later.look(at: ["/o1/:from", "/o2/:from", "/o3/:from"])
        let preview = FoaasPreviewModel(world.service, operation: "/o1/:from", center: center)
        await preview.appear()
        #expect(preview.phase == .ready && world.paths.filter { $0 != "/operations" }.count == 3)
        world.date.advance(by: 8 * 86_400)
        let old = FoaasOperationsModel(world.service, center: center)
        await old.appear()
        await old.look(at: ["/o1/:from"])
        #expect(world.paths.filter { $0.hasPrefix("/o1") }.count == 2)
    }

    @Test("Four are asked for at once, and those that left the view before their turn are not")
    func atOnce() async {
        let client = ScriptedHTTPClient {
            $0.url.lastPathComponent == "operations" ? .operations(Self.operations(9)) : .held
        }
        let model = FoaasOperationsModel(FoaasWorld(client: client).service, center: center)
        await model.appear()
        let first = Task { await model.look(at: Self.operations(8).map(\.id)) }
        let exchange = await client.exchange(4)
        let second = Task { await model.look(at: ["/o9/:from"]) }
        // The second look is heard before the first answer comes.
        await Task { @MainActor in }.value
        #expect(client.requests.count == 5)
        exchange.respond(status: 200, headers: [:], body: Data(#"{"message":"A","subtitle":"b"}"#.utf8))
        let next = await client.exchange(5)
        #expect(client.requests[5].url.path.contains("/o9/"))
        next.respond(status: 200, headers: [:], body: Data(#"{"message":"A","subtitle":"b"}"#.utf8))
        for number in 1...3 {
            await client.exchange(number).respond(
                status: 200, headers: [:], body: Data(#"{"message":"A","subtitle":"b"}"#.utf8))
        }
        await first.value
        await second.value
        #expect(client.requests.count == 6)
    }

    @Test("A user who looks while the requests of an earlier look are still ending gets the sentences")
    func cameDuringTheEnd() async {
        let client = ScriptedHTTPClient {
            $0.url.lastPathComponent == "operations" ? .operations(Self.operations(9)) : .held
        }
        let model = FoaasOperationsModel(FoaasWorld(client: client).service, center: center)
        await model.appear()
        let first = Task { await model.look(at: Self.operations(8).map(\.id)) }
        _ = await client.exchange(4)
        first.cancel()
        let second = Task { await model.look(at: ["/o1/:from"]) }
        let exchange = await client.exchange(5)
        #expect(client.requests[5].url.path.contains("/o1/"))
        exchange.respond(status: 200, headers: [:], body: Data(#"{"message":"A","subtitle":"b"}"#.utf8))
        await first.value
        await second.value
        #expect(texts(model, "/o1/:from") != nil && client.requests.count == 6)
    }

    @Test(
        "After a failure nothing more is asked until there is a connection again; nonsense is only its own operation's")
    func failures() async {
        let world = FoaasWorld(
            .operations(Self.operations(6)), .html, .phrase("Two", "- zqx0xqz"), .refused, .refused, .refused, .refused)
        let model = FoaasOperationsModel(world.service, center: center)
        await model.appear()
        await model.look(at: ["/o1/:from"])
        await model.look(at: ["/o1/:from", "/o2/:from"])
        #expect(world.paths.count == 3 && texts(model, "/o1/:from") == nil)
        #expect(texts(model, "/o2/:from") == "Two\n- [from]")
        await model.look(at: ["/o3/:from"])
        await model.look(at: ["/o3/:from", "/o4/:from"])
        #expect(world.paths.count == 4)
        await model.connectionRestored()
        #expect(world.paths.count > 4)
    }

    @Test("Sentences are found by their words, with swear words as they are and as they are shown")
    func searches() async {
        let model = FoaasOperationsModel(FoaasWorld(client: Self.remote(3)).service, center: center)
        await model.appear()
        await model.look(at: ["/o1/:from", "/o2/:from"])
        for query in ["the DAMN o2", "d*mn o2.", "O2"] {
            model.search(query)
            #expect(model.operations.map(\.id) == ["/o2/:from"], "\(query)")
        }
        model.search("the damn o3")
        #expect(model.operations.isEmpty && model.hasNoMatch)
    }

    @Test("A favorite is kept with its sentence: another start shows it first, and without a connection or a list")
    func favorites() async throws {
        let world = FoaasWorld(client: Self.remote(3))
        let model = FoaasOperationsModel(world.service, center: center)
        await model.appear()
        await model.setFavorite("/o2/:from", true)
        await model.setFavorite("/o1/:from", true)
        #expect(try await world.service.favorites.all().map(\.operation.name) == ["O1", "O2"])
        let offline = FoaasService(
            base: world.base, client: ScriptedHTTPClient { _ in .refused }, store: MemoryStore(), ownStore: world.own,
            now: { world.date.now + 60 * 86_400 })
        let later = FoaasOperationsModel(offline, center: center)
        await later.appear()
        #expect(later.operations.isEmpty && later.list.phase == .failed)
        later.show(.favorites)
        #expect(later.operations.map(\.name) == ["O1", "O2"] && texts(later, "/o2/:from") == "The damn o2.\n- [from]")
        let preview = FoaasPreviewModel(offline, operation: "/o2/:from", center: center)
        await preview.appear()
        preview.edit("from", "me")
        #expect(preview.phase == .ready && preview.phrase?.description == "The damn o2.\n- me" && preview.canFinish)
    }

    @Test("A favorite of a time without a connection keeps its sentence once any screen has loaded it")
    func learnsLater() async throws {
        let isOnline = Locked(false)
        let world = FoaasWorld(
            client: ScriptedHTTPClient { request in
                let segments = request.url.pathComponents
                if segments.last == "operations" { return .operations(Self.operations(3)) }
                guard isOnline.withLock({ $0 }) else { return .refused }
                return .phrase("The damn \(segments[segments.count - 2]).", "- \(segments.last ?? "")")
            })
        let model = FoaasOperationsModel(world.service, center: center)
        await model.appear()
        await model.setFavorite("/o2/:from", true)
        #expect(try await world.service.favorites.all().map(\.template) == [nil])
        isOnline.withLock { $0 = true }
        let changes = await counted(world.own) {
            await model.connectionRestored()
            await model.look(at: ["/o1/:from", "/o2/:from", "/o3/:from"])
        }
        #expect(changes == 1, "only what is a favorite is written")
        let offline = FoaasService(
            base: world.base, client: ScriptedHTTPClient { _ in .refused }, store: MemoryStore(), ownStore: world.own,
            now: { world.date.now + 60 * 86_400 })
        let later = FoaasOperationsModel(offline, center: center)
        await later.appear()
        later.show(.favorites)
        #expect(texts(later, "/o2/:from") == "The damn o2.\n- [from]")
    }

    @Test("A favorite without its sentence keeps what somebody else has loaded, once its list is opened")
    func learnsFromOthers() async throws {
        let (shared, own, date) = (MemoryStore(), MemoryStore(), ManualDate())
        func service(_ client: ScriptedHTTPClient, own: any CacheStore, after days: Double = 0) -> FoaasService {
            FoaasService(
                base: FoaasService.server, client: client, store: shared, ownStore: own,
                now: { date.now + days * 86_400 })
        }
        let operation = Self.operations(1)[0]
        let offline = ScriptedHTTPClient { _ in .refused }
        await FoaasFavorites(service(offline, own: own)).set(operation, isFavorite: true)
        _ = try await service(Self.remote(1), own: MemoryStore()).template(of: operation)

        let favorites = FoaasFavorites(service(offline, own: own))
        await favorites.load()
        #expect(favorites[operation.id]?.template != nil)
        let later = FoaasFavorites(service(offline, own: own, after: 60))
        await later.load()
        #expect(later[operation.id]?.template != nil)
    }

    /// The number of changes that are made to a store meanwhile.
    private func counted(_ store: any CacheStore, _ body: () async -> Void) async -> Int {
        let count = Locked(0)
        let observation = store.changes.observe { _ in count.withLock { $0 += 1 } }
        await body()
        observation.cancel()
        return count.withLock { $0 }
    }

    @Test("A favorite that is taken back stays in sight, so that another tap brings it back to its place")
    func takesBack() async {
        let world = FoaasWorld(client: Self.remote(3))
        let model = FoaasOperationsModel(world.service, center: center)
        await model.appear()
        for id in Self.operations(3).map(\.id) {
            await model.setFavorite(id, true)
            world.date.advance(by: 1)
        }
        model.show(.favorites)
        await model.setFavorite("/o2/:from", false)
        #expect(model.operations.map(\.name) == ["O3", "O2", "O1"] && model.favorites["/o2/:from"] == nil)
        await model.setFavorite("/o2/:from", true)
        #expect(model.operations.map(\.name) == ["O3", "O2", "O1"] && model.favorites["/o2/:from"] != nil)
        await model.setFavorite("/o2/:from", false)
        model.show(.all)
        model.show(.favorites)
        #expect(model.operations.map(\.name) == ["O3", "O1"])
    }

    @Test("A favorite is one on all screens of all processes; one that cannot be kept is taken back, and that is said")
    func others() async {
        let world = FoaasWorld(client: Self.remote(2))
        let (here, there) = (FoaasFavorites(world.service), FoaasFavorites(world.service))
        await there.load()
        await here.set(Self.operations(1)[0], isFavorite: true)
        #expect(await eventually { there.all.count == 1 && there.all.first?.template != nil })
        world.own.fail(.update, with: .full(path: "/d"))
        await here.set(Self.operations(2)[1], isFavorite: true)
        #expect(here.error == .store(.full(path: "/d")) && here.all.map(\.operation.name) == ["O1"])
        here.dismissError()
        #expect(here.error == nil)
    }

    @Test("One favorite more than there can be is refused, and none of the others goes; one taken back makes room")
    func tooMany() async throws {
        let world = FoaasWorld(client: Self.remote(1))
        let operations = Self.operations(FavoritePhrases.most + 1)
        let full = operations.dropLast().map { FavoritePhrase(operation: $0, answer: nil, keptAt: world.date.now) }
        let cache = Cache<[FavoritePhrase]>(key: FavoritePhrases.entries.prefix, in: world.own, policy: .forever)
        try await cache.update { _ in full }
        let (favorites, last) = (FoaasFavorites(world.service), operations[FavoritePhrases.most])
        await favorites.set(last, isFavorite: true)
        #expect(favorites.error == .tooMany && favorites[last.id] == nil)
        #expect(try await world.service.favorites.all() == full && favorites.all == full)
        // One that is a favorite already is no more than there were.
        try await world.service.favorites.set(operations[0], isFavorite: true, answer: nil)
        await favorites.set(operations[0], isFavorite: false)
        await favorites.set(last, isFavorite: true)
        #expect(favorites.error == nil && favorites[last.id] != nil && favorites.all.count == FavoritePhrases.most)
    }

    @Test("Favorites that cannot be read are never replaced unread")
    func damaged() async throws {
        let world = FoaasWorld(client: Self.remote(1))
        let bytes = StoredEntry(bytes: Data("x".utf8), savedAt: world.date.now)
        try await world.own.insert(bytes, for: FavoritePhrases.entries.prefix)
        let favorites = FoaasFavorites(world.service)
        await favorites.set(Self.operations(1)[0], isFavorite: true)
        #expect(favorites.error != nil && favorites.all.isEmpty)
        #expect(try await world.own.retrieve(FavoritePhrases.entries.prefix)?.bytes == bytes.bytes)
    }

    @Test("Favorites that cannot be read are not known, also once that is dismissed, until they are read again")
    func unread() async throws {
        let world = FoaasWorld(client: Self.remote(2))
        try await world.service.favorites.set(Self.operations(1)[0], isFavorite: true, answer: nil)
        let reason = StoreError.unreadable(key: FavoritePhrases.entries.prefix, reason: "its checksum is wrong")
        world.own.fail(.retrieve, with: reason)
        let favorites = FoaasFavorites(world.service)
        await favorites.load()
        #expect(favorites.error == .store(reason) && favorites.unread == reason && !favorites.isKnown)
        favorites.dismissError()
        #expect(favorites.error == nil && favorites.unread == reason && !favorites.isKnown)
        await favorites.set(Self.operations(2)[1], isFavorite: true)
        #expect(favorites.error == .store(reason) && favorites.all.isEmpty && !favorites.isKnown)
        world.own.heal(.retrieve)
        await favorites.load()
        #expect(favorites.error == nil && favorites.unread == nil && favorites.isKnown)
        #expect(favorites.all.map(\.operation.name) == ["O1"])
        world.own.fail(.retrieve, with: reason)
        await favorites.set(Self.operations(2)[1], isFavorite: true)
        #expect(favorites.isKnown && favorites.all.map(\.operation.name) == ["O1"], "those that were read stay")
    }

    @Test("A heart is that of the row that was tapped, also if the filter has changed meanwhile")
    func filteredMeanwhile() async {
        let model = FoaasOperationsModel(FoaasWorld(client: Self.remote(2)).service, center: center)
        await model.appear()
        model.show(.favorites)
        await model.setFavorite("/o2/:from", true)
        #expect(model.favorites["/o2/:from"] != nil)
    }

    @Test("The phrase on the main screen tells its operation, whether it was drawn, made on the preview or seen before")
    func operation() async throws {
        let world = FoaasWorld(client: Self.remote(1))
        let main = FoaasModel(world.service, center: center)
        await main.appear()
        #expect(main.operation?.id == "/o1/:from")
        #expect(try await world.service.seen.all().first?.operation?.id == "/o1/:from")
        center.post(Foaas(message: "Old", subtitle: ""))
        #expect(await eventually { main.phrase?.message == "Old" })
        #expect(main.operation == nil)
        #expect(main.operation("/o1/:from")?.name == "O1", "the page may show it still")
        #expect(main.operation("/none") == nil)
        let preview = FoaasPreviewModel(world.service, operation: "/o1/:from", center: center)
        await preview.appear()
        preview.edit("from", "me")
        await preview.finish()
        #expect(await eventually { main.operation?.id == "/o1/:from" })
        let old = #"[{"phrase":{"message":"A","subtitle":"b"},"seenAt":0}]"#
        #expect(try CacheCodec<[SeenPhrase]>.json.decode(Data(old.utf8)).first?.operation == nil)
    }

    @Test("A template tells its pieces, in their order")
    func parts() async throws {
        let world = FoaasWorld(.phrase("zqx0xqz, take zqx1xqz! zqx9xqz", "- zqx2xqz"))
        let parts = try await world.service.template(of: FoaasWorld.gift).parts
        #expect(parts.message == [.blank("name"), .text(", take "), .blank("thing"), .text("! zqx9xqz")])
        #expect(parts.subtitle == [.text("- "), .blank("from")])
    }
}
