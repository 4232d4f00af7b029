import Aquifer
import AquiferSQLite
import Foundation

/// One way of keeping bytes under keys, with entries of one size.
final class StoreBench {
    /// A store, or the plain files that people use without one.
    private enum Engine {
        case store(any CacheStore)
        case plain(URL)
    }

    private let engine: Engine
    private let keys: Int
    private var fresh = 0
    private var turn = 0
    private var written = 0
    /// The seven values are written in turn, so that each replaces other bytes: SQLite does not write bytes that have
    /// not changed.
    private let values: [Data]
    private let size: Int
    private let now = Date()

    init(_ name: String, size: Int, folder: URL) async throws {
        let place = folder.appending(path: "\(name)-\(size)", directoryHint: .isDirectory)
        engine =
            switch name {
            case "sqlite": .store(try SQLiteStore(file: place.appending(path: "store.sqlite")))
            case "file": .store(try FileStore(directory: place))
            case "memory": .store(MemoryStore())
            case "tiered":
                .store(
                    TieredStore(
                        memory: .megabytes(64), over: try SQLiteStore(file: place.appending(path: "store.sqlite"))))
            case "plain": .plain(place)
            default: throw Bench.Unknown(words: [name])
            }
        if case .plain = engine {
            try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
        }
        keys = max(16, min(1000, (16 << 20) / size))
        self.size = size
        values = (0..<7).map { number in
            Data((0..<size).map { UInt8(truncatingIfNeeded: ($0 &+ number) &* 31 &+ ($0 >> 8)) })
        }
        for key in 0..<keys { try await put("k\(key)") }
        // Entries are read a while after they were written: SQLiteStore has moved them out of its log by then.
        try await Task.sleep(for: .milliseconds(300))
    }

    func run(_ work: String, _ count: Int) async throws -> Double {
        switch work {
        case "insert":
            return try await secondsEach(count) {
                fresh += 1
                try await put("n\(fresh)")
            }
        case "replace": return try await secondsEach(count) { try await put(nextKey()) }
        case "retrieve": return try await secondsEach(count) { try await get(nextKey()) }
        case "main":
            guard case .store(let store) = engine else { throw Bench.Unknown(words: [work]) }
            return try await Self.onMainActor(store, (0..<count).map { _ in nextKey() }, size)
        default: throw Bench.Unknown(words: [work])
        }
    }

    /// Retrieves as a screen does.
    @MainActor
    private static func onMainActor(_ store: any CacheStore, _ keys: [String], _ size: Int) async throws -> Double {
        let start = ContinuousClock.now
        for key in keys {
            guard try await store.retrieve(key)?.bytes.count == size else {
                throw Bench.Unknown(words: [key, "is not there"])
            }
        }
        return (ContinuousClock.now - start) / .seconds(1) / Double(keys.count)
    }

    /// Visits the keys in an order that is neither theirs nor random from run to run.
    private func nextKey() -> String {
        turn += 1
        return "k\(turn * 7919 % keys)"
    }

    private func put(_ key: String) async throws {
        written += 1
        let bytes = values[written % values.count]
        switch engine {
        case .store(let store): try await store.insert(StoredEntry(bytes: bytes, savedAt: now), for: key)
        case .plain(let folder): try bytes.write(to: folder.appending(path: key), options: .atomic)
        }
    }

    private func get(_ key: String) async throws {
        let found =
            switch engine {
            case .store(let store): try await store.retrieve(key)?.bytes.count
            case .plain(let folder): try Data(contentsOf: folder.appending(path: key)).count
            }
        guard found == size else { throw Bench.Unknown(words: [key, "is not there"]) }
    }
}
