import Foundation

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// Keeps what is in memory out of what a crash leaves behind: a card's number must not stand in a backtrace, which shows
/// the bytes behind registers, nor in a core file.
///
/// Set `AQUIFER_BACKTRACE` to have backtraces all the same.
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
