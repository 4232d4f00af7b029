import Aquifer
import AquiferConcurrency
import Foundation

/// A progress meter on the terminal: one line of standard error that is overwritten. Nothing is written without a
/// terminal.
final class Meter: Sendable {
    private let title: String
    private let line: StatusLine?

    /// A meter on this line. Without a line it shows nothing.
    init(_ title: String, on line: StatusLine?) {
        self.title = title.harmless.prefix(columns: 40)
        self.line = line
    }

    /// Shows the progress. It can be called from any thread, at any rate.
    func show(_ done: UInt64, of total: UInt64?) {
        guard let line, let total, total > 0 else { return }
        line.show("\(title): \(done.percent(of: total)) %")
    }

    /// Clears the line.
    func end() {
        line?.clear()
    }
}

/// Standard error: permanent lines and, below them on a terminal, one line that is overwritten. All text is made
/// harmless.
///
/// Text that cannot be written is dropped: a failed write must not stop a command that changes something.
final class StatusLine: Sendable {
    private let shown = Locked("")
    private let write: @Sendable (String) -> Void

    /// - Parameter write: Writes the text. The default writes to standard error.
    init(
        write: @escaping @Sendable (String) -> Void = { text in
            // There is no other place to report that standard error cannot be written.
            _ = try? Descriptor.errors.write(Data(text.utf8))
        }
    ) {
        self.write = write
    }

    /// Writes a permanent line.
    func line(_ text: String) {
        let text = text.harmless
        shown.withLock { shown in
            write((shown.isEmpty ? "" : Self.erase) + text + "\n")
            shown = ""
        }
    }

    /// Writes a prompt, without a line end.
    func prompt(_ text: String) {
        let text = text.harmless
        shown.withLock { shown in
            write((shown.isEmpty ? "" : Self.erase) + text)
            shown = ""
        }
    }

    /// Overwrites the temporary line.
    func show(_ text: String) {
        let text = text.harmless
        shown.withLock { shown in
            guard text != shown else { return }
            write(Self.erase + text)
            shown = text
        }
    }

    /// Clears the temporary line.
    func clear() {
        shown.withLock { shown in
            if !shown.isEmpty { write(Self.erase) }
            shown = ""
        }
    }

    /// The text that moves to the beginning of the line and clears it.
    private static let erase = "\r\u{1B}[K"
}
