#if os(Linux)
    import AquiferConcurrency
    import Dispatch

    #if canImport(Musl)
        import Musl
    #else
        import Glibc
    #endif

    /// Watches the network interfaces of Linux. The kernel announces each change on a netlink socket, which a dispatch source
    /// reads. The socket is closed when the watch is released.
    final class ConnectionWatch: Sendable {
        private let source: Locked<(any DispatchSourceRead)?>

        init(_ tell: @escaping ConnectionListeners.Tell) {
            let queue = DispatchQueue(label: "org.aquifer.connection", qos: .utility)
            guard let announcements = Self.announcements() else {
                source = Locked(nil)
                queue.async { tell(.unknown) }
                return
            }
            let source = DispatchSource.makeReadSource(fileDescriptor: announcements, queue: queue)
            source.setEventHandler {
                Self.drain(announcements)
                tell(Self.state)
            }
            source.setCancelHandler { close(announcements) }
            // Looked at after the socket was opened: a change in between is announced.
            queue.async { tell(Self.state) }
            source.activate()
            self.source = Locked(source)
        }

        deinit { source.withLock { $0 }?.cancel() }

        private static var state: ConnectionState {
            switch NetworkInterfaces.canReachOthers {
            case true?: .connected
            case false?: .notConnected
            case nil: .unknown
            }
        }

        /// A socket on which the kernel announces changes of links and addresses; `nil` if it gives none.
        private static func announcements() -> Int32? {
            #if canImport(Musl)
                let kind = SOCK_RAW | SOCK_CLOEXEC | SOCK_NONBLOCK
            #else
                let kind = Int32(SOCK_RAW.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
            #endif
            let descriptor = socket(AF_NETLINK, kind, 0)
            guard descriptor >= 0 else { return nil }
            var address = NetlinkAddress()
            let size = socklen_t(MemoryLayout<NetlinkAddress>.size)
            let isBound = withUnsafePointer(to: &address) { address in
                address.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(descriptor, $0, size) == 0 }
            }
            guard isBound else {
                close(descriptor)
                return nil
            }
            return descriptor
        }

        /// Takes the announcements that have come. Their contents do not matter, because the interfaces are looked at anew.
        /// When there were more than the kernel keeps, the error says so once, and the others are read.
        private static func drain(_ descriptor: Int32) {
            withUnsafeTemporaryAllocation(byteCount: 16 << 10, alignment: 8) { buffer in
                while true {
                    let count = recv(descriptor, buffer.baseAddress, buffer.count, 0)
                    guard count > 0 || (count < 0 && (errno == ENOBUFS || errno == EINTR)) else { return }
                }
            }
        }
    }

    /// `sockaddr_nl` of <linux/netlink.h>, with the groups that are listened to.
    private struct NetlinkAddress {
        var family = UInt16(AF_NETLINK)
        var padding: UInt16 = 0
        var port: UInt32 = 0
        /// Links (1), addresses of IPv4 (0x10) and of IPv6 (0x100): `RTMGRP_…` of <linux/rtnetlink.h>.
        var groups: UInt32 = 0x111
    }
#endif
