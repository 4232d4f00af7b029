import App
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
    /// What was asked for: one line or several.
    func out(_ text: String) {
        write(text.harmless(keeping: "\n") + "\n", to: 1)
    }

    /// What was asked for, as bytes.
    func out(_ data: Data) {
        FileHandle.standardOutput.write(data)
    }

    /// What went wrong, or what to know about what was asked for: one line.
    func note(_ text: String) {
        write("aquifer: \(text.harmless().withoutCardNumbers)\n", to: 2)
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
        guard isatty(0) == 1, let terminal = QuietTerminal() else { return nil }
        defer { terminal.end() }
        write(prompt, to: 2)
        let line = readLine()
        write("\n", to: 2)
        return line
    }

    /// Says where a file was put that was asked for; standard output has the file itself, and nothing else.
    func wrote(_ bytes: UInt64, to output: String, _ options: GlobalOptions) {
        guard output != "-" else { return }
        if options.json {
            out(JSONText.object([("file", .string(output)), ("bytes", .int(Int(bytes)))]).text)
        } else if !options.quiet {
            note("\(bytes) bytes written to \(output)")
        }
    }

    func exit(_ status: ExitStatus) -> Never {
        fflush(nil)
        Foundation.exit(status.rawValue)
    }

    private func write(_ text: String, to descriptor: Int32) {
        FileHandle(fileDescriptor: descriptor, closeOnDealloc: false).write(Data(text.utf8))
    }
}

extension String {
    /// The text with a space for each control character: what a server or a file name brought must not move the cursor,
    /// colour the terminal or type commands into it.
    fileprivate func harmless(keeping kept: Unicode.Scalar? = nil) -> String {
        var text = String.UnicodeScalarView()
        for scalar in unicodeScalars {
            text.append(scalar.properties.generalCategory == .control && scalar != kept ? " " : scalar)
        }
        return String(text)
    }

    /// The text with what may be a card's number left out: one that was typed in the wrong place is not repeated.
    var withoutCardNumbers: String {
        // Maximal words of letters, digits, dashes; 12 to 19 digits in one, or in several that follow each other, are one.
        replacing(/[0-9A-Za-z-]+(?: [0-9-]+)*/) { match in
            let digits = match.output.count(where: \.isNumber)
            let isNumber = (12...19).contains(digits) && !match.output.contains(where: \.isLetter)
            return isNumber ? "(digits left out)" : String(match.output)
        }
    }
}
