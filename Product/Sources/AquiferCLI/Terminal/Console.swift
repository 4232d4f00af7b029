import App
import Aquifer
import AquiferConcurrency
import Foundation

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// Standard output, standard error and standard input. Commands print and ask only through this type.
///
/// Text is filtered by ``Swift/String/harmless``, so that no server, file name or argument can control the terminal or
/// forge a line. Documents are escaped instead, and bytes requested with `-o -` are written unchanged.
///
/// A failed write does not stop a command in the middle of its work. The rest of its output is dropped, and
/// ``finish(_:)`` returns the status of the failure. If the command acts, standard error tells its result instead, so that nobody
/// acts again because of a full disk.
struct Console: Sendable {
    private let failure = Locked<WriteError?>(nil)
    /// True if standard output has the bytes of a file, and therefore no documents.
    private let isFile = Locked(false)
    /// True if a document was written: a command prints one.
    private let hasDocument = Locked(false)
    /// The lines that could not be written, of a command that acts; `nil` for another one.
    private let unwritten = Locked<[String]?>(nil)
    private let status = StatusLine()

    /// Begins a command that acts.
    func beginAct() { unwritten.withLock { $0 = [] } }

    /// Writes one line of the command's result to standard output.
    ///
    /// - Parameter other: what standard error says of it if it cannot be written; the line itself unless told otherwise.
    func out(_ line: String, else other: String? = nil) { result(line.harmless + "\n", [other ?? line]) }

    /// Writes several lines of the command's result to standard output. A line feed within one of them does not begin
    /// another line.
    func out(lines: [String]) {
        guard !lines.isEmpty else { return }
        result(lines.map { $0.harmless + "\n" }.joined(), lines)
    }

    /// Writes a document of `--json` to standard output, unless there was one.
    ///
    /// - Parameter other: what standard error says of it if it cannot be written; the document itself unless told otherwise.
    func out(json document: some Encodable, else other: String? = nil) {
        guard takesDocument() else { return }
        // The text needs no filter, which would take characters out of it.
        let text = WireJSON.text(document)
        result(text + "\n", [other ?? text])
    }

    /// - Parameter lines: what stands for the text on standard error, if it cannot be written.
    private func result(_ text: String, _ lines: [String]) {
        // `finish` reports the error.
        do throws(WriteError) { try write(Data(text.utf8)) } catch { unwritten.withLock { $0? += lines } }
    }

    /// Writes the document of an error, unless standard output has the bytes of a file, or a document.
    ///
    /// A failed write is ignored, because the error that ends the command is more important.
    func out(_ error: CommandError) {
        guard canWrite, !isFile.withLock({ $0 }), !error.message.isEmpty, takesDocument() else { return }
        writeDocument(error)
    }

    /// Ends the process at a signal, with the document of the error. A command that has printed its document is left to
    /// end by itself.
    func endInterrupted() {
        // The lock is kept to the end, so that the command neither prints a document nor exits meanwhile.
        hasDocument.withLock { hasDocument in
            guard !hasDocument else { return }
            if QuietTerminal.restore() { status.line("") }
            Leftover.remove()
            let error = CommandError(status: .interrupted, message: "interrupted")
            note(error.message)
            if canWrite, !isFile.withLock({ $0 }) { writeDocument(error) }
            _exit(error.status.rawValue)
        }
    }

    private func takesDocument() -> Bool {
        hasDocument.withLock { hasDocument in
            defer { hasDocument = true }
            return !hasDocument
        }
    }

    private func writeDocument(_ error: CommandError) {
        // The status of the error stays the same, whether the document can be written or not.
        _ = try? Descriptor.output.write(
            Data((WireJSON.text(ErrorDocument(error)) + "\n").utf8))
    }

    /// Marks standard output as the file that a command writes.
    func becomesFile() { isFile.withLock { $0 = true } }

    /// Writes bytes of the command's result to standard output.
    ///
    /// - Throws: The error to end the command with. A command that continued would load data that nobody reads.
    func out(_ data: Data) throws(CommandError) {
        do throws(WriteError) { try write(data) } catch { throw .output(error) }
    }

    /// Writes one line to standard error: an error, or a note about the result. Nothing is written after the reader of
    /// standard output went away, unless the command acts.
    func note(_ text: String) {
        let isUnread = failure.withLock { $0?.isClosedPipe } == true && unwritten.withLock { $0 == nil }
        guard !text.isEmpty, !isUnread else { return }
        status.line("aquifer: \(Redaction.ofProcess.text(text).harmless)")
    }

    /// Writes one line of a log, which is a document already, to standard error.
    func log(_ document: String) {
        // There is nobody to tell of a log that cannot be written.
        try? Descriptor.errors.write(Data((document + "\n").utf8))
    }

    /// A line of standard input. The prompt is shown only if standard input is a terminal.
    func ask(_ prompt: String) throws(CommandError) -> String {
        if Descriptor.input.isTerminal { status.prompt(prompt) }
        return try line(prompt.lowercased().trimmingCharacters(in: .punctuationCharacters.union(.whitespaces)))
    }

    /// A line of standard input. The end of the input is an error.
    func line(_ what: String) throws(CommandError) -> String {
        guard let line = readLine() else { throw .usage("\(what) is missing: standard input has ended") }
        return line
    }

    /// A line that is typed on the terminal without being displayed; `nil` without a terminal.
    func secret(_ prompt: String) -> String? {
        guard Descriptor.input.isTerminal, let terminal = QuietTerminal() else { return nil }
        defer { terminal.end() }
        status.prompt(prompt)
        let line = readLine()
        status.line("")
        return line
    }

    /// A progress meter, which is displayed only on a terminal.
    func meter(_ options: GlobalOptions, _ title: String) -> Meter {
        Meter(title, on: !options.quiet && !options.json && Descriptor.errors.isTerminal ? status : nil)
    }

    /// True if no write to standard output has failed.
    var canWrite: Bool { failure.withLock { $0 == nil } }

    /// The final status of a command that ended with `status`. A failed write to standard output replaces it.
    func finish(_ status: ExitStatus) -> ExitStatus {
        guard let failure = failure.withLock({ $0 }) else { return status }
        let error = CommandError.output(failure)
        // The command may have ended with this very error, and reported it.
        if status != error.status { note(error.message) }
        for line in unwritten.withLock({ $0 }) ?? [] {
            note("\(status == .delivered ? "done, but its" : "its") result could not be written: \(line)")
        }
        return error.status
    }

    func exit(_ status: ExitStatus) -> Never {
        fflush(nil)
        // At a signal the process may be ending already.
        hasDocument.withLock { $0 = true }
        #if DEBUG
            // Coverage and sanitizers report when a program exits.
            Foundation.exit(status.rawValue)
        #else
            // Threads may be at work still: what libraries clean up at an exit, they would go on using.
            _exit(status.rawValue)
        #endif
    }

    private func write(_ data: Data) throws(WriteError) {
        if let failure = failure.withLock({ $0 }) { throw failure }
        do throws(WriteError) { try Descriptor.output.write(data) } catch {
            failure.withLock { $0 = error }
            throw error
        }
    }
}

extension CommandError {
    /// Output that cannot be written. There is no message if the reader went away.
    static func output(_ error: WriteError, _ name: String = "standard output") -> CommandError {
        error.isClosedPipe
            ? CommandError(status: .closedPipe, message: "")
            : CommandError(status: .unwritable, message: "\(name) cannot be written: \(error)")
    }
}

/// "1 byte", "2 bytes".
func counted(_ count: some BinaryInteger, _ one: String) -> String {
    "\(count) \(one)\(count == 1 ? "" : "s")"
}
