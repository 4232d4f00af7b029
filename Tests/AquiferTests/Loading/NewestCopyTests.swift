import AquiferTesting
import Foundation
import Testing

@testable import Aquifer

@Suite("Of two loads that overlap, the newer answer stays", .timeLimit(.minutes(10)))
struct NewestCopyTests {
    private let world = World(client: ScriptedHTTPClient())
    private let start = Date(timeIntervalSince1970: 1_780_000_000)

    /// The `Date` field of an answer so many seconds after the start.
    private func date(_ seconds: Int) -> HTTPHeaders {
        let form = Date.VerbatimFormatStyle(
            format: """
                \(weekday: .abbreviated), \(day: .twoDigits) \(month: .abbreviated) \(year: .defaultDigits) \
                \(hour: .twoDigits(clock: .twentyFourHour, hourCycle: .zeroBased)):\(minute: .twoDigits):\
                \(second: .twoDigits) GMT
                """, locale: Locale(identifier: "en_US_POSIX"), timeZone: .gmt, calendar: .init(identifier: .gregorian))
        return ["Date": (start + Double(seconds)).formatted(form), "ETag": "\"\(seconds)\""]
    }

    /// A load by another process, as far as the store can tell, whose request is under way when this returns.
    private func load(_ number: Int) async -> (Task<Loaded<[String]>, any Error>, ScriptedExchange) {
        world.date.advance(by: 1)
        let resource = world.resource()
        let task = Task { try await resource.load() }
        return (task, await world.client.exchange(number))
    }

    private func expect(_ texts: [String]) async throws {
        #expect(try await world.saved()?.texts == texts)
    }

    @Test("by the server's Date, whichever was sent first", arguments: [true, false])
    func serverDate(olderIsSentFirst: Bool) async throws {
        let (first, firstExchange) = await load(0)
        let (second, secondExchange) = await load(1)
        world.date.advance(by: 60)
        let (older, newer) = olderIsSentFirst ? (firstExchange, secondExchange) : (secondExchange, firstExchange)
        let (olderLoad, newerLoad) = olderIsSentFirst ? (first, second) : (second, first)
        newer.respond(headers: date(20), body: Data("[\"new\"]".utf8))
        #expect(try await newerLoad.value.value == ["new"])
        older.respond(headers: date(10), body: Data("[\"old\"]".utf8))
        let late = try await olderLoad.value
        #expect(late.value == ["new"], "what is delivered is what is saved")
        #expect(late.saveError == nil)
        try await expect(["new"])
    }

    @Test(
        "by the order in which they were sent, within one second of the server's and when it says nothing",
        arguments: [true, false])
    func sendingOrder(hasDate: Bool) async throws {
        let (first, firstExchange) = await load(0)
        let (second, secondExchange) = await load(1)
        world.date.advance(by: 60)
        let headers = hasDate ? date(10) : [:]
        secondExchange.respond(headers: headers, body: Data("[\"new\"]".utf8))
        _ = try await second.value
        firstExchange.respond(headers: headers, body: Data("[\"old\"]".utf8))
        _ = try await first.value
        try await expect(["new"])
    }

    @Test("A later answer is saved over the one that was saved meanwhile")
    func inOrder() async throws {
        let (first, firstExchange) = await load(0)
        let (second, secondExchange) = await load(1)
        world.date.advance(by: 60)
        firstExchange.respond(headers: date(10), body: Data("[\"old\"]".utf8))
        _ = try await first.value
        secondExchange.respond(headers: date(11), body: Data("[\"new\"]".utf8))
        #expect(try await second.value.value == ["new"])
        try await expect(["new"])
    }

    @Test("A stamp that lies after now never wins: neither a Date of the server's, nor what a wrong clock saved")
    func fromTheFuture() async throws {
        let (first, firstExchange) = await load(0)
        let (second, secondExchange) = await load(1)
        // The server's clock said 2126 when it answered the first one.
        firstExchange.respond(headers: date(3_155_760_000), body: Data("[\"old\"]".utf8))
        _ = try await first.value
        secondExchange.respond(headers: date(1), body: Data("[\"new\"]".utf8))
        _ = try await second.value
        try await expect(["new"])
        let (third, thirdExchange) = await load(2)
        let ahead = Cache<[String]>(key: "texts", in: world.store, now: { world.date.now + 86_400 })
        try await ahead.save(["ahead"])
        thirdExchange.respond(headers: date(2), body: Data("[\"newest\"]".utf8))
        _ = try await third.value
        try await expect(["newest"])
    }

