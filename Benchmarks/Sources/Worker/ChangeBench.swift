import Aquifer
import AquiferSQLite
import Foundation

/// The cost of changes that wait: to queue one, to lay many over a list, and to show one to many followers.
final class ChangeBench {
    private static let rows = 10_000

    private let folder: URL
    private var list: (plain: Resource<Rows>, edited: EditableResource<RowChange>, cache: Cache<Rows>)?
    private var number = 0

    init(folder: URL) {
        self.folder = folder
    }

    /// The seconds of a piece of work; for `followers`, the median and the 99th percentile of the delays.
    func run(_ work: String, _ count: Int) async throws -> [Double] {
        switch work {
        case "enqueue": return [try await enqueue(count)]
        case "decode", "plain", "laid": return [try await show(work, count)]
        case "followers": return try await followers(1_000, count)
        default: throw Bench.Unknown(words: [work])
        }
    }

    // MARK: To disk

    /// Queues changes of 1 kB, each of which survives a loss of power.
    private func enqueue(_ count: Int) async throws -> Double {
        number += 1
        let store = try SQLiteStore(file: folder.appending(path: "changes-\(number).sqlite"), durability: .power)
        let outbox = Outbox(in: store, client: NoClient())
        let request = HTTPRequest(.post, URL(filePath: "/"), body: .bytes(Data(repeating: 97, count: 700)))
        var posted = request
        posted.url = URL(string: "http://bench.example/") ?? request.url
        try await outbox.enqueue(posted, group: "warm")
        let start = ContinuousClock.now
        for _ in 0..<count { try await outbox.enqueue(posted, group: "bench") }
        return (ContinuousClock.now - start) / .seconds(1)
    }

    // MARK: Over a list

    /// The time from the save of a list to its delivery, without changes and with one for each row; or that of decoding it.
    private func show(_ work: String, _ count: Int) async throws -> Double {
        let (plain, edited, cache) = try await prepared()
        var seconds = 0.0
        var updates = (work == "laid" ? edited.resource : plain).updates.makeAsyncIterator()
        _ = await updates.next()
        for _ in 0..<count {
            number += 1
            let start = ContinuousClock.now
            if work == "decode" {
                _ = try await cache.load()
            } else {
                try await cache.save(Rows.sample(Self.rows, number))
                while let state = await updates.next(), state?.value.stamp != number {}
            }
            seconds += (ContinuousClock.now - start) / .seconds(1)
        }
        return seconds / Double(count)
    }

    private func prepared() async throws -> (Resource<Rows>, EditableResource<RowChange>, Cache<Rows>) {
        if let list { return list }
        let store = MemoryStore()
        let cache = Cache<Rows>(key: "rows", in: store)
        try await cache.save(Rows.sample(Self.rows, 0))
        let nowhere = HTTPRequest(.get, URL(filePath: "/"))
        let remote = RemoteLoader<Rows>(nowhere, client: NoClient()) { _, _ in Rows.sample(0, 0) }
        let plain = Resource(remote: remote, cache: cache)
        let edited = EditableResource<RowChange>(
            Resource(remote: remote, cache: cache), empty: Rows.sample(0, 0),
            outbox: Outbox(in: MemoryStore(), client: NoClient()))
        for row in 0..<Self.rows { try await edited.change(RowChange(row: row, title: "changed \(row)")) }
        let new = (plain, edited, cache)
        list = new
        return new
    }

    // MARK: To followers

    /// The delays from the beginning of a change, which is kept on disk first, to its delivery at each follower.
    private func followers(_ followers: Int, _ count: Int) async throws -> [Double] {
        number += 1
        let store = try SQLiteStore(file: folder.appending(path: "followed-\(number).sqlite"))
        let cache = Cache<[Int]>(key: "ticks", in: MemoryStore())
        try await cache.save([])
        let nowhere = HTTPRequest(.get, URL(filePath: "/"))
        let remote = RemoteLoader<[Int]>(nowhere, client: NoClient()) { _, _ in [] }
        let ticks = EditableResource<TickChange>(
            Resource(remote: remote, cache: cache), empty: [], outbox: Outbox(in: store, client: NoClient()))
        return try await withThrowingTaskGroup(of: [Double].self) { group in
            let (ready, readiness) = AsyncStream<Void>.makeStream()
            for _ in 0..<followers {
                group.addTask {
                    var (delays, last) = ([Double](), 0)
                    for await case let state? in ticks.updates {
                        if state.value.isEmpty { readiness.yield() }
                        guard let began = state.value.last, began != last else { continue }
                        last = began
                        if state.value.count > count { break }
                        delays.append(Double(Tick.now() - began) / 1e9)
                    }
                    return delays
                }
            }
            var waiting = ready.makeAsyncIterator()
            for _ in 0..<followers { await waiting.next() }
            for _ in 0...count {
                try await Task.sleep(for: .milliseconds(15))
                try await ticks.change(TickChange(beganAt: Tick.now()))
            }
            var all: [Double] = []
            for try await delays in group { all += delays }
            return Delays.percentiles(all)
        }
    }
}

/// A list whose rows are found by their number.
struct Rows: Codable, Sendable {
    struct Row: Codable, Sendable {
        var id: Int
        var title: String
        var author: String
        var url: String
    }

    var stamp: Int
    var rows: [Row]

    static func sample(_ count: Int, _ stamp: Int) -> Rows {
        Rows(
            stamp: stamp,
            rows: (0..<count).map {
                Row(id: $0, title: "row \($0)", author: "somebody", url: "http://bench.example/rows/\($0)")
            })
    }
}

struct RowChange: PendingChange {
    struct NoSuchRow: Error {}

    var row: Int
    var title: String

    var target: String { "\(row)" }

    func apply(to rows: inout Rows) throws {
        guard rows.rows.indices.contains(row) else { throw NoSuchRow() }
        rows.rows[row].title = title
    }

    func request(version: String?) throws -> HTTPRequest {
        guard let url = URL(string: "http://bench.example/rows/\(row)") else { throw NoSuchRow() }
        return HTTPRequest(.put, url, body: .bytes(Data(title.utf8)))
    }
}

struct TickChange: PendingChange {
    var beganAt: Int

    var target: String { "\(beganAt)" }

    func apply(to ticks: inout [Int]) throws {
        if !ticks.contains(beganAt) { ticks.append(beganAt) }
    }

    func request(version: String?) throws -> HTTPRequest {
        guard let url = URL(string: "http://bench.example/ticks") else { throw RowChange.NoSuchRow() }
        return HTTPRequest(.post, url, body: .bytes(Data("\(beganAt)".utf8)))
    }
}
