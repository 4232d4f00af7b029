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
        write("aquifer: \(text.harmless())\n", to: 2)
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
}