    @Test("A 304 renews what it confirms, and never in place of a newer answer")
    func notModified() async throws {
        try await world.save(["a"], validators: Validators(etag: "\"0\""), age: .days(1))
        let (first, firstExchange) = await load(0)
        let (second, secondExchange) = await load(1)
        world.date.advance(by: 60)
        secondExchange.respond(headers: date(86_450), body: Data("[\"b\"]".utf8))
        _ = try await second.value
        firstExchange.respond(status: 304, headers: ["Date": date(86_440)["Date"] ?? ""])
        #expect(try await first.value.value == ["b"])
        try await expect(["b"])
        let (third, thirdExchange) = await load(2)
        world.date.advance(by: 60)
        thirdExchange.respond(status: 304, headers: ["Date": date(86_500)["Date"] ?? ""])
        _ = try await third.value
        #expect(try await world.saved()?.entry.savedAt == world.date.now)
        let origin = try #require(try await world.saved()?.entry.origin)
        #expect(origin.answeredAt == start + 86_500 && origin.sentAt == world.date.now - 60)
    }

    @Test("An amendment is not undone by a load that was sent before it, and is by one that was sent after it")
    func amendment() async throws {
        try await world.save(["a"])
        let (first, firstExchange) = await load(0)
        world.date.advance(by: 1)
        try await world.cache.amend { $0 + ["mine"] }
        firstExchange.respond(headers: date(1), body: Data("[\"old\"]".utf8))
        // The answer lacks the amendment, and the amended copy may lack what is new there: the load asks again.
        await world.client.exchange(1).respond(headers: date(3), body: Data("[\"a\", \"mine\", \"theirs\"]".utf8))
        let loaded = try await first.value
        #expect(loaded.value == ["a", "mine", "theirs"] && loaded.source == .remote)
        try await expect(["a", "mine", "theirs"])
    }

    /// A load that an amendment by `cache` overtakes asks again.
    private func overtake(by cache: Cache<[String]>) async throws {
        let (first, firstExchange) = await load(0)
        try await cache.amend { $0 + ["mine"] }
        firstExchange.respond(headers: date(1), body: Data("[\"old\"]".utf8))
        let second = await world.client.exchange(1)
        try await expect(["a", "mine"])
        second.respond(headers: date(3), body: Data("[\"a\", \"mine\", \"theirs\"]".utf8))
        let loaded = try await first.value
        #expect(loaded.value == ["a", "mine", "theirs"] && loaded.source == .remote)
        try await expect(["a", "mine", "theirs"])
    }

    @Test("An amendment by a machine whose clock is behind is not undone by a load that was sent before it")
    func amendmentByASlowClock() async throws {
        try await world.save(["a"], age: .days(1))
        try await overtake(by: Cache(key: "texts", in: world.store, now: { world.date.now - 2 }))
    }

    @Test("An amendment is not undone when the clock was set back after its value was saved")
    func amendmentAfterTheClockWasSetBack() async throws {
        try await world.save(["a"], age: .hours(-1))
        try await overtake(by: world.cache)
        let entry = try #require(try await world.saved()).entry
        #expect(entry.isAnswer && entry.savedAt == world.date.now)
        try await world.cache.amend { _ in ["again"] }
        #expect(try await world.saved()?.entry.wasChangedHere == true)
    }

    @Test("An addition by a machine whose clock is behind is not undone, also when nothing was saved before")
    func additionByASlowClock() async throws {
        let slow = Cache<[String]>(key: "texts", in: world.store, now: { world.date.now - 2 })
        let (first, firstExchange) = await load(0)
        try await slow.update(restamping: { _ in (["mine"], world.date.now - 2) })
        firstExchange.respond(headers: date(1), body: Data("[\"old\"]".utf8))
        let second = await world.client.exchange(1)
        try await expect(["mine"])
        second.respond(headers: date(3), body: Data("[\"mine\", \"old\"]".utf8))
        #expect(try await first.value.value == ["mine", "old"])
    }

