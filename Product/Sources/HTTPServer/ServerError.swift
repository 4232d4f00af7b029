/// Why a server could not be started.
public enum ServerError: Error, Sendable, Hashable, CustomStringConvertible {
    /// Another process (or server) listens there already.
    case addressInUse(host: String, port: UInt16)
    /// The address cannot be listened on, for the reason given.
    case cannotListen(host: String, port: UInt16, reason: String)
    /// libmicrohttpd, which is loaded with the first server, is not there; the reason says what to install.
    case missingLibrary(reason: String)
    /// The system refused threads, descriptors or memory.
    case outOfResources(reason: String)

    /// The failure and the way on, in one line.
    public var description: String {
        switch self {
        case .addressInUse(let host, let port):
            "\(host):\(port) is in use by another program: choose another port, or 0 for any that is free"
        case .cannotListen(let host, let port, let reason):
            "cannot listen on \(host):\(port): \(reason): use 127.0.0.1, ::1 or an address of this machine, and a "
                + "port above 1023"
        case .missingLibrary(let reason):
            "cannot start the server: \(reason)"
        case .outOfResources(let reason):
            "cannot start the server: \(reason): raise the limit on open files (ulimit -n) or lower maxConnections"
        }
    }
}
