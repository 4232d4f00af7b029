import AquiferConcurrency
import AquiferTesting
import EveryBit
import Foundation
import Testing

@testable import Aquifer

@Suite("A list in pages that several use at once", .timeLimit(.minutes(10)))
struct PagedResourceSharingTests {
    private let server = PageServer(.cursor, down(20, 1))

    /// Answers a held request as the server would now.
    private func answer(_ exchange: ScriptedExchange) {
        guard case .answer(let status, let headers, let body) = server.reply(exchange.request) else { return }
        exchange.respond(status: status, headers: headers, body: body)
    }

    @Test("keeps the newer answer of two processes whose answers come out of order, with its later pages")
    func outOfOrder() async throws {
        let held = Locked(false)
        let server = server
        let world = PagedWorld(server, ScriptedHTTPClient { held.withLock { $0 } ? .held : server.reply($0) })
        let one = try await world.loaded(pages: 2)
        let other = world.resource()
        held.withLock { $0 = true }
        let early = Task { try await one.reload() }
        let first = await world.client.exchange(2)
        server.date.advance(by: 1)
        let late = Task { try await other.reload() }
        let second = await world.client.exchange(3)
        server.add(21)
        answer(second)
        _ = try await late.value
        server.delete(21)
        answer(first)
        #expect(try await early.value.value.shape == down(21, 11), "the older request learns of the newer answer")
        #expect(try await world.resource().saved()?.value.shape == down(21, 11))
    }

    @Test("appends the same page from two processes once")
    func samePage() async throws {
        let world = PagedWorld(server, ScriptedHTTPClient { [server] in server.reply($0) })
        let one = try await world.loaded(pages: 1)
        let other = try await world.loaded(pages: 1)
        _ = try await one.loadMore()
        server.delete(13)
        _ = try await other.loadMore()
        #expect(try await world.resource().saved()?.value.shape == down(20, 14) + [12, 11, 10])
    }

    @Test("shares one request among callers, and cancels it when the last has left")
    func shared() async throws {
        let world = PagedWorld(server, ScriptedHTTPClient())
        let resource = world.resource()
        let loading = Task { try await resource.load() }
        answer(await world.client.exchange(0))
        _ = try await loading.value
        let one = Task { try await resource.loadMore() }
        let page = await world.client.exchange(1)
        let other = Task { try await resource.loadMore() }
        #expect(await eventually { resource.flights.waiters(for: "more +16") == 2 })
        one.cancel()
        await #expect(throws: LoadError.cancelled) { try await one.value }
        #expect(!page.wasCancelled)
        other.cancel()
        await page.waitForCancellation()
        await #expect(throws: LoadError.cancelled) { try await other.value }
        #expect(try await world.resource().saved()?.value.shape == down(20, 16))
        #expect(world.client.requests.count == 2)
    }

    /// Two pages are saved, and the server leaves what comes then without an answer.
    private func silentWorld() async throws -> PagedWorld {
        let held = Locked(false)
        let server = server
        let world = PagedWorld(server, ScriptedHTTPClient { held.withLock { $0 } ? .held : server.reply($0) })
        _ = try await world.loaded(pages: 2)
        held.withLock { $0 = true }
        return world
    }

    @Test(
        "with patience delivers the saved pages with their cause, and goes on from the answer that comes later",
        arguments: [false, true])
    func patience(isPolicy: Bool) async throws {
        let world = try await silentWorld()
        let clock = ManualClock()
        let resource = world.resource(policy: CachePolicy(patience: isPolicy ? .seconds(8) : nil), clock: clock)
        let load = Task { try await isPolicy ? resource.load() : resource.load(patience: .seconds(8)) }
        await clock.waitForSleepers(1)
        let first = await world.client.exchange(2)
        clock.advance(by: .seconds(8))
        let copy = try await load.value
        #expect(copy.value.shape == down(20, 11))
        guard case .cache(_, because: .connectivity(let error)?) = copy.source else {
            return #expect(Bool(false), "no cause: \(copy.source)")
        }
        #expect(error.kind == .timedOut && !first.wasCancelled)
        server.add(21)
        answer(first)
        await resource.first.updateEnded()
        let more = Task { try await resource.loadMore() }
        answer(await world.client.exchange(3))
        #expect(try await more.value.value.shape == down(21, 6))
    }

    @Test("with patience is told as denied when the answer that comes later says so")
    @MainActor
    func deniedLater() async throws {
        let world = try await silentWorld()
        let clock = ManualClock()
        let resource = world.resource(policy: CachePolicy(patience: .seconds(8)), clock: clock)
        let model = PagedModel(resource)
        let appearing = Task { await model.appear() }
        let first = await world.client.exchange(2)
        #expect(await eventually { clock.sleepers.contains(.seconds(8)) })
        clock.advance(by: .seconds(8))
        await appearing.value
        #expect(model.pages.flatMap(\.items).map(\.id) == down(20, 11))
        guard case .cache(_, because: .connectivity?)? = model.list.source else {
            return #expect(Bool(false), "no cause: \(String(describing: model.list.source))")
        }
        server.state.withLock { $0.isDenied = true }
        answer(first)
        await resource.first.updateEnded()
        #expect(await eventually { model.pages.isEmpty })
    }

    @Test("delivers a page that arrives after a refresh in the refreshed list")
    func refreshedMeanwhile() async throws {
        let world = PagedWorld(server, ScriptedHTTPClient())
        let resource = world.resource()
        let loading = Task { try await resource.load() }
        answer(await world.client.exchange(0))
        _ = try await loading.value
        let more = Task { try await resource.loadMore() }
        let page = await world.client.exchange(1)
        server.add(21)
        let refreshing = Task { try await resource.reload() }
        answer(await world.client.exchange(2))
        #expect(try await refreshing.value.value.shape == down(21, 16))
        answer(page)
        #expect(try await more.value.value.shape == down(21, 11))
    }

