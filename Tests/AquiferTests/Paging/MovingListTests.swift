import AquiferConcurrency
import AquiferTesting
import EveryBit
import Foundation
import Testing

@testable import Aquifer

/// A server of notes, the last changed first, in pages of four. A cursor is the rank of a page's last note: a place that does not move.
private final class MovingServer: Sendable {
    struct State {
        var notes: [(note: Note, rank: Double)]
        var rank = 1000.0
        /// The notes at the time of each answer, by the number of the answer.
        var history: [[Int]] = []
        /// The number of answers before each note was moved last.
        var movedAt: [Int: Int] = [:]
        /// The notes that were moved or added since the first page was asked for.
        var movedSinceReload: Set<Int> = []
        /// True if a first page had nothing that was in its place before: where it ends cannot be told.
        var isUncertain = false
    }

    static let pageSize = 4
    let state: Locked<State>
    let date = ManualDate(Date(timeIntervalSince1970: 1_780_000_000))

    init(_ count: Int) {
        state = Locked(State(notes: down(count, 1).map { (Note(id: $0), Double($0)) }))
    }

    var ids: [Int] { state.withLock { $0.notes.map(\.note.id) } }
    var isUncertain: Bool { state.withLock { $0.isUncertain } }

    /// Changes a note, which moves to the top.
    func touch(_ id: Int) { place(id) { $0.rank } }

    func add(_ id: Int) {
        state.withLock { $0.notes.append((Note(id: id), 0)) }
        touch(id)
    }

    func delete(_ id: Int) { state.withLock { state in state.notes.removeAll { $0.note.id == id } } }

    func place(_ id: Int, _ rank: @Sendable (State) -> Double) {
        state.withLock { state in
            state.rank += 1
            let rank = rank(state)
            for index in state.notes.indices where state.notes[index].note.id == id {
                state.notes[index].rank = rank
            }
            state.notes.sort { $0.rank > $1.rank }
            state.movedAt[id] = state.history.count
            state.movedSinceReload.insert(id)
        }
    }

    private struct Envelope: Codable {
        let items: [Note]
        let next: Double?
    }

    func list(in store: any CacheStore) -> PagedResource<Note> {
        let client = ScriptedHTTPClient { self.reply($0) }
        return PagedResource(
            key: "moving", in: store, first: HTTPRequest(.get, URL(string: "http://notes.example/moving")!),
            next: .cursor("at") { head, body in try JSONMapper<Envelope>().map(head, body).next.map { "\($0)" } },
            client: client, codec: .json, now: date.read
        ) { head, body in try JSONMapper<Envelope>().map(head, body).items }
    }

    private func reply(_ request: HTTPRequest) -> ScriptedHTTPClient.Reply {
        let query = URLComponents(url: request.url, resolvingAgainstBaseURL: false)?.queryItems ?? []
        let asked = query.first { $0.name == "at" }?.value.flatMap { Double($0) }
        date.advance(by: 1)
        let envelope = state.withLock { state in
            if asked == nil {
                if state.movedSinceReload.count >= Self.pageSize { state.isUncertain = true }
                state.movedSinceReload = []
            }
            state.history.append(state.notes.map(\.note.id))
            let rest = state.notes.filter { $0.rank < asked ?? .infinity }
            let page = rest.prefix(Self.pageSize)
            return Envelope(items: page.map(\.note), next: rest.count > page.count ? page.last?.rank : nil)
        }
        return .answer(body: (try? JSONEncoder().encode(envelope)) ?? Data())
    }

    /// The neighbours of a list that were none at any answer, but for notes that are shown elsewhere or have moved since.
    func falseNeighbours(in list: PagedList<Note>) -> [String] {
        let (history, movedAt, shape) = state.withLock { ($0.history, $0.movedAt, list.shape) }
        let shown = Set(shape)
        return zip(shape, shape.dropFirst()).compactMap { one, other in
            guard one != 0, other != 0 else { return nil }
            let wereNeighbours = history.enumerated().contains { number, ids in
                guard let start = ids.firstIndex(of: one), let end = ids.firstIndex(of: other), start < end else {
                    return false
                }
                return ids[(start + 1)..<end].allSatisfy { shown.contains($0) || movedAt[$0] ?? -1 > number }
            }
            return wereNeighbours ? nil : "\(one) beside \(other)"
        }
    }
}

@Suite("A list in pages whose items move", .timeLimit(.minutes(10)))
struct MovingListTests {
    /// Fills all gaps and loads to the end.
    private func whole(_ resource: PagedResource<Note>) async throws -> PagedList<Note> {
        var list = try await resource.reload().value
        for _ in 0..<60 {
            if let gap = list.gaps.first {
                list = try await resource.fill(gap).value
            } else if !list.isComplete {
                list = try await resource.loadMore().value
            } else {
                break
            }
        }
        return list
    }

