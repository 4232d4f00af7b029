import AquiferConcurrency
import Foundation

/// A network on which a server is reached slowly: it passes on so many bytes, and waits.
final class SlowNetwork: Sendable {
    /// The port at which the server is reached through it.
    let port: UInt16
    private let listening: Int32
    private let accepted = Locked(0)

    struct Failure: Error {}

    /// The number of connections that were made through it.
    var connections: Int { accepted.withLock { $0 } }

    /// - Parameters:
    ///   - server: a port of loopback.
    ///   - piece: the number of bytes that it passes on before each pause, in each direction.
    ///   - pause: microseconds.
    init(to server: UInt16, piece: Int, pause: UInt32) throws {
        let listening = try Self.open()
        self.listening = listening
        // It holds little itself: what it has confirmed, it has nearly passed on. A connection has the sizes of the socket that accepted it.
        var size = Int32(piece)
        setsockopt(listening, SOL_SOCKET, SO_RCVBUF, &size, socklen_t(MemoryLayout<Int32>.size))
        let bound = try Self.withAddress(port: 0) { address, length in
            bind(listening, address, length) == 0 && listen(listening, 16) == 0
                && getsockname(listening, address, &length) == 0
        }
        port = UInt16(bigEndian: bound.sin_port)
        // A thread for each direction of each connection: they are blocked most of the time.
        try SystemThread.start(named: "slow network") { [accepted] in
            while true {
                let near = accept(listening, nil, nil)
                guard near >= 0 else { return }
                accepted.withLock { $0 += 1 }
                guard let far = try? Self.connect(to: server) else {  // The server is away: so is this.
                    close(near)
                    continue
                }
                // A small message is passed on at once.
                for end in [near, far] {
                    var isOn = Int32(1)
                    setsockopt(end, Int32(IPPROTO_TCP), TCP_NODELAY, &isOn, socklen_t(MemoryLayout<Int32>.size))
                }
                let ends = Locked(2)
                for (from, to) in [(near, far), (far, near)] {
                    try? SystemThread.start(named: "slow network") {  // without a thread, the test fails
                        Self.pass(from, to, piece, pause)
                        for end in [near, far] { shutdown(end, Int32(SHUT_RDWR)) }
                        let isLast = ends.withLock { left in
                            left -= 1
                            return left == 0
                        }
                        if isLast { for end in [near, far] { close(end) } }
                    }
                }
            }
        }
    }

    deinit {
        // On Linux, only this wakes the thread that accepts.
        shutdown(listening, Int32(SHUT_RDWR))
        close(listening)
    }

    private static func pass(_ from: Int32, _ to: Int32, _ piece: Int, _ pause: UInt32) {
        var bytes = [UInt8](repeating: 0, count: piece)
        while true {
            guard case .done(let count) = bytes.withUnsafeMutableBytes({ SocketCalls.read(from, into: $0) }) else {
                return
            }
            var sent = 0
            while sent < count {
                let result = bytes.withUnsafeBytes {
                    SocketCalls.write(to, UnsafeRawBufferPointer(rebasing: $0[sent..<count]))
                }
                guard case .done(let more) = result else { return }
                sent += more
            }
            // A small message does not wait.
            usleep(UInt32(count) * pause / UInt32(piece))
        }
    }

    private static func open() throws -> Int32 {
        #if canImport(Darwin)
            let kind = SOCK_STREAM
        #else
            let kind = Int32(SOCK_STREAM.rawValue)
        #endif
        let descriptor = socket(AF_INET, kind, 0)
        guard descriptor >= 0 else { throw Failure() }
        return descriptor
    }

    private static func connect(to port: UInt16) throws -> Int32 {
        let descriptor = try open()
        _ = try withAddress(port: port) { address, length in
            #if canImport(Darwin)
                Darwin.connect(descriptor, address, length) == 0
            #else
                Glibc.connect(descriptor, address, length) == 0
            #endif
        }
        return descriptor
    }

    /// Calls with an address of loopback.
    private static func withAddress(
        port: UInt16, _ call: (UnsafeMutablePointer<sockaddr>, inout socklen_t) -> Bool
    ) throws -> sockaddr_in {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isDone = withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { call($0, &length) }
        }
        guard isDone else { throw Failure() }
        return address
    }
}
