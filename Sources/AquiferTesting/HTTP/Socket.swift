import Foundation

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// The few things that POSIX sockets need and that differ between systems.
enum Socket {
    /// The last error of a socket function.
    static var error: POSIXError { POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }

    /// A socket that listens on a free port of 127.0.0.1.
    static func listen() throws -> (socket: Int32, port: Int) {
        #if canImport(Darwin)
            let listener = socket(AF_INET, SOCK_STREAM, 0)
        #else
            let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        #endif
        guard listener >= 0 else { throw error }
        var address = loopback(port: 0)
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isListening = withUnsafeMutablePointer(to: &address) { address in
            address.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                bind(listener, address, size) == 0 && listenQueue(listener)
                    && getsockname(listener, address, &size) == 0
            }
        }
        guard isListening else {
            defer { close(listener) }
            throw error
        }
        return (listener, Int(UInt16(bigEndian: address.sin_port)))
    }

    /// Connects to a port of 127.0.0.1, and closes the connection at once.
    ///
    /// - Returns: false if nobody listens there.
    @discardableResult
    static func knock(port: Int) -> Bool {
        #if canImport(Darwin)
            let caller = socket(AF_INET, SOCK_STREAM, 0)
        #else
            let caller = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        #endif
        guard caller >= 0 else { return false }
        defer { close(caller) }
        var address = loopback(port: UInt16(truncatingIfNeeded: port))
        return withUnsafePointer(to: &address) { address in
            address.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                connect(caller, address, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
            }
        }
    }

    private static func loopback(port: UInt16) -> sockaddr_in {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = in_addr_t(0x7F00_0001).bigEndian
        address.sin_port = port.bigEndian
        return address
    }

    private static func listenQueue(_ socket: Int32) -> Bool {
        #if canImport(Darwin)
            Darwin.listen(socket, 1024) == 0
        #else
            Glibc.listen(socket, 1024) == 0
        #endif
    }

    /// Makes writes return instead of waiting or raising SIGPIPE, and the kernel hold little.
    static func prepare(_ socket: Int32) {
        set(socket, SOL_SOCKET, SO_SNDBUF, Int32(64 << 10))
        set(socket, Int32(IPPROTO_TCP), TCP_NODELAY, Int32(1))
        #if canImport(Darwin)
            set(socket, SOL_SOCKET, SO_NOSIGPIPE, Int32(1))
        #endif
        _ = fcntl(socket, F_SETFL, fcntl(socket, F_GETFL) | O_NONBLOCK)
    }

    /// Makes closing the socket a reset.
    static func resetOnClose(_ socket: Int32) {
        set(socket, SOL_SOCKET, SO_LINGER, linger(l_onoff: 1, l_linger: 0))
    }

    /// True if the socket became ready (or broke) in time.
    static func wait(_ socket: Int32, for events: Int32, within time: Duration) throws -> Bool {
        var entry = pollfd(fd: socket, events: Int16(events), revents: 0)
        while true {
            let count = poll(&entry, 1, time.milliseconds(in: 0...Int32.max))
            if count >= 0 { return count > 0 }
            guard errno == EINTR else { throw error }
        }
    }

    /// Writes what the socket takes now; negative on failure.
    static func write(_ socket: Int32, _ bytes: UnsafeRawBufferPointer) -> Int {
        #if canImport(Darwin)
            Darwin.send(socket, bytes.baseAddress, bytes.count, 0)
        #else
            Glibc.send(socket, bytes.baseAddress, bytes.count, Int32(MSG_NOSIGNAL))
        #endif
    }

    private static func set<Value>(_ socket: Int32, _ level: Int32, _ option: Int32, _ value: Value) {
        // A socket that refuses an option is slower or louder, not wrong.
        _ = withUnsafeBytes(of: value) { setsockopt(socket, level, option, $0.baseAddress, socklen_t($0.count)) }
    }
}
