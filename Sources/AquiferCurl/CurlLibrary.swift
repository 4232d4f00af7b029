import Aquifer

/// libcurl, loaded by whoever first needs it.
///
/// Only success is remembered. A failure may pass: the next caller may find a descriptor or the memory that was missing.
final class CurlLibrary: Sendable {
    private let load: @Sendable () -> String?
    private let isReady = Locked(false)

    /// - Parameter load: loads the library, and returns why it could not, and what to do. One call at a time.
    init(_ load: @escaping @Sendable () -> String?) {
        self.load = load
    }

    /// Why it cannot be used now, and what to do; `nil` if it can.
    var obstacle: String? {
        isReady.withLock { isReady in
            if isReady { return nil }
            let obstacle = load()
            isReady = obstacle == nil
            return obstacle
        }
    }
}
