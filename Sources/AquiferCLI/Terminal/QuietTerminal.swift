import Foundation

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// The terminal without echo, until ``end()`` is called or a signal ends the process.
struct QuietTerminal {
    private static let signals = [SIGINT, SIGTERM, SIGHUP, SIGQUIT]
    /// The settings that a signal handler restores. They are written before the handlers are set.
    nonisolated(unsafe) private static var before = termios()

    /// Turns the echo off. The result is `nil` if standard input is not a terminal, or its settings cannot be changed.
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

    /// Turns the echo on again.
    func end() {
        var before = Self.before
        tcsetattr(0, TCSAFLUSH, &before)
        for number in Self.signals { signal(number, SIG_DFL) }
    }
}
