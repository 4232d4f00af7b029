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

    func exit(_ status: ExitStatus) -> Never {
        fflush(nil)
        Foundation.exit(status.rawValue)
    }

    private func write(_ text: String, to descriptor: Int32) {
        FileHandle(fileDescriptor: descriptor, closeOnDealloc: false).write(Data(text.utf8))
    }
}
