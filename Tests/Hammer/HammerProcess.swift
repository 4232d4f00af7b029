import Foundation

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// The hammer's own program, started once more with other arguments, and the thread that reads its output.
package final class HammerProcess {
    private let process = Process()
    private let drained = DispatchSemaphore(value: 0)

    /// Starts the process.
    ///
    /// - Parameter onLine: called with each line that the process has written whole, on a thread of its own, up to its
    ///   end.
    package init(_ arguments: [String], onLine: @escaping @Sendable (String) -> Void) throws {
        process.executableURL = Bundle.main.executableURL
        process.arguments = arguments
        let pipe = Pipe()
        process.standardOutput = pipe
        try process.run()
        let (output, drained) = (pipe.fileHandleForReading, drained)
        Thread.detachNewThread {
            var rest = Data()
            while true {
                let chunk = output.availableData
                if chunk.isEmpty { break }
                rest.append(chunk)
                while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
                    onLine(String(decoding: rest[..<end], as: UTF8.self))
                    rest = Data(rest[(end + 1)...])
                }
            }
            drained.signal()
        }
    }

    /// Lets the processes work on, for at most a minute, until there is enough to judge by: on a busy machine they get
    /// little done between two kills.
    package static func wait(until isEnough: () -> Bool) {
        for _ in 0..<1_200 where !isEnough() { usleep(50_000) }
    }

    /// Kills the process, and waits until all of its output has been read.
    package func strike() {
        kill(process.processIdentifier, SIGKILL)
        drained.wait()
        process.waitUntilExit()
    }

    /// Lets a stopped process go on.
    package func resume() { kill(process.processIdentifier, SIGCONT) }

    /// True if the process ended with status 0 within five minutes.
    package func waitForEnd() -> Bool {
        guard drained.wait(timeout: .now() + 300) == .success else {
            kill(process.processIdentifier, SIGKILL)
            return false
        }
        process.waitUntilExit()
        return process.terminationStatus == 0
    }

    /// Tells the parent a line, in one write call of less than PIPE_BUF bytes: it gets all of the line or none.
    package static func tell(_ line: String) throws {
        try FileHandle.standardOutput.write(contentsOf: Data("\(line)\n".utf8))
    }
}
