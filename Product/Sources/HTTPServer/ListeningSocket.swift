// Not only Foundation: which of the two modules owns the sockets' constants depends on the order of compilation.
import CMicrohttpd
import Foundation

/// A socket of our own, made before the daemon: it says precisely why an address cannot be had, and what port came.
struct ListeningSocket: Sendable {
    let descriptor: Int32
    let port: UInt16

    init(host: String, port: UInt16) throws(ServerError) {
        func failure(_ reason: String) -> ServerError { .cannotListen(host: host, port: port, reason: reason) }

        var hints = addrinfo()
        hints.ai_flags = AI_PASSIVE | AI_NUMERICSERV
        hints.ai_socktype = Self.stream
        var found: UnsafeMutablePointer<addrinfo>?
        // Browsers try both addresses of "localhost"; resolvers differ in which one comes first.
        let code = getaddrinfo(host == "localhost" ? "127.0.0.1" : host, String(port), &hints, &found)
        guard code == 0, let address = found else { throw failure(String(cString: gai_strerror(code))) }
        defer { freeaddrinfo(found) }

        let descriptor = socket(address.pointee.ai_family, Self.stream, 0)
        guard descriptor >= 0 else { throw .outOfResources(reason: Self.lastError) }
        do throws(ServerError) {
            var on: Int32 = 1
            setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &on, socklen_t(MemoryLayout<Int32>.size))
            if address.pointee.ai_family == AF_INET6 {
                setsockopt(descriptor, Int32(IPPROTO_IPV6), IPV6_V6ONLY, &on, socklen_t(MemoryLayout<Int32>.size))
            }
            // Its connections inherit it. libmicrohttpd counts it as silence while the system takes nothing. By default, the system takes the next
            // bytes when a third of several megabytes is gone, for which a slow reader needs a minute.
            var unsent: Int32 = 128 << 10
            setsockopt(
                descriptor, Int32(IPPROTO_TCP), TCP_NOTSENT_LOWAT, &unsent, socklen_t(MemoryLayout<Int32>.size))
            guard fcntl(descriptor, F_SETFD, FD_CLOEXEC) == 0, fcntl(descriptor, F_SETFL, O_NONBLOCK) == 0 else {
                throw failure(Self.lastError)
            }
            guard bind(descriptor, address.pointee.ai_addr, address.pointee.ai_addrlen) == 0,
                listen(descriptor, SOMAXCONN) == 0
            else {
                throw errno == EADDRINUSE ? .addressInUse(host: host, port: port) : failure(Self.lastError)
            }
            guard let bound = Self.boundPort(of: descriptor) else { throw failure(Self.lastError) }
            self.descriptor = descriptor
            self.port = bound
        } catch {
            _ = systemClose(descriptor)
            throw error
        }
    }

    /// Refuses new connections; the descriptor stays valid until ``close()``, so no other file gets its number yet.
    func refuse() { _ = shutdown(descriptor, Int32(SHUT_RDWR)) }

    func close() { _ = systemClose(descriptor) }

    #if canImport(Darwin)
        private static let stream = SOCK_STREAM
    #else
        private static let stream = Int32(SOCK_STREAM.rawValue)
    #endif

    private static var lastError: String { String(cString: strerror(errno)) }

    private static func boundPort(of descriptor: Int32) -> UInt16? {
        var storage = sockaddr_storage()
        var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
        let result = withUnsafeMutablePointer(to: &storage) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(descriptor, $0, &length) }
        }
        guard result == 0 else { return nil }
        // The port lies at the same place in both families.
        return withUnsafePointer(to: &storage) {
            $0.withMemoryRebound(to: sockaddr_in.self, capacity: 1) { UInt16(bigEndian: $0.pointee.sin_port) }
        }
    }
}

/// `close(2)`, under a name that a method called `close` does not hide.
func systemClose(_ descriptor: Int32) -> Int32 { close(descriptor) }

/// The numeric form of an address, without the port.
func numericHost(_ address: UnsafePointer<sockaddr>?) -> String {
    guard let address else { return "" }
    let length =
        Int32(address.pointee.sa_family) == AF_INET6
        ? MemoryLayout<sockaddr_in6>.size : MemoryLayout<sockaddr_in>.size
    return withUnsafeTemporaryAllocation(of: CChar.self, capacity: Int(NI_MAXHOST)) { text in
        guard let start = text.baseAddress,
            getnameinfo(address, socklen_t(length), start, socklen_t(text.count), nil, 0, NI_NUMERICHOST) == 0
        else { return "" }
        return String(cString: start)
    }
}
