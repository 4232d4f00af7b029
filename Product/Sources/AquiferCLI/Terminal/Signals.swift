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

/// The pace of the signals that came. It is behind a pointer, because one handler may interrupt another.
nonisolated(unsafe) private var pace: UnsafeMutablePointer<SignalPace>?

/// Handles SIGTERM and SIGINT. ``untilTold()`` waits for the first signal. A second signal ends the process at once, if it
/// comes at least a second later: `timeout` sends its signal twice, to the process and to its group.
///
/// This uses a handler, a pipe and a thread, because libdispatch's signal sources occasionally lose a signal on Linux:
/// there a signal to the main thread is raised again for a signalfd that another thread reads.
struct Signals {
    /// The effect of the first signal. It is replaced and called under the lock, so that an end that has begun lets no work
    /// begin.
    private static let reaction = Locked<(@Sendable () -> Void)?>(nil)
    private static let installed = Locked(false)

    /// True if SIGTERM and SIGINT are handled here. Other code must not handle them then.
    static var areHandled: Bool { installed.withLock { $0 } }

    private let told: AsyncStream<Never>
    /// The number of the first signal; 0 before it.
    private static let number = Locked<Int32>(0)

    /// Takes the first signal from now on.
    init() {
        let (told, continuation) = AsyncStream.makeStream(of: Never.self)
        self.told = told
        Self.reaction.withLock { $0 = { continuation.finish() } }
        Self.install(evenIgnored: true)
    }

    /// Returns when a signal asks the process to end.
    ///
    /// - Returns: the number of the signal; 0 if the task was cancelled first.
    @discardableResult
    func untilTold() async -> Int32 {
        for await _ in told {}
        return Self.number.withLock { $0 }
    }

    /// Calls `end` on a thread of its own at the first signal, until a ``Signals`` is created. Signals that are ignored
    /// (nohup) stay ignored.
    static func ending(_ end: @escaping @Sendable () -> Void) {
        reaction.withLock { $0 = end }
        install(evenIgnored: false)
    }

    private static func install(evenIgnored: Bool) {
        installed.withLock { installed in
            if !installed { installed = listen() }
            // Without a pipe and a thread the signals end the process by default.
            guard installed else { return }
            for number in [SIGTERM, SIGINT] {
                let before = signal(number) { number in
                    let before = errno
                    var time = timespec()
                    clock_gettime(CLOCK_MONOTONIC, &time)
                    let milliseconds = Int(time.tv_sec) * 1_000 + Int(time.tv_nsec) / 1_000_000
                    switch pace?.pointee.next(at: milliseconds) ?? .first {
                    case .first:
                        var byte = UInt8(truncatingIfNeeded: number)
                        _ = write(tellEnd, &byte, 1)
                    case .echo: break
                    case .again:
                        signal(number, SIG_DFL)
                        raise(number)
                    }
                    errno = before
                }
                if !evenIgnored, unsafeBitCast(before, to: Int.self) == unsafeBitCast(SIG_IGN, to: Int.self) {
                    signal(number, SIG_IGN)
                }
            }
        }
    }

    /// Starts the thread that waits for the handler's byte. The thread starts before the handlers are installed.
    private static func listen() -> Bool {
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { return false }
        let (readEnd, writeEnd) = (ends[0], ends[1])
        do throws(SystemThread.Unavailable) {
            try SystemThread.start(named: "Signals") {
                var byte: UInt8 = 0
                while read(readEnd, &byte, 1) < 0, errno == EINTR {}
                let came = Int32(byte)
                number.withLock { $0 = came }
                reaction.withLock { reaction in if let reaction { reaction() } }
            }
        } catch {
            for end in ends { close(end) }
            return false
        }
        let first = UnsafeMutablePointer<SignalPace>.allocate(capacity: 1)
        first.initialize(to: SignalPace())
        pace = first
        tellEnd = writeEnd
        return true
    }
}

/// Tells signals that are meant as one from those that a user sends again.
struct SignalPace {
    /// The meaning of a signal.
    enum Meaning { case first, echo, again }

    /// The time in which signals are one.
    private static let span = 1_000
    private var first: Int?

    /// The meaning of a signal at this time in milliseconds. Safe in a handler.
    mutating func next(at time: Int) -> Meaning {
        guard let first else {
            first = time
            return .first
        }
        return time - first < Self.span ? .echo : .again
    }
}
