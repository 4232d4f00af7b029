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

    /// True if the bytes of an address of IPv4 or IPv6 are valid on more than their link. An interface without a network gives
    /// itself a link's address: 169.254.0.0/16 (RFC 3927) or `fe80::/10` (RFC 4291).
    static func leadBeyondTheirLink(_ address: some Collection<UInt8>) -> Bool {
        let (bytes, isLong) = (Array(address.prefix(2)), address.count > 4)
        guard bytes.count == 2 else { return false }
        return isLong ? bytes[0] != 0xfe || bytes[1] & 0xc0 != 0x80 : bytes != [169, 254]
    }
}

extension ifaddrs {
    /// True if the interface is up and leads to others. The loopback leads to this machine only.
    fileprivate var isUp: Bool {
        let needed = UInt32(IFF_UP) | UInt32(IFF_RUNNING)
        return ifa_flags & (needed | UInt32(IFF_LOOPBACK)) == needed
    }

    /// True if the address is valid on more than its link.
    fileprivate var hasAddressBeyondItsLink: Bool {
        guard let address = ifa_addr else { return false }
        switch Int32(address.pointee.sa_family) {
        case AF_INET:
            return address.withMemoryRebound(to: sockaddr_in.self, capacity: 1) { address in
                withUnsafeBytes(of: address.pointee.sin_addr) { NetworkInterfaces.leadBeyondTheirLink($0) }
            }
        case AF_INET6:
            return address.withMemoryRebound(to: sockaddr_in6.self, capacity: 1) { address in
                withUnsafeBytes(of: address.pointee.sin6_addr) { NetworkInterfaces.leadBeyondTheirLink($0) }
            }
        default: return false
        }
    }
}
