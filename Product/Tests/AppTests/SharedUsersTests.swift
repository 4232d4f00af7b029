import Aquifer
import AquiferConcurrency
import AquiferPayments
import AquiferTesting
import Foundation
import HTTPServer
import ReferenceAPIs
import Testing

@testable import App

@MainActor
@Suite("Users of replicas", .timeLimit(.minutes(10)))
struct SharedUsersTests {
    private static let stream = "/api/screens/foaas-settings/events?tab=tab"

    /// Two replicas over the same stores, whose audio remotes are offline.
    private func withReplicas(_ body: (_ one: UsersWorld, _ other: UsersWorld, MemoryStores) async throws -> Void)
        async throws
    {
        let stores = MemoryStores()
        let one = try await UsersWorld(stores: stores) { $0.faults = [.audio: .offline] }
        let other = try await UsersWorld(stores: stores, besides: one) { $0.faults = [.audio: .offline] }
        try await body(one, other, stores)
        await other.end()
        await one.end()
    }

    private func addCard(
        _ world: UsersWorld, _ user: String, holder: String = "ADA", number: String = "4539578763621486"
    ) async {
        for (field, value) in [("number", number), ("holder", holder), ("expiry", "1228")] {
            await world.tell(user, "card-form?tab=tab", "edit", ["field": field, "value": value])
        }
        await world.tell(user, "card-form?tab=tab", "save")
    }

    private func shown(_ world: UsersWorld, _ user: String, _ screen: String, until words: String) async throws
        -> String
    {
        let stream = await world.listen(user, "/api/screens/\(screen)/events?tab=tab")
        await world.tell(user, "\(screen)?tab=tab", "appear")
        try #require(await eventually { stream.text.contains(words) }, "\(screen): \(stream.text.suffix(600))")
        await stream.close()
        return stream.text
    }

    @Test("are let in at each replica by one token, and one who was just added, too; nobody else is")
    func letIn() async throws {
        try await withReplicas { one, other, _ in
            let token = try await one.register.add(try one.name("carla"), at: one.date.now)
            for world in [one, other] {
                #expect(await world.ask(token: token, "GET", "/api/user").status == 200)
                #expect(await world.ask("ana", "GET", "/api/user").status == 200)
                #expect(await world.ask(token: UserToken.random(), "GET", "/api/user").status == 401)
                #expect(await world.ask(token: nil, "GET", "/api/user").status == 401)
                #expect(await world.ask(token: UserToken.random(), "GET", "/metrics").status == 403)
            }
        }
    }

    @Test("log out everywhere at all replicas at once, streams included, and the others stay")
    func logOut() async throws {
        try await withReplicas { one, other, _ in
            let following = Task { await other.house.run(clock: ManualClock()) }
            let ana = await other.listen("ana", Self.stream)
            let bruno = await other.listen("bruno", Self.stream)
            for stream in [ana, bruno] { try #require(await eventually { stream.text.contains("event: state") }) }
            let device = try await one.register.addToken(try one.name("ana"), at: one.date.now)
            #expect(await other.ask(token: device, "GET", "/api/user").status == 200)
            #expect(await one.ask("ana", "POST", "/api/user/logout", #"{"everywhere":true}"#).status == 204)
            for token in [one.tokens["ana"], device] {
                #expect(await other.ask(token: token, "GET", "/api/user").status == 401)
                #expect(await one.ask(token: token, "GET", "/api/user").status == 401)
            }
            #expect(await eventually { ana.hasEnded })
            #expect(await other.ask("bruno", "GET", "/api/user").status == 200 && !bruno.hasEnded)
            await bruno.close()
            following.cancel()
            await following.value
        }
    }

    @Test("have their streams ended by what a replica is told, without another request")
    func told() async throws {
        try await withReplicas { one, other, _ in
            let following = Task { await other.house.run(clock: ManualClock()) }
            let stream = await other.listen("ana", Self.stream)
            try #require(await eventually { stream.text.contains("event: state") })
            // The replica observes the register by now, or does in a moment: each change is told until it has heard one.
            #expect(
                await eventually {
                    _ = try? await one.register.endTokens(of: one.name("ana"), hash: nil)
                    return stream.hasEnded
                })
            following.cancel()
            await following.value
        }
    }

