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
    private var ready: [Int32] = []

    /// - Throws: the system's error when there is no descriptor left for it.
    package init() throws(SystemThread.Unavailable) { awakening = try WakePipe() }

    /// Ends the waiting. May be called from any thread.
    package func wake() { awakening.wake() }

    /// The event of a socket that is waited for.
    package enum Interest {
        /// Its end, and nothing that arrives before.
        case end
        /// Something to read.
        case reading
        /// Something to read, or room to write.
        case writing

        var events: Int16 {
            switch self {
            #if canImport(Darwin)
                // It tells of the end without being asked.
                case .end: 0
            #else
                case .end: Int16(0x2000)  // POLLRDHUP, which is in the headers for GNU's programs only
            #endif
            case .reading: Int16(POLLIN)
            case .writing: Int16(POLLIN) | Int16(POLLOUT)
            }
        }
    }

    /// Waits until something of the sockets is there, or for this long.
    ///
    /// - Returns: true if something of a socket is there.
    @discardableResult
    package func wait(watching sockets: [(descriptor: Int32, interest: Interest)], milliseconds: Int32) -> Bool {
        entries.removeAll(keepingCapacity: true)
        entries.append(pollfd(fd: awakening.descriptor, events: Int16(POLLIN), revents: 0))
        for (descriptor, interest) in sockets {
            entries.append(pollfd(fd: descriptor, events: interest.events, revents: 0))
        }
        ready.removeAll(keepingCapacity: true)
        guard poll(&entries, nfds_t(entries.count), milliseconds) > 0 else { return false }
        for entry in entries.dropFirst() where entry.revents != 0 { ready.append(entry.fd) }
        if entries[0].revents != 0 { awakening.drain() }
        return !ready.isEmpty
    }

    /// True if the last waiting ended with this socket, among others.
    package func isReady(_ descriptor: Int32) -> Bool { ready.contains(descriptor) }
}
