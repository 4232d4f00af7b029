import Foundation

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// Disables backtraces and core files, so that a crash leaves no memory content behind. A backtrace shows the bytes
/// behind registers, which may contain a card's number.
///
/// Set `AQUIFER_BACKTRACE` to leave both as the system has them.
enum CrashPrivacy {
    static func begin() {
        guard getenv("AQUIFER_BACKTRACE") == nil else { return }
        for number in [SIGILL, SIGTRAP, SIGSEGV, SIGBUS, SIGFPE, SIGABRT, SIGQUIT] { signal(number, SIG_DFL) }
        var none = rlimit(rlim_cur: 0, rlim_max: 0)
        #if canImport(Glibc)
            setrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &none)
        #else
            setrlimit(RLIMIT_CORE, &none)
        #endif
    }
}