    @Test("have their cards at each replica, and nobody else's")
    func cards() async throws {
        try await withReplicas { one, other, stores in
            await addCard(one, "ana", holder: "ADA LOVELACE")
            _ = try await shown(one, "ana", "cards", until: "ADA LOVELACE")
            _ = try await shown(other, "ana", "cards", until: "ADA LOVELACE")
            await addCard(other, "ana", holder: "SECOND CARD", number: "5555555555554444")
            _ = try await shown(one, "ana", "cards", until: "SECOND CARD")
            for world in [one, other] {
                let bruno = try await world.house.rooms.room(of: try world.name("bruno"))
                #expect(try await bruno.services.payments.vault.cards().isEmpty)
            }
            // Nothing of a card is readable in the stores, or in the folder of a replica.
            for kind in StoreKind.allCases {
                let store = stores.store(kind)
                for entry in try await store.contents().entries {
                    let bytes = try await store.retrieve(entry.key)?.bytes ?? Data()
                    for words in ["4539578763621486", "LOVELACE"] { #expect(bytes.range(of: Data(words.utf8)) == nil) }
                }
            }
            let cards = one.folder.appending(path: "users/\(try await one.id("ana"))/cards")
            #expect(!FileManager.default.fileExists(atPath: cards.path))
        }
    }

    @Test("are told by a replica with another key that the cards cannot be opened; no card is lost")
    func wrongKey() async throws {
        let stores = MemoryStores()
        let one = try await UsersWorld(stores: stores)
        await addCard(one, "ana")
        _ = try await shown(one, "ana", "cards", until: "ADA")
        let other = try await UsersWorld(stores: stores, besides: one) {
            $0.keys = $0.data.appending(path: "other-keys", directoryHint: .isDirectory)
        }
        let text = try await shown(other, "ana", "cards", until: "can’t be opened")
        #expect(!text.contains("ADA"))
        await addCard(other, "ana", holder: "MALLORY")
        await #expect(throws: VaultError.self) { try await other.services.groundwork.ring?.prepare() }
        let room = try await one.house.rooms.room(of: try one.name("ana"))
        #expect(try await room.services.payments.vault.cards().map(\.holder) == ["ADA"])
        await other.end()
        await one.end()
    }

    @Test("have one drive key, whichever replica makes it, and each another one")
    func driveKeys() async throws {
        try await withReplicas { one, other, _ in
            @MainActor func owner(_ world: UsersWorld, _ user: String) async throws -> String {
                let room = try await world.house.rooms.room(of: try world.name(user))
                let access = room.site.hub.drive
                #expect(access.problem == nil)
                let owner = try #require(access.service.owner)
                return "\(owner)"
            }
            let ana = try await owner(one, "ana")
            #expect(try await owner(other, "ana") == ana)
            #expect(try await owner(other, "bruno") != ana)
            let bruno = try await owner(one, "bruno")
            #expect(try await owner(other, "bruno") == bruno)
        }
    }

    @Test("go on with a post that they compose when their replica is gone, and it is posted once")
    func composing() async throws {
        try await withReplicas { one, other, _ in
            let path = "\(AudioAPI.filePath)?tab=tab"
            #expect(
                await one.ask("ana", "POST", path + "&name=rain.mp3", "ID3" + String(repeating: "s", count: 3 << 20))
                    .status == 204)
            await one.tell("ana", "audio-compose?tab=tab", "title", ["text": "Rain of Ana"])
            let room = try await one.house.rooms.room(of: try one.name("ana"))
            let screen = try #require(room.site.hub.screen(AudioComposeScreen.self, tab: "tab"))
            try #require(await eventually { screen.model.title == "Rain of Ana" })
            await screen.save()
            await one.house.rooms.stop()
            // Bruno's tab of the same name has nothing.
            let bruno = await other.listen("bruno", "/api/screens/audio-compose/events?tab=tab")
            try #require(await eventually { bruno.text.contains(#""phase":"empty""#) })
            #expect(!bruno.text.contains("rain.mp3") && !bruno.text.contains("Rain of Ana"))
            #expect(await other.ask("bruno", "GET", path).status == 404)
            await bruno.close()
            let states = await other.listen("ana", "/api/screens/audio-compose/events?tab=tab")
            try #require(await eventually { states.text.contains("event: state") })
            // The first state has it all: the page never shows an empty form.
            let first = try #require(states.text.components(separatedBy: "event: state").dropFirst().first)
            #expect(first.contains("rain.mp3") && first.contains("Rain of Ana") && first.contains(#""canSend":true"#))
            let kept = await other.ask("ana", "GET", path)
            #expect(try await kept.collectBody().count == 3 + 3 << 20)
            await other.tell("ana", "audio-compose?tab=tab", "later")
            try #require(await eventually { states.text.contains(#""phase":"queued""#) })
            await states.close()
            let items = try await room.services.outbox.items()
            #expect(items.map(\.label) == ["Rain of Ana"])
            // Nothing of the form is left, and the form at the first replica is empty, too.
            let store = try #require(room.services.groundwork.drafts)
            for prefix in ["draft:", "upload:"] {
                #expect(await eventually { (try? await store.contents(prefix: prefix).entries.isEmpty) == true })
            }
            #expect(await eventually { screen.model.file == nil && screen.model.title.isEmpty })
        }
    }