    @Test("A load that is overtaken reads the entry itself, and no copy that is older than the change")
    func overtakenBeforeAnOldCopy() async throws {
        try await world.save(["a"], age: .days(1))
        let copy = try #require(try await world.saved()).entry
        world.date.advance(by: 1)
        try await world.cache.amend { $0 + ["mine"] }
        let stale = Cache<[String]>(key: "texts", in: StaleStore(base: world.store, copy: copy), now: world.date.read)
        world.date.advance(by: 1)
        let loading = Task { [remote = world.remote()] in try await Resource(remote: remote, cache: stale).load() }
        await world.client.exchange(0).respond(body: Data("[\"first\"]".utf8))
        await world.client.exchange(1).respond(body: Data("[\"second\"]".utf8))
        #expect(try await loading.value.value == ["second"])
        try await expect(["second"])
    }

    @Test("A load that amendments overtake three times delivers the amended copy as what it is")
    func overtakenAgainAndAgain() async throws {
        try await world.save(["a"], age: .days(1))
        let savedAt = world.date.now - 86_400
        let (load, _) = await load(0)
        for number in 0..<3 {
            let exchange = await world.client.exchange(number)
            world.date.advance(by: 1)
            try await world.cache.amend { $0 + ["\(number)"] }
            exchange.respond(headers: date(number), body: Data("[\"old\"]".utf8))
        }
        let loaded = try await load.value
        #expect(loaded.value == ["a", "0", "1", "2"] && loaded.savedAt == savedAt)
        #expect(loaded.source == .cache(savedAt: savedAt, because: nil))
    }

    @Test("A load that an amendment overtakes, and then nothing answers, delivers the amended copy with the reason")
    func overtakenAndCutOff() async throws {
        try await world.save(["a"])
        let (load, exchange) = await load(0)
        world.date.advance(by: 1)
        try await world.cache.amend { $0 + ["mine"] }
        exchange.respond(headers: date(1), body: Data("[\"old\"]".utf8))
        await world.client.exchange(1).fail(TransportError(.offline))
        let loaded = try await load.value
        #expect(loaded.value == ["a", "mine"])
        guard case .cache(_, .some) = loaded.source else { return #expect(Bool(false), "\(loaded.source)") }
    }

    @Test("A newer copy that cannot be decoded, or read, does not keep an answer from being saved")
    func undecodable() async throws {
        let (first, firstExchange) = await load(0)
        world.date.advance(by: 10)
        try await world.store.insert(StoredEntry(bytes: Data("torn".utf8), savedAt: world.date.now), for: "texts")
        world.date.advance(by: 10)
        firstExchange.respond(headers: date(1), body: Data("[\"good\"]".utf8))
        _ = try await first.value
        try await expect(["good"])
    }

    @Test("Data keeps the newer answer as values do")
    func data() async throws {
        let loaders = (0..<2).map { _ in
            DataLoader(client: world.client, store: world.store, now: world.date.read)
        }
        let url = world.url
        let first = Task { try await loaders[0].data(for: url) }
        let firstExchange = await world.client.exchange(0)
        world.date.advance(by: 1)
        let second = Task { try await loaders[1].data(for: url) }
        let secondExchange = await world.client.exchange(1)
        world.date.advance(by: 60)
        secondExchange.respond(headers: date(20), body: Data("new".utf8))
        _ = try await second.value
        firstExchange.respond(headers: date(10), body: Data("old".utf8))
        #expect(try await first.value.value == Data("new".utf8))
        #expect(try await world.store.retrieve(DataLoader.key(for: url))?.bytes == Data("new".utf8))
    }

    /// A resource of one process, whose mapper knows 410 as its server's word.
    private func judging(_ client: any HTTPClient, _ store: any CacheStore) -> Resource<[String]> {
        let remote = RemoteLoader<[String]>(HTTPRequest(.get, world.url), client: client) { head, body in
            if head.status == 410 { throw InvalidData.gone(status: 410) }
            guard head.status == 200 else { throw InvalidData.status(head.status) }
            return try JSONDecoder().decode([String].self, from: body)
        }
        return Resource(remote: remote, cache: Cache(key: "texts", in: store, now: world.date.read))
    }

    /// Loads twice at once, the second time with this refusal, and gives the first load its answer after that.
    ///
    /// - Parameter next: what the server says to the first load when it asks once more.
    private func refuse(
        _ status: Int, _ stores: [any CacheStore], next: ScriptedHTTPClient.Reply? = nil
    ) async throws -> Result<Loaded<[String]>, any Error> {
        let refusal = ScriptedHTTPClient.Reply.answer(status: status)
        let replies = ScriptedHTTPClient([.held, next ?? refusal])
        let first = Task { try await judging(replies, stores[0]).load() }
        let exchange = await replies.exchange(0)
        world.date.advance(by: 10)
        await #expect(throws: LoadError.self) {
            try await judging(ScriptedHTTPClient { _ in refusal }, stores[1]).load()
        }
        world.date.advance(by: 1)
        exchange.respond(headers: date(5), body: Data("[\"old\"]".utf8))
        return await first.result
    }

