import Foundation

/// Threads that may be missing. `Thread` of Foundation does not say that one could not be started.
package enum SystemThread {
    private final class Work: Sendable {
        let name: String
        let body: @Sendable () -> Void

        init(_ name: String, _ body: @escaping @Sendable () -> Void) {
            self.name = name
            self.body = body
        }
    }

    /// Runs `body` on a thread of its own.
    ///
    /// - Throws: `.outOfResources`; `body` is not called then.
    package static func start(_ name: String, _ body: @escaping @Sendable () -> Void) throws(ServerError) {
        let work = Unmanaged.passRetained(Work(name, body))
        #if canImport(Darwin)
            var thread: pthread_t?
        #else
            var thread = pthread_t()
        #endif
        let code = pthread_create(&thread, nil, runWork, work.toOpaque())
        guard code == 0 else {
            work.release()
            throw .outOfResources(reason: String(cString: strerror(code)))
        }
        #if canImport(Darwin)
            if let thread { pthread_detach(thread) }
        #else
            pthread_detach(thread)
        #endif
    }

    fileprivate static func run(_ context: UnsafeMutableRawPointer) {
        let work = Unmanaged<Work>.fromOpaque(context).takeRetainedValue()
        Thread.current.name = work.name
        work.body()
    }
}

#if canImport(Darwin)
    private func runWork(_ context: UnsafeMutableRawPointer) -> UnsafeMutableRawPointer? {
        SystemThread.run(context)
        return nil
    }
#else
    private func runWork(_ context: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
        if let context { SystemThread.run(context) }
        return nil
    }
#endif