    @Test(
        "see at another replica that their clip is on its way; the form that they begin there stays when it has arrived",
        arguments: [true, false])
    func postUnderWay(beginsAnother: Bool) async throws {
        let remotes = try ReferenceAPIs().handler
        let (answers, answer) = AsyncStream<Void>.makeStream()
        let remote = try HTTPServer(ReferenceAPIs.configuration) { request in
            if request.method == "POST" { for await _ in answers {} }
            return await remotes(request)
        }
        let audio = URL(string: "http://127.0.0.1:\(remote.port)/audio")
        let stores = MemoryStores()
        let one = try await UsersWorld(stores: stores) { $0.remotes[.audio] = audio }
        let other = try await UsersWorld(stores: stores, besides: one) { $0.remotes[.audio] = audio }
        #expect(await one.ask("ana", "POST", "\(AudioAPI.filePath)?tab=tab&name=rain.mp3", "ID3rain").status == 204)
        let room = try await one.house.rooms.room(of: try one.name("ana"))
        let first = try #require(room.site.hub.screen(AudioComposeScreen.self, tab: "tab"))
        await one.tell("ana", "audio-compose?tab=tab", "title", ["text": "Rain"])
        try #require(await eventually { first.model.canSend })
        await one.tell("ana", "audio-compose?tab=tab", "send", ["author": "Ana"])
        try #require(await eventually { first.model.isSending })

        let states = await other.listen("ana", "/api/screens/audio-compose/events?tab=tab")
        try #require(await eventually { states.text.contains("while your clip was being sent") })
        let there = try await other.house.rooms.room(of: try other.name("ana"))
        let second = try #require(there.site.hub.screen(AudioComposeScreen.self, tab: "tab"))
        #expect(second.model.phase == .inDoubt && second.model.form.key == first.model.form.key)
        #expect(second.model.title == "Rain" && second.model.author == "Ana" && second.model.canSend)
        if beginsAnother {
            await other.tell("ana", "audio-compose?tab=tab", "title", ["text": "Snow"])
            try #require(await eventually { second.model.title == "Snow" })
            #expect(second.model.phase == .editing)
            await second.save()
        }
        answer.finish()
        await one.house.rooms.finishScreens()
        #expect({ if case .sent = first.model.phase { true } else { false } }())
        let drafts = try #require(room.services.groundwork.drafts)
        if beginsAnother {
            #expect(try await drafts.contents(prefix: "draft:").entries.count == 1)
            #expect(second.model.title == "Snow" && second.model.file != nil)
        } else {
            #expect(try await drafts.contents(prefix: "draft:").entries.isEmpty)
            #expect(await eventually { second.model.phase == .editing && second.model.title.isEmpty })
        }
        await states.close()
        for world in [other, one] { await world.end() }
        await remote.stop()
    }

