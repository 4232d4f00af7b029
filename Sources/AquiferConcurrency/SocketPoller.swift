#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// Waits for sockets, a moment or an awakening. Everything but `wake` is for the loop's thread.
package final class SocketPoller: @unchecked Sendable {
    private let awakening: WakePipe
    private var entries: [pollfd] = []
    private var ready: Set<Int32> = []

    /// - Throws: the system's error when there is no descriptor left for it.
    package init() throws(SystemThread.Unavailable) { awakening = try WakePipe() }

    /// Ends the waiting. May be called from any thread.
    package func wake() { awakening.wake() }

    /// Waits until a socket can be read, or written to where that is asked for, or for this long.
    package func wait(watching sockets: [(descriptor: Int32, writes: Bool)], milliseconds: Int32) {
        entries = [pollfd(fd: awakening.descriptor, events: Int16(POLLIN), revents: 0)]
        for (descriptor, writes) in sockets {
            entries.append(pollfd(fd: descriptor, events: Int16(POLLIN) | (writes ? Int16(POLLOUT) : 0), revents: 0))
        }
        ready = []
        guard poll(&entries, nfds_t(entries.count), milliseconds) > 0 else { return }
        for entry in entries.dropFirst() where entry.revents != 0 { ready.insert(entry.fd) }
        if entries[0].revents != 0 { awakening.drain() }
    }

    /// True if the last waiting ended with this socket, among others.
    package func isReady(_ descriptor: Int32) -> Bool { ready.contains(descriptor) }
}
