import Aquifer
import AquiferTesting
import Foundation

/// A server of large files, which change from time to time. It serves ranges, and sometimes does not.
final class FilesServer: @unchecked Sendable {
    // One thread at a time runs in a simulation.
    private let world: Simulation
    /// For each file, its versions: the bytes, and when they became the latest.
    private(set) var versions: [String: [(bytes: Data, begun: Date)]] = [:]
    /// A planted bug: it takes every `If-Range` for the latest.
    private var mixes: Bool { world.switches.contains("mixing") }
    private let servesRanges: Bool

    init(_ world: Simulation, files: [String]) {
        self.world = world
        servesRanges = world.random.chance(0.8)
        for file in files { change(file) }
    }

    /// Gives a file a new version.
    func change(_ file: String) {
        let number = versions[file]?.count ?? 0
        let size = [1, 4096, 262_144, 300_000, 600_000][world.random.int(in: 0...4)]
        let start = UInt8(truncatingIfNeeded: 37 &* (number + 1))
        var bytes = [UInt8](repeating: start, count: size)
        // Each block differs from its neighbours, and from the same block of other versions.
        for place in stride(from: 0, to: size, by: 4096) {
            bytes[place] = start &+ UInt8(truncatingIfNeeded: place >> 12)
        }
        versions[file, default: []].append((Data(bytes), world.date))
        world.note("\(file) has version \(number), \(size) bytes")
    }

    func answer(_ request: SimulatedNetwork.Request) async -> SimulatedNetwork.Answer {
        try? await world.clock.sleep(for: world.random.duration(in: .microseconds(10) ... .milliseconds(50)))
        let file = request.url.lastPathComponent
        guard let all = versions[file], let bytes = all.last?.bytes else { return .init(status: 404) }
        let etag = "\"\(file)-\(all.count - 1)\""
        var headers: HTTPHeaders = ["ETag": etag, "Content-Type": "application/octet-stream"]
        if request.headers["If-None-Match"] == etag { return .init(status: 304, headers: headers) }
        let isSame = request.headers["If-Range"].map { $0 == etag || mixes } ?? true
        guard servesRanges, isSame, let start = Self.start(of: request.headers["Range"]) else {
            return .init(headers: headers, body: bytes)
        }
        guard start < bytes.count else {
            headers["Content-Range"] = "bytes */\(bytes.count)"
            return .init(status: 416, headers: headers)
        }
        headers["Content-Range"] = "bytes \(start)-\(bytes.count - 1)/\(bytes.count)"
        return .init(status: 206, headers: headers, body: bytes.subdata(in: start..<bytes.count))
    }

    /// The first byte of `bytes=N-`.
    private static func start(of range: String?) -> Int? {
        guard let range, range.hasPrefix("bytes="), range.hasSuffix("-") else { return nil }
        return Int(range.dropFirst("bytes=".count).dropLast())
    }
}
