import CMicrohttpd
import Foundation

/// The limit on files and sockets that this process may have open at once (`RLIMIT_NOFILE`).
public enum DescriptorLimit {
    /// More than this is not asked for: what a server needs, and little enough for programs that look at every descriptor.
    private static let most = 16_384

    /// Raises the soft limit as far as the hard one and ``most`` allow, and returns what it is then. For programs that serve,
    /// when they start: the soft limit that they are given is made for programs that do not. It never lowers the limit.
    @discardableResult
    public static func raise() -> Int {
        guard var limit = read() else { return assumed }
        let wanted = min(limit.rlim_max, rlim_t(most))
        if limit.rlim_cur < wanted {
            limit.rlim_cur = wanted
            // One that may not be raised stays what it is.
            _ = setrlimit(resource, &limit)
        }
        return current
    }

    /// The soft limit.
    public static var current: Int { read().map { Int(clamping: $0.rlim_cur) } ?? assumed }

    /// Whether so many more files or sockets could be opened now. Who begins with fewer than it needs may wait for ever: for
    /// a connection that its own server has no descriptor to accept with.
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

    /// The least that is assumed of systems that do not say (`_POSIX_OPEN_MAX` is 20; nobody has fewer than 256).
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
