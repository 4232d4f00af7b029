import Foundation
import Testing

#if os(Linux)
    /// The most memory that this process has had at once, in bytes.
    func peakMemory() throws -> Int {
        let status = try String(contentsOfFile: "/proc/self/status", encoding: .utf8)
        let line = try #require(status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") })
        return try #require(Int(line.split(separator: " ")[1])) * 1024
    }

    /// Lets this process open exactly one more descriptor, until the returned limit is restored. Call it in a process
    /// of its own.
    func exhaustDescriptors() throws -> rlimit {
        var limit = rlimit()
        try #require(getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0)
        // libdispatch looks at its threads in /proc now and then, and traps if it cannot: the one descriptor is for
        // that.
        let next = open("/dev/null", O_RDONLY | O_CLOEXEC)
        try #require(next >= 0)
        close(next)
        var none = rlimit(rlim_cur: rlim_t(next) + 1, rlim_max: limit.rlim_max)
        try #require(setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &none) == 0)
        return limit
    }

    func restoreDescriptors(_ limit: rlimit) throws {
        var limit = limit
        try #require(setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0)
    }

    /// True if the size of this process can be bounded: a sanitizer has mapped nearly all of the address space.
    let canBoundAddressSpace: Bool = (try? addressSpace()).map { $0 < 1 << 40 } ?? false

    /// The part of the address space that this process has mapped, in bytes.
    private func addressSpace() throws -> UInt {
        let status = try String(contentsOfFile: "/proc/self/status", encoding: .utf8)
        let line = try #require(status.split(separator: "\n").first { $0.hasPrefix("VmSize:") })
        return try #require(UInt(line.split(whereSeparator: \.isWhitespace)[1])) * 1024
    }

    /// Keeps this process from starting threads, until the returned limit is restored. Call it in a process of its own.
    func exhaustThreads() throws -> rlimit {
        var limit = rlimit()
        try #require(getrlimit(__rlimit_resource_t(RLIMIT_AS.rawValue), &limit) == 0)
        let size = try addressSpace()
        // A stack takes 8 MiB; everything small still fits.
        var none = rlimit(rlim_cur: rlim_t(size + (4 << 20)), rlim_max: limit.rlim_max)
        try #require(setrlimit(__rlimit_resource_t(RLIMIT_AS.rawValue), &none) == 0)
        // Stacks of threads that have ended are used again: threads are started until there are none of these either.
        var thread = pthread_t()
        while pthread_create(&thread, nil, { _ in while true { pause() } }, nil) == 0 {}
        return limit
    }

    func restoreThreads(_ limit: rlimit) throws {
        var limit = limit
        try #require(setrlimit(__rlimit_resource_t(RLIMIT_AS.rawValue), &limit) == 0)
    }
#endif
