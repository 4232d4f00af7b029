import Foundation

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// The terminal, showing nothing of what is typed, until it is told otherwise or the process is ended by a signal.
struct QuietTerminal {
    private static let signals = [SIGINT, SIGTERM, SIGHUP, SIGQUIT]
    /// What a signal's handler restores. Written before the handlers are set, and read by them only.
    nonisolated(unsafe) private static var before = termios()

    /// `nil` when standard input is no terminal that can be told.
    init?() {
        guard tcgetattr(0, &Self.before) == 0 else { return nil }
        for number in Self.signals {
            signal(number) { number in
                var before = QuietTerminal.before
                tcsetattr(0, TCSAFLUSH, &before)
                _exit(128 + number)
            }
        }
        var quiet = Self.before
        quiet.c_lflag &= ~tcflag_t(ECHO)
        guard tcsetattr(0, TCSAFLUSH, &quiet) == 0 else { return nil }
    }

    /// Shows again what is typed.
    func end() {
        var before = Self.before
        tcsetattr(0, TCSAFLUSH, &before)
        for number in Self.signals { signal(number, SIG_DFL) }
    }
}
