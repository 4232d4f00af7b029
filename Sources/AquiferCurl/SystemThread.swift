import Aquifer
import AquiferFoundation
import CCurl

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// Threads that say when there are none left. Foundation's `Thread` goes on as if it had started.
enum SystemThread {
    /// Runs a closure on a thread of its own.
    ///
    /// - Throws: `.cannotConnect` when the system gives no thread: too many of them, or no memory for its stack.
    static func start(named name: StaticString, _ body: @escaping @Sendable () -> Void) throws(TransportError) {
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
            throw .outOfResources("a thread", code)
        }
        pthread_detach(started)
    }

    /// Lets no signal for a closed connection end the process while this thread writes to it.
    static func blockBrokenPipes() {
        var signals = sigset_t()
        sigemptyset(&signals)
        sigaddset(&signals, SIGPIPE)
        pthread_sigmask(SIG_BLOCK, &signals, nil)
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

extension TransportError {
    /// The system has nothing left of something that a request needs. That may pass, like a connection that fails.
    static func outOfResources(_ what: String, _ code: Int32) -> TransportError {
        TransportError(.cannotConnect, "the system has no room for \(what): \(String(cString: strerror(code)))")
    }

    /// The system has no memory left for something that a request needs.
    static func outOfMemory(_ what: String) -> TransportError { outOfResources(what, ENOMEM) }
}