    @Test(
        "A refusal that came meanwhile stays, in one process and in several: the load asks once more",
        arguments: [410, 403], [true, false])
    func refused(status: Int, isOneProcess: Bool) async throws {
        try await TemporaryFolder.with { folder in
            let one = try FileStore(directory: folder)
            let stores = [one, isOneProcess ? one : try FileStore(directory: folder)]
            _ = try await judging(ScriptedHTTPClient { _ in .texts(["first"]) }, one).load()
            // The second refusal of a value counts as the first does.
            for _ in 1...2 {
                await #expect(throws: LoadError.self) { try await refuse(status, stores).get() }
                let entry = try #require(try await one.retrieve("texts"))
                #expect(entry.asking.isDenied && entry.asking.mark == nil && entry.isMark == (status == 410))
                #expect(
                    try await judging(ScriptedHTTPClient(), one).cache.load()?.value
                        == (status == 410 ? nil : ["first"]))
            }
            let loaded = try await refuse(status, stores, next: .texts(["back"])).get()
            #expect(loaded.value == ["back"] && loaded.source == .remote)
            #expect(try await one.retrieve("texts")?.asking == .unsaid)
        }
    }

    @Test("No follower is shown an answer that a refusal has overtaken", arguments: [410, 403])
    func refusedAndFollowed(status: Int) async throws {
        let (client, store) = (ScriptedHTTPClient(), MemoryStore())
        _ = try await judging(ScriptedHTTPClient { _ in .texts(["first"]) }, store).load()
        let resource = judging(client, store)
        var updates = resource.updates.makeAsyncIterator()
        #expect(await updates.next()??.value == ["first"])
        let loading = Task { try await resource.load() }
        let exchange = await client.exchange(0)
        await #expect(throws: LoadError.self) {
            try await judging(ScriptedHTTPClient { _ in .answer(status: status) }, store).load()
        }
        #expect(await updates.next() == .some(nil))
        exchange.respond(body: Data("[\"old\"]".utf8))
        let again = await client.exchange(1)
        var late = resource.updates.makeAsyncIterator()
        #expect(await late.next() == .some(nil))
        again.respond(status: status, body: Data())
        await #expect(throws: LoadError.self) { try await loading.value }
    }

    @Test("A refusal stays where no copy was", arguments: [410, 403])
    func refusedWithoutCopy(status: Int) async throws {
        let store = MemoryStore()
        let end = try await refuse(status, [store, store])
        withKnownIssue(
            "A mark for each key that was ever refused would let whoever asks for invented keys fill the store."
        ) {
            #expect(throws: LoadError.self) { try end.get() }
        }
    }

    @Test("A refusal counts for an older answer that was saved before it came", arguments: [410, 403])
    func refusedLater(status: Int) async throws {
        let store = MemoryStore()
        let clients = [ScriptedHTTPClient(), ScriptedHTTPClient()]
        let first = Task { try await judging(clients[0], store).load() }
        let answer = await clients[0].exchange(0)
        world.date.advance(by: 1)
        let second = Task { try await judging(clients[1], store).load() }
        let refusal = await clients[1].exchange(0)
        world.date.advance(by: 1)
        answer.respond(body: Data("[\"old\"]".utf8))
        _ = try await first.value
        refusal.respond(status: status, body: Data())
        await #expect(throws: LoadError.self) { try await second.value }
        #expect(try await store.retrieve("texts")?.asking.isDenied == true)
    }

    @Test("An answer whose own request lies after now replaces nothing whose stamp can be believed")
    func ownStampInTheFuture() {
        func entry(_ sentAt: Date) -> StoredEntry {
            StoredEntry(bytes: Data(), savedAt: start, origin: .init(sentAt: sentAt))
        }
        #expect(!entry(start + 100).isNewer(than: entry(start - 1), at: start))
        #expect(entry(start).isNewer(than: entry(start - 1), at: start))
    }
}

/// A store whose readers are given an old copy, as one machine's tier may for a moment.
private struct StaleStore: ForwardingStore {
    let base: any CacheStore
    let copy: StoredEntry

    func retrieve(_ key: String) async throws(StoreError) -> StoredEntry? { copy }
}
