#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// The network interfaces of this machine.
package enum NetworkInterfaces {
    /// True if this machine has an address from which others can be reached, or if the system does not tell its
    /// addresses.
    package static var mayReachOthers: Bool { canReachOthers ?? true }

    /// True if this machine has an address from which others can be reached; `nil` if the system does not tell its
    /// addresses.
    package static var canReachOthers: Bool? {
        var first: UnsafeMutablePointer<ifaddrs>?
        guard getifaddrs(&first) == 0 else { return nil }
        defer { freeifaddrs(first) }
        var next = first
        while let interface = next?.pointee {
            if interface.isUp, interface.hasAddressBeyondItsLink { return true }
            next = interface.ifa_next
        }
        return false
    }
}

extension ifaddrs {
    /// True if the interface is up and leads to others. The loopback leads to this machine only.
    fileprivate var isUp: Bool {
        let needed = UInt32(IFF_UP) | UInt32(IFF_RUNNING)
        return ifa_flags & (needed | UInt32(IFF_LOOPBACK)) == needed
    }

    /// True if the address is one of IPv4, or one of IPv6 that is valid on more than this link: an interface without a
    /// network gives itself a link's address (`fe80::/10`).
    fileprivate var hasAddressBeyondItsLink: Bool {
        guard let address = ifa_addr else { return false }
        switch Int32(address.pointee.sa_family) {
        case AF_INET: return true
        case AF_INET6:
            return address.withMemoryRebound(to: sockaddr_in6.self, capacity: 1) { address in
                withUnsafeBytes(of: address.pointee.sin6_addr) { $0[0] != 0xfe || $0[1] & 0xc0 != 0x80 }
            }
        default: return false
        }
    }
}
