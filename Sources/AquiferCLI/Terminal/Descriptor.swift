import Foundation

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// An open file, pipe, terminal or device of the operating system. Writing to it never ends the process.
struct Descriptor: Sendable, Hashable {
    let number: Int32

    static let input = Descriptor(number: 0)
    static let output = Descriptor(number: 1)
    static let errors = Descriptor(number: 2)

    /// True if this is a terminal.
    var isTerminal: Bool { isatty(number) == 1 }

    /// Writes all bytes. A write that is interrupted or partial is continued.
    func write(_ bytes: some DataProtocol) throws(WriteError) {
        for region in bytes.regions {
            try region.withUnsafeBytes { raw in Result { () throws(WriteError) in try writeAll(raw) } }.get()
        }
    }

    private func writeAll(_ bytes: UnsafeRawBufferPointer) throws(WriteError) {
        var done = 0
        while done < bytes.count {
            let rest = UnsafeRawBufferPointer(rebasing: bytes[done...])
            let count = systemWrite(number, rest.baseAddress, rest.count)
            if count > 0 {
                done += count
            } else if count == 0 {
                throw WriteError(code: EIO)
            } else if errno == EAGAIN || errno == EWOULDBLOCK {
                waitUntilWritable()
            } else if errno != EINTR {
                throw WriteError(code: errno)
            }
        }
    }

    /// Waits until the file can be written. Another program may have made a shared pipe or terminal non-blocking.
    private func waitUntilWritable() {
        var wanted = pollfd(fd: number, events: Int16(POLLOUT), revents: 0)
        // The next write reports an error.
        _ = poll(&wanted, 1, -1)
    }
}

/// The error of a failed write.
struct WriteError: Error, Hashable, CustomStringConvertible {
    /// The system's error number.
    let code: Int32

    /// True if the reader of the pipe is gone.
    var isClosedPipe: Bool { code == EPIPE }

    var description: String { String(cString: strerror(code)) }
}

/// The three standard files of every program.
enum StandardFiles {
    /// Makes writing and reading safe, before anything else is opened.
    ///
    /// - A reader that goes away is an error of the write, not a signal that ends the process in the middle of its
    ///   work.
    /// - The number of a closed standard file would go to the first database or socket that is opened, and output would
    ///   be written into it. A closed standard output becomes a pipe that nobody reads. A closed standard input or
    ///   standard error becomes the null device.
    static func prepare() {
        signal(SIGPIPE, SIG_IGN)
        for number: Int32 in 0...2 where fcntl(number, F_GETFD) < 0 && errno == EBADF {
            if number == 1 { becomeUnread(number) } else { becomeNull(number) }
        }
    }

    private static func becomeNull(_ number: Int32) {
        // The system assigns the lowest free number, and all lower numbers are open by now.
        let opened = open("/dev/null", O_RDWR)
        if opened >= 0 && opened != number {
            dup2(opened, number)
            close(opened)
        }
    }

    private static func becomeUnread(_ number: Int32) {
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { return becomeNull(number) }
        // The read end may have been assigned the number itself.
        let writeEnd = dup(ends[1])
        close(ends[0])
        close(ends[1])
        guard writeEnd >= 0 else { return becomeNull(number) }
        if writeEnd != number {
            dup2(writeEnd, number)
            close(writeEnd)
        }
    }
}

private func systemWrite(_ number: Int32, _ bytes: UnsafeRawPointer?, _ count: Int) -> Int {
    #if canImport(Glibc)
        Glibc.write(number, bytes, count)
    #elseif canImport(Musl)
        Musl.write(number, bytes, count)
    #else
        Darwin.write(number, bytes, count)
    #endif
}
