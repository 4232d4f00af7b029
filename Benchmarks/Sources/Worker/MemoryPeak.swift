import Foundation

#if canImport(Glibc)
    import Glibc
#endif

/// The memory that a piece of work needs beyond what the process had before it.
struct MemoryPeak {
    /// The bytes by which the resident memory rose at most.
    let peak: Double
    /// The bytes by which it is higher after the work: the result, and what the process keeps beside it.
    let rest: Double

    /// Carries out work, and measures it.
    ///
    /// Memory that earlier work has freed is given back first, and the kernel's mark of the peak is set back. Only Linux has one.
    static func beyondRest<Result>(_ work: () async throws -> Result) async throws -> MemoryPeak {
        trim()
        try Data("5".utf8).write(to: URL(filePath: "/proc/self/clear_refs"))
        let before = try bytes("VmRSS:")
        let result = try await work()
        let peak = try bytes("VmHWM:") - before
        trim()
        let rest = try bytes("VmRSS:") - before
        withExtendedLifetime(result) {}
        return MemoryPeak(peak: max(0, peak), rest: max(0, rest))
    }

    /// Gives memory that was freed back to the system.
    private static func trim() {
        #if canImport(Glibc)
            // Its header is in no module.
            typealias Trim = @convention(c) (Int) -> Int32
            if let trim = dlsym(nil, "malloc_trim") { _ = unsafeBitCast(trim, to: Trim.self)(0) }
        #endif
    }

    private static func bytes(_ name: String) throws -> Double {
        let status = try String(contentsOf: URL(filePath: "/proc/self/status"), encoding: .utf8)
        guard let line = status.split(separator: "\n").first(where: { $0.hasPrefix(name) }),
            let kibibytes = line.split(whereSeparator: \.isWhitespace).dropFirst().first.flatMap({ Double($0) })
        else { throw Bench.Unknown(words: ["no \(name) in /proc/self/status"]) }
        return kibibytes * 1_024
    }
}
