import CMicrohttpd
import Foundation

/// The limit on files and sockets that this process may have open at once (`RLIMIT_NOFILE`).
public enum DescriptorLimit {
    /// The highest limit that ``raise()`` asks for. It is enough for a server, and low enough for programs that loop over
    /// all descriptors.
    private static let most = 16_384

    /// The limit below which nobody can be served: stores, workers and the system's own timers take some dozens.
    public static let least = 128

    /// Raises the soft limit as far as the hard one and ``most`` allow, and returns the new soft limit. It never lowers it.
    /// Servers call it when they start, because the usual soft limit is too low for them.
    @discardableResult
    public static func raise() -> Int {
        guard var limit = read() else { return assumed }
        let wanted = min(limit.rlim_max, rlim_t(most))
        if limit.rlim_cur < wanted {
            limit.rlim_cur = wanted
            // If the system refuses, the limit stays as it is.
            _ = setrlimit(resource, &limit)
        }
        return current
    }

    /// The soft limit.
    public static var current: Int { read().map { Int(clamping: $0.rlim_cur) } ?? assumed }

    /// True if so many more files or sockets can be opened now. A server that starts with too few may hang: its own client
    /// waits for a connection that the server has no descriptor to accept.
    public static func leaves(_ count: Int) -> Bool {
        var opened: [Int32] = []
        defer { opened.forEach { close($0) } }
        while opened.count < count {
            let next = open("/dev/null", O_RDONLY | O_CLOEXEC)
            guard next >= 0 else { return false }
            opened.append(next)
        }
        return true
    }

    /// The limit that is assumed if the system does not tell it. (`_POSIX_OPEN_MAX` is 20; no system has fewer than 256.)
    private static let assumed = 256

    private static func read() -> rlimit? {
        var limit = rlimit()
        return getrlimit(resource, &limit) == 0 ? limit : nil
    }

    #if canImport(Glibc)
        private static let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
    #else
        private static let resource = RLIMIT_NOFILE
    #endif
}