    @Test("find a form that has no file yet")
    func formWithoutFile() async throws {
        try await withReplicas { one, other, _ in
            let room = try await one.house.rooms.room(of: try one.name("ana"))
            let drafts = try #require(room.services.groundwork.drafts)
            let bytes = Data(#"{"title":"Rain","key":"k1"}"#.utf8)
            try await drafts.insert(StoredEntry(bytes: bytes, savedAt: one.date.now), for: "draft:tab")
            let states = await other.listen("ana", "/api/screens/audio-compose/events?tab=tab")
            try #require(await eventually { states.text.contains(#""title":"Rain""#) })
            #expect(states.text.contains(#""phase":"empty""#))
            await states.close()
        }
    }

    @Test("are let in by no replica once their list is damaged, or gone, and a command makes no new list")
    func damagedList() async throws {
        try await withReplicas { one, other, stores in
            let store = stores.store(.server)
            let good = try #require(try await store.retrieve("users"))
            var bad = good
            bad.bytes[bad.bytes.startIndex] ^= 1
            for entry in [bad, nil] {
                if let entry { try await store.insert(entry, for: "users") } else { try await store.delete("users") }
                for world in [one, other] { #expect(await world.ask("ana", "GET", "/api/user").status == 500) }
                await #expect(throws: UsersError.self) { try await one.register.read() }
                await #expect(throws: UsersError.self) {
                    try await one.register.add(try one.name("carla"), at: one.date.now)
                }
                #expect(try await store.retrieve("users") == entry)
            }
            try await store.insert(good, for: "users")
            for world in [one, other] { #expect(await world.ask("ana", "GET", "/api/user").status == 200) }
            // Both of its rows are gone: what the users have tells that there were some.
            #expect(await one.leavePost("ana", title: "Rain") == 204)
            try await store.delete("users")
            try await store.delete("users-made")
            await #expect(throws: UsersError.damagedInStore("it is gone")) {
                try await one.register.add(try one.name("carla"), at: one.date.now)
            }
            #expect(try await store.retrieve("users") == nil)
        }
    }

    @Test("are sent to another replica by one that cannot reach their list: at once, or within two seconds")
    func outOfReach() async throws {
        let store = StallingStore()
        let world = try await UsersWorld(stores: MemoryStores(server: store))
        #expect(await world.ask("ana", "GET", "/api/user").status == 200)
        store.faults.fail(.retrieve, with: .failed(operation: "read", reason: "no route"))
        let answer = await world.ask("ana", "GET", "/api/user")
        #expect(answer.status == 503 && answer.headers["Retry-After"] == "2")
        #expect(await world.ask(nil, "GET", "/api/user").status == 503)
        store.faults.fail(.retrieve, with: .unreadable(key: "users", reason: "damaged"))
        #expect(await world.ask("ana", "GET", "/api/user").status == 500)
        store.faults.heal(.retrieve)
        let stall = Awaited<Void>()
        store.stall.withLock { $0 = stall }
        let clock = ManualClock()
        let request = ServerRequest(.get, "/api/user", headers: ["Host": "127.0.0.1"], body: Data())
        let late = Task { await world.house.answer(request, clock: clock) }
        await clock.waitForSleepers(1)
        #expect(clock.sleepers == [.seconds(2)])
        clock.advance(by: .seconds(2))
        #expect(await late.value.status == 503)
        store.stall.withLock { $0 = nil }
        stall.give(())
        #expect(await eventually { await world.ask("ana", "GET", "/api/user").status == 200 })
        await world.end()
    }

    @Test("have their unsent posts sent by another replica, once the one that they were with has ended for good")
    func ended() async throws {
        try await withReplicas { one, other, _ in
            let clock = ManualClock()
            let following = Task { await other.house.run(clock: clock) }
            // It has looked for what is unsent, and found nothing.
            try #require(await eventually { !clock.sleepers.isEmpty })
            #expect(await one.leavePost("ana", title: "Rain") == 204)
            let room = try await one.house.rooms.room(of: try one.name("ana"))
            try #require(await eventually { (try? await room.services.outbox.items().count) == 1 })
            await one.house.rooms.stop()
            other.services.reference.set(.none, of: .audio)
            #expect(
                await eventually {
                    clock.advance(by: UserHouse.pause)
                    other.date.advance(by: 1)
                    return (try? await room.services.outbox.items().isEmpty) == true
                })
            #expect(other.services.reference.transfers(of: .audio).completed == 1)
            following.cancel()
            await following.value
        }
    }

