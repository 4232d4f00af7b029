import Aquifer
import AquiferConcurrency

/// A value that is opened on first use: a command that shows the feed does not open the pictures. While it cannot be
/// opened, every call tries again, and throws the error.
final class Lazy<Value: Sendable>: Sendable {
    private let open: @Sendable () throws(StoreError) -> Value
    private let opened = Locked<Value?>(nil)

    init(_ open: @escaping @Sendable () throws(StoreError) -> Value) {
        self.open = open
    }

    /// Opens the value under the lock, so that it is opened once. This takes a fraction of a millisecond.
    func callAsFunction() throws(StoreError) -> Value {
        try opened.withLock { opened throws(StoreError) in
            if let opened { return opened }
            let value = try open()
            opened = value
            return value
        }
    }
}
