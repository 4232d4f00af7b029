import AquiferConcurrency
import AquiferFoundation

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// Waits for sockets, a moment or an awakening. Everything but `wake` is for the loop's thread.
final class Poller: @unchecked Sendable {
    /// The ends of a pipe: a byte in it ends the waiting.
    private let (awakening, alarm): (Int32, Int32)
    private var entries: [pollfd] = []
    private var ready: Set<Int32> = []

    /// - Throws: the system's error when there is no descriptor left for it.
    init() throws(SystemThread.Unavailable) {
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { throw SystemThread.Unavailable(code: errno) }
        for end in ends {
            _ = fcntl(end, F_SETFL, O_NONBLOCK)
            _ = fcntl(end, F_SETFD, FD_CLOEXEC)
        }
        (awakening, alarm) = (ends[0], ends[1])
    }

    deinit {
        close(awakening)
        close(alarm)
    }

    /// Ends the waiting. May be called from any thread.
    func wake() {
        var byte: UInt8 = 1
        // A full pipe wakes as well as one byte more.
        _ = write(alarm, &byte, 1)
    }

    /// Waits until a socket can be read, or written to where that is asked for, or until a moment.
    func wait(watching sockets: [(descriptor: Int32, writes: Bool)], upTo moment: ContinuousClock.Instant) {
        let (seconds, attoseconds) = (moment - .now).components
        // Rounded up: a moment too early is a turn for nothing.
        let milliseconds = seconds * 1000 + (attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000
        entries = [pollfd(fd: awakening, events: Int16(POLLIN), revents: 0)]
        for (descriptor, writes) in sockets {
            entries.append(pollfd(fd: descriptor, events: Int16(POLLIN) | (writes ? Int16(POLLOUT) : 0), revents: 0))
        }
        ready = []
        guard poll(&entries, nfds_t(entries.count), Int32(min(max(milliseconds, 0), 3_600_000))) > 0 else { return }
        for entry in entries.dropFirst() where entry.revents != 0 { ready.insert(entry.fd) }
        if entries[0].revents != 0 {
            var bytes = [UInt8](repeating: 0, count: 64)
            while read(awakening, &bytes, bytes.count) == bytes.count {}
        }
    }

    /// True if the last waiting ended with this socket, among others.
    func isReady(_ descriptor: Int32) -> Bool { ready.contains(descriptor) }
}