    @Test("have their forms and files removed when they were left for more than a day")
    func leftForms() async throws {
        try await withReplicas { one, other, _ in
            #expect(await one.ask("ana", "POST", "\(AudioAPI.filePath)?tab=left&name=a.mp3", "ID3left").status == 204)
            let room = try await one.house.rooms.room(of: try one.name("ana"))
            let store = try #require(room.services.groundwork.drafts)
            #expect(try await store.contents(prefix: "upload:").entries.count == 1)
            one.date.advance(by: DraftFiles.keep + 1)
            #expect(await one.ask("ana", "POST", "\(AudioAPI.filePath)?tab=next&name=b.mp3", "ID3next").status == 204)
            #expect(try await store.contents(prefix: "upload:").entries.count == 2)
            // Any replica sweeps, also while the user is away.
            other.date.advance(by: DraftFiles.keep + 1)
            await other.house.rooms.sweepDrafts()
            #expect(try await store.contents(prefix: "upload:").entries.count == 1)
            #expect(try await store.contents(prefix: "draft:").entries.map(\.key) == ["draft:next"])
        }
    }

    @Test("keep a form that a replica has open, with its file, for as long as it is open")
    func openForm() async throws {
        try await withReplicas { one, other, _ in
            #expect(await one.ask("ana", "POST", "\(AudioAPI.filePath)?tab=tab&name=a.mp3", "ID3open").status == 204)
            let room = try await one.house.rooms.room(of: try one.name("ana"))
            let screen = try #require(room.site.hub.screen(AudioComposeScreen.self, tab: "tab"))
            await one.tell("ana", "audio-compose?tab=tab", "title", ["text": "Rain"])
            try #require(await eventually { screen.model.canSend })
            let page = await one.listen("ana", "/api/screens/audio-compose/events?tab=tab")
            // Its page was closed, and nobody has opened another screen since.
            #expect(await one.ask("ana", "POST", "\(AudioAPI.filePath)?tab=closed&name=b.mp3", "ID3left").status == 204)
            for _ in 0..<30 {
                for world in [one, other] { world.date.advance(by: 3600) }
                for world in [one, other] { await world.house.rooms.sweepDrafts() }
            }
            let states = await other.listen("ana", "/api/screens/audio-compose/events?tab=tab")
            try #require(await eventually { states.text.contains("event: state") })
            #expect(states.text.contains(#""canSend":true"#))
            #expect(screen.model.title == "Rain" && screen.model.canSend)
            let store = try #require(room.services.groundwork.drafts)
            #expect(try await store.contents(prefix: "draft:").entries.map(\.key) == ["draft:tab"])
            for stream in [states, page] { await stream.close() }
        }
    }

    @Test("are removed at all replicas, with everything that is theirs, and nothing of another server's folder")
    func removal() async throws {
        try await withReplicas { one, other, stores in
            for user in ["ana", "bruno"] {
                await addCard(one, user)
                _ = try await shown(one, user, "cards", until: "ADA")
                #expect(await one.leavePost(user, title: "Rain of \(user)") == 204)
                _ = try await shown(other, user, "outbox", until: "Rain of \(user)")
            }
            // Another server on the machine of the one who removes has a user of this name.
            let (ana, left) = (try await one.id("ana"), try await one.id("bruno"))
            let foreign = other.folder.appending(path: "users/\(ana)/cards", directoryHint: .isDirectory)
            try FileManager.default.createDirectory(at: foreign, withIntermediateDirectories: true)
            let name = try one.name("ana")
            await #expect(throws: UsersError.unsent("ana", changes: 1, payments: 0)) {
                try await other.services.removeUser(name, from: other.register)
            }
            #expect(await one.ask("ana", "GET", "/api/user").status == 200)
            try await other.services.removeUser(name, from: other.register, unsent: .discard)
            for world in [one, other] { #expect(await world.ask("ana", "GET", "/api/user").status == 401) }
            let store = stores.store(.users)
            #expect(try await store.contents(prefix: "scope/user%2F\(ana)/").entries.isEmpty)
            #expect(try await !store.contents(prefix: "scope/user%2F\(left)/").entries.isEmpty)
            #expect(FileManager.default.fileExists(atPath: foreign.path))
            let bruno = try await one.house.rooms.room(of: try one.name("bruno"))
            #expect(try await bruno.services.outbox.items().count == 1)
            #expect(try await bruno.services.payments.vault.cards().count == 1)
        }
    }
}

