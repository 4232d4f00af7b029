import Aquifer

/// Downloads whose folder is opened by whoever first needs it. While it cannot be opened every call says why, and tries
/// again.
final class LazyDownloads: Sendable {
    private let open: @Sendable () throws(StoreError) -> Downloads
    private let opened = Locked<Downloads?>(nil)

    init(_ open: @escaping @Sendable () throws(StoreError) -> Downloads) {
        self.open = open
    }

    /// Under the lock, so that it is opened once.
    func callAsFunction() throws(StoreError) -> Downloads {
        try opened.withLock { opened throws(StoreError) in
            if let opened { return opened }
            let downloads = try open()
            opened = downloads
            return downloads
        }
    }
}