    @Test("gives both who share an answer that cannot be saved the later pages")
    func unsavedForBoth() async throws {
        let isHeld = Locked(false)
        let server = server
        let world = PagedWorld(server, ScriptedHTTPClient { isHeld.withLock { $0 } ? .held : server.reply($0) })
        let resource = try await world.loaded(pages: 3)
        server.add(21)
        world.store.fail(.save, with: .full(path: "notes"))
        isHeld.withLock { $0 = true }
        let callers = [Task { try await resource.load() }, Task { try await resource.reload() }]
        #expect(await eventually { resource.first.waiters == 2 })
        answer(await world.client.exchange(3))
        for caller in callers { #expect(try await caller.value.value.shape == down(21, 6)) }
        #expect(world.client.requests.count == 4)
    }

    @Test("is true after a kill between any two writes of a refresh or a filled gap", arguments: [1, 3, 12])
    func killed(added: Int) async throws {
        let world = PagedWorld(server, ScriptedHTTPClient { [server] in server.reply($0) })
        let resource = try await world.loaded(pages: 3)
        let before = MemoryStore()
        for entry in try await world.store.entries() {
            try await before.insert(try #require(try await world.store.retrieve(entry.key)), for: entry.key)
        }
        world.store.forgetCalls()
        for id in 21..<(21 + added) { server.add(id) }
        var list = try await resource.reload().value
        while let gap = list.gaps.first { list = try await resource.fill(gap).value }
        for call in world.store.calls where call.isWrite {
            let saved = try #require(try await world.resource(in: before).saved()).value
            #expect(falseNeighbours(in: saved, server) == [])
            #expect(saved.allItems.contains { $0.id == 6 }, "no saved page is lost")
            switch call {
            case .update(let key, .replace(let entry)?), .insert(let entry, for: let key):
                try await before.insert(entry, for: key)
            case .update(let key, .delete?), .delete(let key): try await before.delete(key)
            default: Issue.record("a write of another kind")
            }
        }
        #expect(try await world.resource(in: before).saved()?.value == list)
    }
}

/// The pairs of neighbours between which the server had another item at the time of both their pages; and items that are there
/// twice, or that the server never gave.
func falseNeighbours(in list: PagedList<Note>, _ server: PageServer) -> [String] {
    let history = server.state.withLock { $0.history }
    var wrong: [String] = []
    var seen: Set<Int> = []
    var last: (note: Note, at: [Note])?
    // An item that has a newer copy is shown in its place, and missing nowhere.
    let shown = list.allItems.map(\.id)
    for page in list.pages {
        if page.gap != nil { last = nil }
        let at = page.savedAt.flatMap { history[$0] } ?? []
        for note in page.items {
            if !seen.insert(note.id).inserted { wrong.append("\(note.id) twice") }
            if !at.contains(note) { wrong.append("\(note) never given") }
            if let last {
                if last.note.id <= note.id { wrong.append("\(note.id) after \(last.note.id)") }
                let between = last.at.filter { $0.id < last.note.id && $0.id > note.id }.map(\.id)
                let missing = Set(between).intersection(at.map(\.id)).subtracting(shown)
                if !missing.isEmpty { wrong.append("\(missing) between \(last.note.id) and \(note.id)") }
            }
            last = (note, at)
        }
    }
    return wrong
}

@Suite("A list in pages and a server that changes", .timeLimit(.minutes(10)))
struct PagedResourceChanceTests {
    @Test("never makes neighbours of items that have others between them", arguments: PageServer.Way.allCases)
    func chance(way: PageServer.Way) async throws {
        for seed in 0..<(Damage.areAll ? 60 : 20) as Range<UInt64> {
            var numbers = SeededNumbers(seed: seed)
            let world = PagedWorld(
                way, (1...Int.random(in: 0...40, using: &numbers) + 1).map { $0 * 100 }.reversed(), pageSize: 4)
            var resource = world.resource()
            var list = try await resource.load().value
            for step in 0..<40 {
                switch Int.random(in: 0..<12, using: &numbers) {
                case 0...2: world.server.add(Int.random(in: 1...5000, using: &numbers))
                case 3:
                    let newest = world.server.state.withLock { $0.notes.first?.id ?? 0 }
                    for more in 1...Int.random(in: 1...9, using: &numbers) { world.server.add(newest + more * 100) }
                case 4...5:
                    let ids = world.server.state.withLock { $0.notes.map(\.id) }
                    if let id = ids.randomElement(using: &numbers) { world.server.delete(id) }
                case 6: list = try await resource.reload().value
                case 7...8: list = try await resource.loadMore().value
                case 9:
                    if let gap = list.gaps.randomElement(using: &numbers) { list = try await resource.fill(gap).value }
                case 10:
                    world.server.date.advance(by: Duration.days(Int.random(in: 0...2, using: &numbers)).timeInterval)
                default:
                    resource = world.resource()
                    guard let saved = try await resource.saved() else { continue }
                    list = saved.value
                }
                let wrong = falseNeighbours(in: list, world.server)
                #expect(wrong == [], "\(way), seed \(seed), step \(step): \(list.shape)")
                if !wrong.isEmpty { return }
            }
            // Every gap can be closed, and then the list is what the server has.
            list = try await resource.reload().value
            for _ in 0..<60 {
                if let gap = list.gaps.first { list = try await resource.fill(gap).value } else { break }
            }
            let (notes, asked) = world.server.state.withLock { ($0.notes.map(\.id), $0.requests.suffix(8)) }
            #expect(list.gaps.isEmpty, "\(way), seed \(seed): \(list.shape) of \(notes), asked \(asked)")
        }
    }
}
