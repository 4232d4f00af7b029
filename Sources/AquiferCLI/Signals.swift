import Foundation

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// The end that the handler writes to. One write is all that a handler may do.
nonisolated(unsafe) private var tellEnd: Int32 = -1

/// SIGTERM and SIGINT, from here on: the first one is waited for, a second one ends the process at once.
///
/// A handler, a pipe and a thread: libdispatch's signal sources lose a signal now and then on Linux, where one that
/// comes to the main thread is raised again for a signalfd that another thread reads.
struct Signals {
    private let told: AsyncStream<Never>

    /// Takes the signals over. Once in a process.
    init() {
        let (told, continuation) = AsyncStream.makeStream(of: Never.self)
        self.told = told
        var ends: [Int32] = [-1, -1]
        // Without a pipe there are no files left: nothing can be served either, and the signals end the process.
        guard pipe(&ends) == 0 else { return }
        let readEnd = ends[0]
        tellEnd = ends[1]
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
        Thread.detachNewThread {
            var byte: UInt8 = 0
            while read(readEnd, &byte, 1) < 0, errno == EINTR {}
            continuation.finish()
        }
    }

    /// Returns when the process is told to end.
    func untilTold() async {
        for await _ in told {}
    }
}
