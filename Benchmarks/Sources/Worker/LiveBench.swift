import Aquifer
import AquiferSQLite
import Foundation

/// How long an update takes to those who follow a value: here, and in another process.
final class LiveBench {
    /// Between two updates, so that each has arrived before the next is saved.
    private static let pause = Duration.milliseconds(15)
    private static let pauseBetweenProcesses = Duration.milliseconds(5)

    private let store: SQLiteStore
    private let shared: SQLiteStore
    private var following: Task<[Double], Never>?

    init(folder: URL) throws {
        store = try SQLiteStore(file: folder.appending(path: "live.sqlite"))
        shared = try SQLiteStore(file: folder.appending(path: "live-shared.sqlite"))
    }

    /// The delays of updates in seconds, from the beginning of the save to the delivery: the median, and the 99th percentile.
    func run(_ work: String, _ updates: Int) async throws -> [Double] {
        switch work {
        case "resource": return try await resource(followers: 1_000, updates)
        case "streams": return try await streams(followers: 1_000, updates)
        case "follow": try await follow(updates)
        case "write":
            try await save(
                updates, every: Self.pauseBetweenProcesses, Cache(key: "tick", in: shared, codec: Tick.codec))
        case "followed": return Delays.percentiles(await following?.value ?? [])
        default: throw Bench.Unknown(words: [work])
        }
        return [0]
    }

    // MARK: In this process

    private func resource(followers: Int, _ updates: Int) async throws -> [Double] {
        let cache = Cache(key: "tick", in: store, codec: Tick.codec)
        try await cache.save(Tick(number: 0))
        let resource = Self.resource(cache)
        return try await Self.delays(of: followers) { _, isReady in
            await Self.follow(resource, updates, isReady)
        } of: {
            try await self.save(updates, every: Self.pause, cache)
        }
    }

    /// The floor: a loop over the continuations of streams, one for each follower.
    private func streams(followers: Int, _ updates: Int) async throws -> [Double] {
        let streams = (0..<followers).map { _ in AsyncStream<Tick>.makeStream(bufferingPolicy: .bufferingNewest(1)) }
        return try await Self.delays(of: followers) { number, isReady in
            var delays = Delays()
            isReady()
            for await tick in streams[number].stream {
                if tick.number > updates { break }
                delays.note(tick)
            }
            return delays.all
        } of: {
            for number in 1...updates + 1 {
                try await Task.sleep(for: Self.pause)
                let tick = Tick(number: number)
                for stream in streams { stream.continuation.yield(tick) }
            }
        }
    }

    /// The delays of all followers, which all follow before the first update.
    private static func delays(
        of followers: Int,
        follow: @escaping @Sendable (_ number: Int, _ isReady: @escaping @Sendable () -> Void) async -> [Double],
        of updates: () async throws -> Void
    ) async throws -> [Double] {
        try await withThrowingTaskGroup(of: [Double].self) { group in
            let (ready, readiness) = AsyncStream<Void>.makeStream()
            for number in 0..<followers { group.addTask { await follow(number) { readiness.yield() } } }
            var waiting = ready.makeAsyncIterator()
            for _ in 0..<followers { await waiting.next() }
            try await updates()
            var all: [Double] = []
            for try await delays in group { all += delays }
            return Delays.percentiles(all)
        }
    }

    // MARK: From another process

    /// Begins to follow what another process saves. Returns when no update can be missed any more.
    private func follow(_ updates: Int) async throws {
        let cache = Cache(key: "tick", in: shared, codec: Tick.codec)
        try await cache.save(Tick(number: 0))
        let resource = Self.resource(cache)
        let (ready, readiness) = AsyncStream<Void>.makeStream()
        let follow: @Sendable () async -> [Double] = {
            await Self.follow(resource, updates) { readiness.yield() }
        }
        following = Task(operation: follow)
        var waiting = ready.makeAsyncIterator()
        await waiting.next()
    }

    // MARK: Both

    private static func resource(_ cache: Cache<Tick>) -> Resource<Tick> {
        let nowhere = HTTPRequest(.get, URL(filePath: "/"))
        return Resource(
            remote: RemoteLoader(nowhere, client: NoClient(), map: { _, _ in Tick(number: 0) }), cache: cache)
    }

    private static func follow(
        _ resource: Resource<Tick>, _ updates: Int, _ isReady: @Sendable () -> Void
    ) async -> [Double] {
        var delays = Delays()
        for await case let tick? in resource.updates {
            if tick.value.number > updates { break }
            if tick.value.number == 0 { isReady() } else { delays.note(tick.value) }
        }
        return delays.all
    }

    /// Saves so many updates, and one that ends the measurement: followers that leave disturb the others.
    private func save(_ updates: Int, every pause: Duration, _ cache: Cache<Tick>) async throws {
        for number in 1...updates + 1 {
            try await Task.sleep(for: pause)
            try await cache.save(Tick(number: number))
        }
    }
}

/// A value that knows when its save began.
struct Tick: Sendable {
    let number: Int
    /// In nanoseconds of the clock that all processes share.
    let beganAt: Int

    init(number: Int) { (self.number, beganAt) = (number, Self.now()) }

    static func now() -> Int {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return Int(time.tv_sec) * 1_000_000_000 + Int(time.tv_nsec)
    }

    private init(bytes: Data) throws {
        let words = String(decoding: bytes, as: UTF8.self).split(separator: " ").compactMap { Int($0) }
        guard words.count == 2 else { throw Bench.Unknown(words: ["a value of \(bytes.count) bytes"]) }
        (number, beganAt) = (words[0], words[1])
    }

    static var codec: CacheCodec<Tick> {
        CacheCodec(encode: { Data("\($0.number) \($0.beganAt)".utf8) }, decode: { try Tick(bytes: $0) })
    }
}

/// The delays of the updates that one follower was told.
struct Delays {
    private(set) var all: [Double] = []
    private var last = 0

    /// Notes an update that has just arrived. Updates that it has replaced count as having arrived now, too: they began earlier, so
    /// that this makes the delay too short, but they are rare.
    mutating func note(_ tick: Tick) {
        let delay = Double(Tick.now() - tick.beganAt) / 1e9
        all += Array(repeating: delay, count: max(1, tick.number - last))
        last = tick.number
    }

    static func percentiles(_ delays: [Double]) -> [Double] {
        let sorted = delays.sorted()
        return sorted.isEmpty ? [] : [sorted[sorted.count / 2], sorted[sorted.count * 99 / 100]]
    }
}
