import Aquifer
import AquiferSQLite
import Foundation
import Hammer

/// The plan that parent and workers share.
enum Plan {
    static let keys = (0..<8).map { "key/\($0)" }

    static func open(_ kind: String, _ path: String) throws -> any CacheStore {
        switch kind {
        case "sqlite": try SQLiteStore(file: URL(fileURLWithPath: path + "/store.db"), patience: .seconds(30))
        case "file": try FileStore(directory: URL(fileURLWithPath: path + "/store"), patience: .seconds(30))
        default: throw Trouble("no store is called \(kind)")
        }
    }

    /// An entry of which every byte follows from key, writer and counter.
    static func entry(key: String, writer: Int, counter: Int) -> StoredEntry {
        let size = [10, 700, 5_000, 40_000, 120_000][(counter &* 7 + writer) % 5]
        var state = UInt64(counter) &* 0x9E37_79B9_7F4A_7C15 ^ UInt64(writer) << 56
        for byte in key.utf8 { state = (state ^ UInt64(byte)) &* 0x100_0000_01B3 }
        var bytes = Data(count: size)
        bytes.withUnsafeMutableBytes { raw in
            for at in raw.indices {
                state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
                raw[at] = UInt8(truncatingIfNeeded: state >> 56)
            }
        }
        return StoredEntry(
            bytes: bytes, savedAt: Date(timeIntervalSinceReferenceDate: Double(counter)),
            validators: Validators(etag: "\(writer) \(counter)"), kind: counter % 2 == 0 ? .value : .data,
            asking: .init(askAt: counter % 3 == 0 ? Date(timeIntervalSinceReferenceDate: Double(counter + 60)) : nil))
    }

    /// The counter of an entry; `nil` unless every byte is its writer's.
    static func counter(of entry: StoredEntry, key: String) -> Int? {
        let parts = (entry.validators.etag ?? "").split(separator: " ").compactMap { Int($0) }
        guard parts.count == 2, entry == Plan.entry(key: key, writer: parts[0], counter: parts[1]) else { return nil }
        return parts[1]
    }
}
