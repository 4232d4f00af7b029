import Foundation

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// Progress on the terminal: one line of standard error that is written over. Nothing is written without a terminal.
final class Meter: Sendable {
    private let title: String
    private let isShown: Bool
    private let lock = NSLock()
    nonisolated(unsafe) private var last = -1

    init(_ title: String, isShown: Bool) {
        self.title = String(title.prefix(40))
        self.isShown = isShown
    }

    /// Shows how far it is: called from any thread, as often as one likes.
    func show(_ done: UInt64, of total: UInt64?) {
        guard isShown, let total, total > 0 else { return }
        let percent = Int(min(done, total) * 100 / total)
        lock.withLock {
            guard percent != last else { return }
            last = percent
            write("\r\(title): \(percent) %")
        }
    }

    /// Leaves the line.
    func end() {
        lock.withLock {
            guard last >= 0 else { return }
            last = -1
            write("\r\u{1B}[K")
        }
    }

    private func write(_ text: String) {
        FileHandle(fileDescriptor: 2, closeOnDealloc: false).write(Data(text.utf8))
    }
}

extension Console {
    /// A meter, shown to people at a terminal.
    func meter(_ options: GlobalOptions, _ title: String) -> Meter {
        Meter(title.filter { !$0.isNewline }, isShown: !options.quiet && !options.json && isatty(2) == 1)
    }
}
