#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// A pipe that ends a thread's waiting for sockets: a byte in it wakes the thread.
package final class WakePipe: Sendable {
    /// The end to wait for. It can be read after ``wake()``.
    package let descriptor: Int32
    private let alarm: Int32

    /// - Throws: the system's error when there is no descriptor left.
    package init() throws(SystemThread.Unavailable) {
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { throw SystemThread.Unavailable(code: errno) }
        for end in ends {
            _ = fcntl(end, F_SETFL, O_NONBLOCK)
            _ = fcntl(end, F_SETFD, FD_CLOEXEC)
        }
        (descriptor, alarm) = (ends[0], ends[1])
    }

    deinit {
        close(descriptor)
        close(alarm)
    }

    /// Wakes the thread that waits. May be called from any thread.
    package func wake() {
        var byte: UInt8 = 1
        // A full pipe wakes as well as one byte more.
        _ = write(alarm, &byte, 1)
    }

    /// Takes out what has woken the thread. Call it before looking for what there is to do.
    package func drain() {
        var bytes = [UInt8](repeating: 0, count: 64)
        while read(descriptor, &bytes, bytes.count) == bytes.count {}
    }

    /// The milliseconds until a moment, as `poll` takes them: 0 if it has passed, an hour at most.
    package static func milliseconds(until moment: ContinuousClock.Instant) -> Int32 {
        let (seconds, attoseconds) = (moment - .now).components
        // Rounded up: a moment too early is a turn for nothing.
        let milliseconds = seconds * 1000 + (attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000
        return Int32(min(max(milliseconds, 0), 3_600_000))
    }
}
