import Foundation

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// Standard output and standard error.
struct Console: Sendable {
    /// What was asked for.
    func out(_ text: String) {
        write(harmless(text, except: "\n") + "\n", to: 1)
    }

    /// What was asked for, as bytes.
    func out(_ data: Data) {
        FileHandle.standardOutput.write(data)
    }

    /// What went wrong, or what to know about what was asked for: one line.
    func note(_ text: String) {
        write("aquifer: \(harmless(text))\n", to: 2)
    }

    /// What a server or a file name brought must not move the cursor or colour the terminal.
    private func harmless(_ text: String, except allowed: Unicode.Scalar? = nil) -> String {
        String(
            String.UnicodeScalarView(
                text.unicodeScalars.map { $0.properties.generalCategory == .control && $0 != allowed ? " " : $0 }))
    }

    /// A line of standard input; on a terminal it is asked for.
    func ask(_ prompt: String) throws(CommandError) -> String {
        if isatty(0) == 1 { write(prompt, to: 2) }
        return try line(prompt.lowercased().trimmingCharacters(in: .punctuationCharacters.union(.whitespaces)))
    }

    /// A line of standard input, which must be there.
    func line(_ what: String) throws(CommandError) -> String {
        guard let line = readLine() else { throw .usage("\(what) is missing: standard input has ended") }
        return line
    }

    /// A line typed on the terminal without being shown; `nil` without a terminal.
    func secret(_ prompt: String) -> String? {
        guard isatty(0) == 1 else { return nil }
        write(prompt, to: 2)
        var before = termios()
        guard tcgetattr(0, &before) == 0 else { return nil }
        var quiet = before
        quiet.c_lflag &= ~tcflag_t(ECHO)
        tcsetattr(0, TCSAFLUSH, &quiet)
        defer {
            tcsetattr(0, TCSAFLUSH, &before)
            write("\n", to: 2)
        }
        return readLine()
    }

    func exit(_ status: ExitStatus) -> Never {
        fflush(nil)
        Foundation.exit(status.rawValue)
    }

    private func write(_ text: String, to descriptor: Int32) {
        FileHandle(fileDescriptor: descriptor, closeOnDealloc: false).write(Data(text.utf8))
    }
}
