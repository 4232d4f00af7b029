import Aquifer
import AquiferConcurrency
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
    /// The signals that are handled here. ``Signals`` may handle some of them, and calls ``restore()``.
    private static var signals: [Int32] { (Signals.areHandled ? [] : [SIGINT, SIGTERM]) + [SIGHUP, SIGQUIT] }
    private static let isQuiet = Locked(false)
    /// The settings that a signal handler restores. They are written before the handlers are set.
    nonisolated(unsafe) private static var before = termios()
    /// The same without echo.
    nonisolated(unsafe) private static var quiet = termios()

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
        Self.quiet = Self.before
        Self.quiet.c_lflag &= ~tcflag_t(ECHO)
        signal(SIGTSTP) { QuietTerminal.stop($0) }
        Self.isQuiet.withLock { $0 = true }
        guard tcsetattr(0, TCSAFLUSH, &Self.quiet) == 0 else {
            end()
            return nil
        }
    }

    /// Stops the process, as the user has asked for, with the echo on: the shell may leave the terminal as it is. When the process is
    /// continued, the shell may have turned the echo on.
    private static func stop(_ number: Int32) {
        tcsetattr(0, TCSAFLUSH, &before)
        signal(number, SIG_DFL)
        var stopping = sigset_t()
        sigemptyset(&stopping)
        sigaddset(&stopping, number)
        pthread_sigmask(SIG_UNBLOCK, &stopping, nil)
        raise(number)
        signal(number) { QuietTerminal.stop($0) }
        tcsetattr(0, TCSAFLUSH, &quiet)
    }

    /// Turns the echo on again.
    func end() {
        Self.restore()
        for number in Self.signals + [SIGTSTP] { signal(number, SIG_DFL) }
    }

    /// Turns the echo on again, before the process ends.
    ///
    /// - Returns: True if it was off.
    @discardableResult static func restore() -> Bool {
        isQuiet.withLock { isQuiet in
            guard isQuiet else { return false }
            isQuiet = false
            var before = Self.before
            tcsetattr(0, TCSAFLUSH, &before)
            return true
        }
    }
}
