import Aquifer
import AquiferPostgres
import AquiferRedis
import Foundation

/// A store on a server, with entries of one size: one call after the other, or several callers at once.
final class SharedBench: Sendable {
    private let store: any CacheStore
    private let keys: Int
    /// The seven values are written in turn, so that each replaces other bytes.
    private let values: [Data]
    private let size: Int
    private let now = Date()

    init(_ engine: String, size: Int, address: String) async throws {
        switch engine {
        case "postgres": store = try await PostgresStore(address)
        case "redis": store = try RedisStore(address)
        case "hop": store = HopStore(size: size)
        default: throw Bench.Unknown(words: [engine])
        }
        keys = max(16, min(1000, (16 << 20) / size))
        self.size = size
        values = (0..<7).map { number in
            Data((0..<size).map { UInt8(truncatingIfNeeded: ($0 &+ number) &* 31 &+ ($0 >> 8)) })
        }
        for turn in 0..<keys { try await put(turn) }
    }

    /// The seconds of one call: the whole time, divided by the number of calls.
    func run(_ work: String, _ width: Int, _ count: Int) async throws -> Double {
        let each = count / width
        let start = ContinuousClock.now
        try await withThrowingTaskGroup(of: Void.self) { group in
            for caller in 0..<width {
                group.addTask {
                    for number in 0..<each {
                        let turn = number * width + caller
                        if work == "retrieve" { try await self.get(turn) } else { try await self.put(turn) }
                    }
                }
            }
            try await group.waitForAll()
        }
        return (ContinuousClock.now - start) / .seconds(1) / Double(each * width)
    }

    /// Visits the keys in an order that is neither theirs nor random from run to run.
    private func key(_ turn: Int) -> String { "\(size)/k\(turn * 7919 % keys)" }

    private func put(_ turn: Int) async throws {
        try await store.insert(StoredEntry(bytes: values[turn % values.count], savedAt: now), for: key(turn))
    }

    private func get(_ turn: Int) async throws {
        guard try await store.retrieve(key(turn))?.bytes.count == size else {
            throw Bench.Unknown(words: [key(turn), "is not there"])
        }
    }
}
