import AquiferConcurrency
import Foundation

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// The end of the pipe that the handler writes to. The handler only writes, because few calls are safe in a handler.
nonisolated(unsafe) private var tellEnd: Int32 = -1

/// Handles SIGTERM and SIGINT. ``untilTold()`` waits for the first signal. A second signal ends the process at once.
///
/// This uses a handler, a pipe and a thread, because libdispatch's signal sources occasionally lose a signal on Linux:
/// there a signal to the main thread is raised again for a signalfd that another thread reads.
struct Signals {
    private let told: AsyncStream<Never>

    /// Installs the handlers. Call this only once in a process.
    init() {
        let (told, continuation) = AsyncStream.makeStream(of: Never.self)
        self.told = told
        var ends: [Int32] = [-1, -1]
        // Without a pipe the process is out of file descriptors and cannot serve. The signals then end it by default.
        guard pipe(&ends) == 0 else { return }
        let (readEnd, writeEnd) = (ends[0], ends[1])
        // The thread starts before the handlers are installed: if it cannot start, the signals end the process by
        // default.
        do throws(SystemThread.Unavailable) {
            try SystemThread.start(named: "Signals") {
                var byte: UInt8 = 0
                while read(readEnd, &byte, 1) < 0, errno == EINTR {}
                continuation.finish()
            }
        } catch {
            for end in ends { close(end) }
            return
        }
        tellEnd = writeEnd
        for number in [SIGTERM, SIGINT] {
            signal(number) { _ in
                let before = errno
                signal(SIGTERM, SIG_DFL)
                signal(SIGINT, SIG_DFL)
                var byte: UInt8 = 1
                _ = write(tellEnd, &byte, 1)
                errno = before
            }
        }
    }

    /// Returns when a signal asks the process to end.
    func untilTold() async {
        for await _ in told {}
    }
}
