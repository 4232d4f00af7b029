import Foundation

#if canImport(Glibc)
    import Glibc
#endif

/// The memory that a piece of work needs beyond what the process had before it, at its peak.
enum MemoryPeak {
    /// Carries out work, and returns the bytes by which the resident memory rose at most.
    ///
    /// Memory that earlier work has freed is given back first, and the kernel's mark of the peak is set back. Only Linux has one.
    static func beyondRest(_ work: () async throws -> Void) async throws -> Double {
        #if canImport(Glibc)
            // Its header is in no module.
            typealias Trim = @convention(c) (Int) -> Int32
            if let trim = dlsym(nil, "malloc_trim") { _ = unsafeBitCast(trim, to: Trim.self)(0) }
        #endif
        try Data("5".utf8).write(to: URL(filePath: "/proc/self/clear_refs"))
        let before = try bytes("VmRSS:")
        try await work()
        return max(0, try bytes("VmHWM:") - before)
    }

    private static func bytes(_ name: String) throws -> Double {
        let status = try String(contentsOf: URL(filePath: "/proc/self/status"), encoding: .utf8)
        guard let line = status.split(separator: "\n").first(where: { $0.hasPrefix(name) }),
            let kibibytes = line.split(whereSeparator: \.isWhitespace).dropFirst().first.flatMap({ Double($0) })
        else { throw Bench.Unknown(words: ["no \(name) in /proc/self/status"]) }
        return kibibytes * 1_024
    }
}
