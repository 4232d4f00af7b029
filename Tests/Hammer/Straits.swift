#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// Faults that only a whole process can have: no room, no permission.
package enum Straits {
    /// Keeps the files of this process from growing beyond so many bytes, as on a full disk.
    package static func limitFiles(to bytes: UInt64) {
        signal(SIGXFSZ, SIG_IGN)
        var limit = rlimit(rlim_cur: rlim_t(bytes), rlim_max: rlim_t(bytes))
        #if canImport(Glibc)
            setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit)
        #else
            setrlimit(RLIMIT_FSIZE, &limit)
        #endif
    }

    /// Becomes a user who may read what everyone may, and write nothing.
    package static func becomeNobody() throws {
        guard getuid() == 0 else { return }
        guard setgid(65534) == 0, setuid(65534) == 0 else { throw Trouble("cannot become nobody") }
    }

    /// Prints the result of an attempt, in the words of `name`.
    package static func say(
        _ attempt: String, done: String = "done", name: (any Error) -> String, _ operation: () async throws -> Void
    ) async {
        do {
            try await operation()
            print("\(attempt): \(done)")
        } catch {
            print("\(attempt): \(name(error))")
        }
    }
}