    @Test("loses nothing without a gap when an item from further down ends the first page")
    func fourTouched() async throws {
        let server = MovingServer(25)
        let resource = server.list(in: RepeatingStore())
        _ = try await whole(resource)
        for id in [8, 12, 7, 6] { server.touch(id) }
        let list = try await resource.reload().value
        #expect(list.shape.starts(with: [6, 7, 12, 8, 0]))
        #expect(Set(list.shape) == Set(0...25), "what the first page does not have is behind the gap")
        #expect(try await whole(resource).shape == server.ids)
    }

    @Test("shows what two moved together from further down have left behind them")
    func twoTogether() async throws {
        let server = MovingServer(25)
        let resource = server.list(in: RepeatingStore())
        _ = try await whole(resource)
        for id in [10, 11] { server.touch(id) }
        server.add(26)
        server.add(27)
        let list = try await resource.reload().value
        #expect(list.shape.starts(with: [27, 26, 11, 10, 0]))
        #expect(Set(list.shape) == Set(0...27))
        #expect(try await whole(resource).shape == server.ids)
    }

    @Test("joins without a gap when one item moves to the top, and shows it once", arguments: [2, 6, 20])
    func oneTouched(id: Int) async throws {
        let server = MovingServer(25)
        let resource = server.list(in: RepeatingStore())
        _ = try await whole(resource)
        server.touch(id)
        #expect(try await resource.reload().value.shape == server.ids)
    }

    @Test("has a gap where an item may have been deleted or not, which one request closes")
    func deleted() async throws {
        let server = MovingServer(25)
        let resource = server.list(in: RepeatingStore())
        _ = try await whole(resource)
        server.delete(24)
        let list = try await resource.reload().value
        #expect(list.shape == [25, 23, 22, 21, 0] + down(20, 1))
        #expect(try await resource.fill(try #require(list.gaps.first)).value.shape == server.ids)
    }

    @Test("makes no false neighbours, and is the server's list once all gaps are filled", arguments: [false, true])
    func chance(adds: Bool) async throws {
        var (certain, moves) = (0, 0)
        let seeds: UInt64 = Damage.areAll ? 120 : 40
        for seed in 0..<seeds {
            var numbers = SeededNumbers(seed: seed)
            let server = MovingServer(25)
            let store = RepeatingStore()
            var resource = server.list(in: store)
            var list = try await resource.load().value
            for step in 0..<40 {
                switch Int.random(in: 0..<10, using: &numbers) {
                case 0...1:
                    if let id = server.ids.randomElement(using: &numbers) { server.touch(id) }
                    moves += 1
                case 2: if adds { server.add(100 + step) }
                case 3...5: list = try await resource.reload().value
                case 6...7: list = try await resource.loadMore().value
                case 8:
                    if let gap = list.gaps.randomElement(using: &numbers) { list = try await resource.fill(gap).value }
                default:
                    resource = server.list(in: store)
                    list = try #require(try await resource.saved()).value
                }
                let items = list.allItems.map(\.id)
                #expect(Set(items).count == items.count, "seed \(seed), step \(step): \(list.shape)")
                let wrong = server.isUncertain ? [] : server.falseNeighbours(in: list)
                #expect(wrong == [], "seed \(seed), step \(step): \(list.shape)")
            }
            list = try await whole(resource)
            #expect(list.gaps.isEmpty && list.isComplete, "seed \(seed): \(list.shape)")
            if server.isUncertain { continue }
            certain += 1
            #expect(list.shape == server.ids, "seed \(seed)")
        }
        #expect(certain >= seeds / 6 && moves > 4 * seeds, "\(certain) seeds with \(moves) moves were looked at")
    }

    @Test("shows no item twice and can always be loaded whole, wherever items move")
    func anywhere() async throws {
        for seed in 0..<60 as Range<UInt64> {
            var numbers = SeededNumbers(seed: seed)
            let server = MovingServer(25)
            let resource = server.list(in: RepeatingStore())
            var list = try await resource.load().value
            for step in 0..<40 {
                switch Int.random(in: 0..<8, using: &numbers) {
                case 0...2:
                    let part = Double.random(in: 0..<1, using: &numbers)
                    if let id = server.ids.randomElement(using: &numbers) { server.place(id) { $0.rank * part } }
                case 3...4: list = try await resource.reload().value
                case 5...6: list = try await resource.loadMore().value
                default:
                    if let gap = list.gaps.randomElement(using: &numbers) { list = try await resource.fill(gap).value }
                }
                let items = list.allItems.map(\.id)
                #expect(Set(items).count == items.count, "seed \(seed), step \(step): \(list.shape)")
            }
            list = try await whole(resource)
            #expect(list.gaps.isEmpty && list.isComplete, "seed \(seed): \(list.shape)")
        }
    }
}
