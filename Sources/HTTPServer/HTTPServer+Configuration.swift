extension HTTPServer {
    /// Where a server listens and what it puts up with.
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
        /// How many connections may be open; those past it are answered 503 and closed.
        public var maxConnections: Int
        /// How long a connection may be silent, between requests or amid one, in whole seconds, at least one. Does
        /// not count while a handler is at work.
        public var idleTimeout: Duration
        /// How long a request's head may take, counted from its connection's opening, or from when the idle time
        /// after the previous answer is over. This is what ends clients that send a byte now and then.
        public var headTimeout: Duration
        /// How many threads do the network's work. Handlers run on Swift's own, after their first suspension.
        public var threads: Int
        /// The `Server` header, if any.
        public var serverName: String?

        /// Loopback, any free port, limits fit for an app's own pages.
        public init(
            host: String = "127.0.0.1", port: UInt16 = 0, maxHeaderBytes: Int = 8 * 1024,
            maxBodyBytes: Int = 16 * 1024 * 1024, maxBodyBytesByPath: [String: Int] = [:], maxConnections: Int = 4096,
            idleTimeout: Duration = .seconds(60),
            headTimeout: Duration = .seconds(20), threads: Int = 1, serverName: String? = nil
        ) {
            self.host = host
            self.port = port
            self.maxHeaderBytes = maxHeaderBytes
            self.maxBodyBytes = maxBodyBytes
            self.maxBodyBytesByPath = maxBodyBytesByPath
            self.maxConnections = maxConnections
            self.idleTimeout = idleTimeout
            self.headTimeout = headTimeout
            self.threads = threads
            self.serverName = serverName
        }

        func maxBodyBytes(at path: String) -> Int {
            let longest = maxBodyBytesByPath.keys.filter { path.hasPrefix($0) }.max { $0.utf8.count < $1.utf8.count }
            return longest.flatMap { maxBodyBytesByPath[$0] } ?? maxBodyBytes
        }
    }
}
