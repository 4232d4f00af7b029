#if canImport(Network) && !os(Linux)
    import AquiferConcurrency
    import Dispatch
    import Network

    /// Watches the path to the network on Apple systems, until it is released.
    final class ConnectionWatch: Sendable {
        private let monitor: Locked<NWPathMonitor>

        init(_ tell: @escaping ConnectionListeners.Tell) {
            let monitor = NWPathMonitor()
            monitor.pathUpdateHandler = { path in
                switch path.status {
                case .satisfied: tell(.connected)
                case .unsatisfied: tell(.notConnected)
                // A connection would be made when it is needed, such as that of a VPN.
                default: tell(.unknown)
                }
            }
            monitor.start(queue: DispatchQueue(label: "org.aquifer.connection", qos: .utility))
            self.monitor = Locked(monitor)
        }

        deinit { monitor.withLock { $0.cancel() } }
    }
#endif
