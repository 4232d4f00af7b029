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
        write(text + "\n", to: 1)
    }

    /// What was asked for, as bytes.
    func out(_ data: Data) {
        FileHandle.standardOutput.write(data)
    }

    /// What went wrong, or what to know about what was asked for: one line.
    func note(_ text: String) {
        // What a server or a file name brought must not move the cursor or colour the terminal.
        let line = String(text.unicodeScalars.map { $0.value < 0x20 || $0.value == 0x7F ? " " : Character($0) })
        write("aquifer: \(line)\n", to: 2)
    }

    func exit(_ status: ExitStatus) -> Never {
        fflush(nil)
        Foundation.exit(status.rawValue)
    }

    private func write(_ text: String, to descriptor: Int32) {
        FileHandle(fileDescriptor: descriptor, closeOnDealloc: false).write(Data(text.utf8))
    }
}
