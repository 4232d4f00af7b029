import AquiferCThreads

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// Threads that say when there are none left. Foundation's `Thread` goes on as if it had started.
package enum SystemThread {
    /// The system gives no thread: there are too many of them, or no memory for a stack.
    package struct Unavailable: Error, Hashable, CustomStringConvertible {
        /// The error number of the system.
        package let code: Int32

        package init(code: Int32) { self.code = code }

        /// The system's words for it.
        package var description: String { String(cString: strerror(code)) }
    }

    /// Runs a closure on a thread of its own.
    ///
    /// - Parameter name: for debuggers, which see its first 15 bytes on Linux.
    /// - Throws: ``Unavailable``; `body` is not called then.
    package static func start(
        named name: StaticString, _ body: @escaping @Sendable () -> Void
    ) throws(Unavailable) {
        let work = Unmanaged.passRetained(Work(name: name, body: body))
        #if canImport(Darwin)
            var thread: pthread_t?
            let code = pthread_create(&thread, nil, { Work.run($0) }, work.toOpaque())
            let started = thread
        #else
            var thread = pthread_t()
            let code = pthread_create(&thread, nil, { Work.run($0) }, work.toOpaque())
            let started: pthread_t? = thread
        #endif
        guard code == 0, let started else {
            work.release()
            throw Unavailable(code: code)
        }
        pthread_detach(started)
    }

    /// Lets no signal for a closed connection end the process while this thread writes to it.
    package static func blockBrokenPipes() {
        var signals = sigset_t()
        sigemptyset(&signals)
        sigaddset(&signals, SIGPIPE)
        pthread_sigmask(SIG_BLOCK, &signals, nil)
    }

    /// Blocks this thread for a time. Never call it on a thread of the cooperative pool, which has few.
    package static func pause(microseconds: UInt32) {
        _ = usleep(microseconds)
    }

    private final class Work: Sendable {
        let name: StaticString
        let body: @Sendable () -> Void

        init(name: StaticString, body: @escaping @Sendable () -> Void) {
            self.name = name
            self.body = body
        }

        static func run(_ context: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
            guard let context else { return nil }
            let work = Unmanaged<Work>.fromOpaque(context).takeRetainedValue()
            aq_name_thread(UnsafeRawPointer(work.name.utf8Start).assumingMemoryBound(to: CChar.self))
            work.body()
            return nil
        }
    }
}