@Suite("The users in a store", .timeLimit(.minutes(10)))
struct StoredUsersTests {
    private static let date = Date(timeIntervalSince1970: 1_780_000_000)

    @Test("keep names and hashes, and never a token")
    func hashes() async throws {
        let store = RepeatingStore()
        let users = StoredUsers(in: store, besides: MemoryStore())
        let token = try await users.add(try UserName("ana"), at: Self.date)
        let bytes = try #require(try await store.retrieve("users")).bytes
        let text = String(decoding: bytes, as: UTF8.self)
        #expect(text.contains("ana") && text.contains(UserToken.hash(token)) && !text.contains(token))
    }

    @Test("tell that there are none, that there is one already, and that there is no such one")
    func mistakes() async throws {
        let users = StoredUsers(in: RepeatingStore(), besides: MemoryStore())
        await #expect(throws: UsersError.noneStored) { try await users.read() }
        await #expect(throws: UsersError.noneStored) { try await users.addToken(try UserName("ana"), at: Self.date) }
        _ = try await users.add(try UserName("ana"), at: Self.date)
        await #expect(throws: UsersError.exists("ana")) { try await users.add(try UserName("Ana"), at: Self.date) }
        await #expect(throws: UsersError.unknown("bruno")) { try await users.endTokens(of: try UserName("bruno")) }
        try await users.setLeaving(try UserName("ana"), true)
        await #expect(throws: UsersError.leaving("ana")) {
            try await users.addToken(try UserName("ana"), at: Self.date)
        }
        #expect(try await users.endTokens(of: try UserName("ana")) == 1)
        try await users.remove(try UserName("ana"))
        #expect(try await users.read() == [])
    }

    @Test("keep all of fifty who are added at once, and each version has another number")
    func atOnce() async throws {
        let users = StoredUsers(in: RepeatingStore(), besides: MemoryStore())
        try await withThrowingTaskGroup { group in
            for number in 0..<50 {
                group.addTask { _ = try await users.add(try UserName("user\(number)"), at: Self.date) }
            }
            try await group.waitForAll()
        }
        #expect(Set(try await users.read().map(\.name)) == Set((0..<50).map { "user\($0)" }))
        let version = try #require(try await users.changed(since: nil))
        #expect(version.version == "50" && version.users.count == 50)
        #expect(try await users.changed(since: version.version) == nil)
        try await users.endTokens(of: try UserName("user1"))
        #expect(try await users.changed(since: version.version)?.version == "51")
    }

    @Test("are an error when they are damaged, missing or another version's, and are never written over")
    func damage() async throws {
        let store = RepeatingStore()
        let users = StoredUsers(in: store, besides: MemoryStore())
        _ = try await users.add(try UserName("ana"), at: Self.date)
        let good = try #require(try await store.retrieve("users"))
        for bytes in [
            Data(), good.bytes.dropLast(), Data(#"{"version":1}"#.utf8), Data(#"{"version":2}"#.utf8),
            Data(#"{"version":0}"#.utf8),
        ] {
            var bad = good
            bad.bytes = Data(bytes)
            try await store.insert(bad, for: "users")
            await #expect(throws: UsersError.self) { try await users.read() }
            await #expect(throws: UsersError.self) { try await users.changed(since: "0") }
            await #expect(throws: UsersError.self) { try await users.add(try UserName("bruno"), at: Self.date) }
            #expect(try await store.retrieve("users") == bad)
        }
        try await store.delete("users")
        await #expect(throws: UsersError.noneStored) { try await users.changed(since: "1") }
    }
}

/// A store that fails where it is told to, and does not answer while it is stalled.
private struct StallingStore: ForwardingStore {
    let faults = FaultyStore(MemoryStore())
    let stall = Locked<Awaited<Void>?>(nil)
    var base: any CacheStore { faults }

    func retrieve(_ key: String) async throws(StoreError) -> StoredEntry? {
        await stall.withLock(\.self)?.get()
        return try await base.retrieve(key)
    }
}
