import Aquifer
import AquiferTesting
import Foundation

/// Three processes show one list in pages, through one store on one disk. The list changes at the server, and machines are
/// killed between any two writes.
///
/// No process may make neighbours of items that had others between them; the list of the server comes once all is calm.
enum ListWorld {
    static let faults: Set<SimulatedFault> = [
        .kill, .slowness, .requestLost, .answerLost, .bodyCut, .duplicated, .slowNetwork, .nameFails, .redirect,
        .portal, .serverError, .serverRestart, .powerCut, .diskFull, .ioError, .tooManyFiles, .preemption, .bitFlip,
        .fileCut, .fileSwapped,
    ]

    @Sendable static func run(_ world: Simulation) async throws {
        let stores = WorldStore.files
        stores.prepare(world)
        world.limits = .init(steps: 200_000, time: .seconds(2 * 24 * 3600))
        let server = ListServer(world)
        let phase = Phase()
        world.disk.damageable = { $0.hasSuffix(".entry") }
        world.network.serve("lists.example") { await server.answer($0) }
        world.faults.allow(faults)
        let readers = (0..<3).map { number in
            world.process("reader\(number)") { try await read($0, stores, server, phase) }
        }
        for reader in readers { reader.isMortal = true }
        for _ in 0..<world.random.int(in: 4...16) {
            try await world.clock.sleep(for: world.random.duration(in: .milliseconds(10) ... .seconds(40)))
            server.change()
        }
        world.faults.stop()
        phase.isCalm = true
        world.note("all faults have ended")
        for reader in readers { await reader.waitUntilEnded() }
    }

    private static func read(
        _ process: SimulatedProcess, _ stores: WorldStore, _ server: ListServer, _ phase: Phase
    ) async throws {
        let (world, random) = (process.world, process.random)
        let store = try await process.untilDone { try stores.open("lists", survives: .process) }
        guard let url = URL(string: "http://lists.example/items") else { return }
        let list = PagedResource<ListItem>(
            key: "list", in: store, first: HTTPRequest(.get, url),
            next: .cursor("after") { head, body in try JSONMapper<ListPage>().map(head, body).next },
            client: process.client, codec: .json, policy: .maxAge(.seconds(600)), now: process.now
        ) { head, body in try JSONMapper<ListPage>().map(head, body).items }
        while true {
            let isLast = phase.isCalm
            do throws(LoadError) {
                var shown = try await list.load().value
                server.judge(shown, process.name)
                for _ in 0..<(isLast ? 200 : random.int(in: 0...3)) {
                    if let gap = shown.gaps.first {
                        shown = try await list.fill(gap).value
                    } else if !shown.isComplete {
                        shown = try await list.loadMore().value
                    }
                    server.judge(shown, process.name)
                }
                if isLast {
                    world.expect(shown.isComplete && shown.gaps.isEmpty, "the list is not whole although all is calm")
                }
            } catch {
                world.expect(!isLast, "no list although all is calm: \(error)")
            }
            // A beginning that cannot be read is an error here, and is replaced by the next load.
            if let saved = try? await list.saved() { server.judge(saved.value, "\(process.name), saved") }
            if isLast { return }
            try await world.clock.sleep(for: random.duration(in: .milliseconds(1) ... .seconds(30)))
        }
    }
}

/// An item, and the version of the list in whose answer it came.
struct ListItem: Codable, Sendable, Identifiable {
    let id: Int
    let version: Int
}

struct ListPage: Codable {
    let items: [ListItem]
    let next: String?
}

/// A server of a list in pages of four, newest first. It knows each version of its list.
final class ListServer: @unchecked Sendable {
    // One thread at a time runs in a simulation.
    private let world: Simulation
    private var versions: [[Int]]
    /// Called with the version of each answer.
    var whenAnswered: (Int) -> Void = { _ in }

    init(_ world: Simulation) {
        self.world = world
        versions = [(1...world.random.int(in: 1...20)).map { $0 * 100 }.reversed()]
    }

    /// Adds new items, adds one between others, or deletes one.
    func change() {
        var items = versions.last ?? []
        switch world.random.int(in: 0...3) {
        case 0: for _ in 0..<world.random.int(in: 1...9) { items.insert((items.first ?? 0) + 100, at: 0) }
        case 1: items.append(world.random.int(in: 1...3000))
        default: if let gone = world.random.element(of: items) { items.removeAll { $0 == gone } }
        }
        versions.append(Set(items).sorted(by: >))
        world.note("the list has version \(versions.count - 1)")
    }

    func answer(_ request: SimulatedNetwork.Request) async -> SimulatedNetwork.Answer {
        try? await world.clock.sleep(for: world.random.duration(in: .microseconds(10) ... .milliseconds(50)))
        let query = URLComponents(url: request.url, resolvingAgainstBaseURL: false)?.queryItems
        let after = query?.first { $0.name == "after" }?.value.flatMap { Int($0) } ?? .max
        let version = versions.count - 1
        whenAnswered(version)
        let rest = versions[version].filter { $0 < after }
        let items = rest.prefix(4).map { ListItem(id: $0, version: version) }
        let next = rest.count > 4 ? items.last.map { "\($0.id)" } : nil
        guard let body = try? JSONEncoder().encode(ListPage(items: items, next: next)) else {
            return .init(status: 500)
        }
        return .init(headers: ["Content-Type": "application/json"], body: body)
    }

    /// Looks for items that are shown twice, and for neighbours that had an item between them in both their versions.
    func judge(_ list: PagedList<ListItem>, _ reader: String) {
        let shown = list.allItems.map(\.id)
        world.expect(Set(shown).count == shown.count, "\(reader) shows an item twice: \(shown)")
        var last: ListItem?
        for page in list.pages {
            if page.gap != nil { last = nil }
            for item in page.items {
                if let last {
                    world.expect(last.id > item.id, "\(reader) shows \(item.id) after \(last.id)")
                    let between = Set(versions[last.version]).intersection(versions[item.version]).subtracting(shown)
                    let missing = between.filter { $0 < last.id && $0 > item.id }
                    world.expect(
                        missing.isEmpty, "\(reader) shows \(last.id) beside \(item.id), without \(missing.sorted())")
                }
                last = item
            }
        }
    }
}
