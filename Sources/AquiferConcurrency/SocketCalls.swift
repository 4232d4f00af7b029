#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// Calls of the system for sockets that do not block.
package enum SocketCalls {
    /// The end of a call.
    package enum Transfer {
        /// This many bytes, at least one.
        case done(Int)
        /// Nothing now.
        case later
        /// The other side has closed the connection.
        case closed
        /// The system's words for a failure.
        case failed(String)
    }

    /// Reads what has arrived.
    package static func read(_ descriptor: Int32, into buffer: UnsafeMutableRawBufferPointer) -> Transfer {
        transfer { recv(descriptor, buffer.baseAddress, buffer.count, 0) }
    }

    /// Writes what the system takes now. No signal tells that the other side is gone.
    package static func write(_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer) -> Transfer {
        #if canImport(Darwin)
            let options: Int32 = 0
        #else
            let options = Int32(MSG_NOSIGNAL)
        #endif
        return transfer { send(descriptor, bytes.baseAddress, bytes.count, options) }
    }

    /// The number of bytes that the system holds of what was sent, because the other side has not confirmed them; `nil` if it does not say.
    package static func unconfirmed(_ descriptor: Int32) -> Int? {
        var count: Int32 = -1
        #if canImport(Darwin)
            var length = socklen_t(MemoryLayout<Int32>.size)
            let isKnown = getsockopt(descriptor, SOL_SOCKET, SO_NWRITE, &count, &length) == 0
        #else
            let isKnown = ioctl(descriptor, UInt(TIOCOUTQ), &count) == 0
        #endif
        return isKnown && count >= 0 ? Int(count) : nil
    }

    /// Waits until there is something to read, the connection has ended, or the time is over.
    ///
    /// - Returns: false if the time is over.
    package static func waitToRead(_ descriptor: Int32, milliseconds: Int32) -> Bool {
        var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        // An interrupted wait is as good as an answer: the caller looks, and waits again.
        return poll(&entry, 1, milliseconds) != 0
    }

    /// Waits until there is something to read from one of two descriptors, or the time is over.
    package static func waitToRead(
        _ first: Int32, or second: Int32, milliseconds: Int32
    ) -> (first: Bool, second: Bool) {
        let both = (first, second)
        return withUnsafeTemporaryAllocation(of: pollfd.self, capacity: 2) { entries in
            entries.initializeElement(at: 0, to: pollfd(fd: both.0, events: Int16(POLLIN), revents: 0))
            entries.initializeElement(at: 1, to: pollfd(fd: both.1, events: Int16(POLLIN), revents: 0))
            guard let start = entries.baseAddress, poll(start, 2, milliseconds) > 0 else { return (false, false) }
            return (entries[0].revents != 0, entries[1].revents != 0)
        }
    }

    private static func transfer(_ call: () -> Int) -> Transfer {
        while true {
            let count = call()
            if count > 0 { return .done(count) }
            if count == 0 { return .closed }
            if errno == EINTR { continue }
            return errno == EAGAIN || errno == EWOULDBLOCK ? .later : .failed(String(cString: strerror(errno)))
        }
    }

    /// Lets reads and writes return at once.
    ///
    /// - Returns: false if the system refuses.
    package static func stopBlocking(_ descriptor: Int32) -> Bool {
        let flags = fcntl(descriptor, F_GETFL)
        guard flags >= 0 && fcntl(descriptor, F_SETFL, flags | O_NONBLOCK) == 0 else { return false }
        #if canImport(Darwin)
            // A pipe has no such option, and needs none.
            var on: Int32 = 1
            _ = setsockopt(descriptor, SOL_SOCKET, SO_NOSIGPIPE, &on, socklen_t(MemoryLayout<Int32>.size))
        #endif
        return true
    }

    /// Keeps the descriptor from the programs that this process starts.
    ///
    /// - Returns: false if the system refuses.
    package static func keepToItself(_ descriptor: Int32) -> Bool { fcntl(descriptor, F_SETFD, FD_CLOEXEC) == 0 }
}
