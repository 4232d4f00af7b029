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
        for end in ends { _ = SocketCalls.stopBlocking(end) && SocketCalls.keepToItself(end) }
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
}
