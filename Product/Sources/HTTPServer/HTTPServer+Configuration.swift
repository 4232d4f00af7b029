extension HTTPServer {
    /// The address of a server and its limits.
    public struct Configuration: Sendable {
        /// The address: `127.0.0.1`, `::1`, `0.0.0.0`, `::`, or a name. `localhost` is `127.0.0.1`.
        public var host: String
        /// The port; 0 takes any that is free.
        public var port: UInt16
        /// The largest head of a request in bytes (431 past it).
        public var maxHeaderBytes: Int
        /// The largest body of a request in bytes (413 past it).
        public var maxBodyBytes: Int
        /// Paths that take larger bodies, by how they begin: prefix → the largest body in bytes. The longest prefix
        /// decides. For uploads whose handlers read piece by piece.
        public var maxBodyBytesByPath: [String: Int]
        /// The most connections that may be open. Past it, the oldest one that has shown nothing (``ServerAdmission/unknown``, or
        /// no whole head yet) makes room; where all are known, the new one is answered 503 and closed.
        public var maxConnections: Int
        /// The share of the process' descriptors (``DescriptorLimit``) that connections may take, 0 to 1:
        /// `maxConnections` is never more than that, as of the server's start.
        public var descriptorShare: Double
        /// The longest silence of a connection, between requests or amid one, in whole seconds, at least one. Does
        /// not count while a handler is at work.
        public var idleTimeout: Duration
        /// The longest that a request's head may take, counted from its connection's opening, or from when the idle time
        /// after the previous answer is over. This is what ends clients that send a byte now and then.
        public var headTimeout: Duration
        /// The time that each body has before ``leastBodyRate`` counts.
        public var bodyTimeout: Duration
        /// The bytes of a body that must come each second, on average over all of it; a slower one is cut. With the largest
        /// body it makes a deadline. Time in which the handler holds the client back does not count.
        public var leastBodyRate: Int
        /// The number of threads that do the network's work. Handlers run on Swift's own, after their first suspension.
        public var threads: Int
        /// The `Server` header, if any.
        public var serverName: String?

        /// Loopback, any free port, limits fit for an app's own pages.
        public init(
            host: String = "127.0.0.1", port: UInt16 = 0, maxHeaderBytes: Int = 8 * 1024,
            maxBodyBytes: Int = 16 * 1024 * 1024, maxBodyBytesByPath: [String: Int] = [:], maxConnections: Int = 4096,
            descriptorShare: Double = 1 / 3, idleTimeout: Duration = .seconds(60),
            headTimeout: Duration = .seconds(20), bodyTimeout: Duration = .seconds(20), leastBodyRate: Int = 4096,
            threads: Int = 1, serverName: String? = nil
        ) {
            self.host = host
            self.port = port
            self.maxHeaderBytes = maxHeaderBytes
            self.maxBodyBytes = maxBodyBytes
            self.maxBodyBytesByPath = maxBodyBytesByPath
            self.maxConnections = maxConnections
            self.descriptorShare = descriptorShare
            self.idleTimeout = idleTimeout
            self.headTimeout = headTimeout
            self.bodyTimeout = bodyTimeout
            self.leastBodyRate = leastBodyRate
            self.threads = threads
            self.serverName = serverName
        }

        func maxBodyBytes(at path: String) -> Int {
            let longest = maxBodyBytesByPath.keys.filter { path.hasPrefix($0) }.max { $0.utf8.count < $1.utf8.count }
            return longest.flatMap { maxBodyBytesByPath[$0] } ?? maxBodyBytes
        }
    }
}
