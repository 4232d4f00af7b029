import Foundation

/// The arguments of a hammer: `--name VALUE` and `--flag`.
package struct HammerArguments: Sendable {
    private let words: [String]
    private let usage: String

    /// Runs a hammer with its arguments. An error is printed, and ends the program with status 2.
    package static func run(usage: String, _ work: @Sendable (HammerArguments) async throws -> Void) async {
        do {
            try await work(HammerArguments(words: Array(CommandLine.arguments.dropFirst()), usage: usage))
        } catch {
            FileHandle.standardError.write(Data("\(error)\n".utf8))
            exit(2)
        }
    }

    package func has(_ flag: String) -> Bool { words.contains(flag) }

    package func value(_ name: String) -> String? {
        words.firstIndex(of: name).flatMap { $0 + 1 < words.count ? words[$0 + 1] : nil }
    }

    /// The number behind a name, which is at least `least`; a default if the name is missing.
    package func number(_ name: String, or otherwise: Int, least: Int = 1) throws -> Int {
        guard let text = value(name) else { return otherwise }
        guard let number = Int(text), number >= least else {
            throw wrong("\(name) takes a number of at least \(least)")
        }
        return number
    }

    /// The seed of this process: `--seed`, or 1.
    package func seed() throws -> UInt64 {
        guard let text = value("--seed") else { return 1 }
        guard let seed = UInt64(text) else { throw wrong("--seed takes a number") }
        return seed
    }

    /// Prints the fault and the usage.
    package func wrong(_ message: String) -> any Error { Trouble("\(message)\nusage: \(usage)") }
}

/// The reason why a hammer cannot go on.
package struct Trouble: Error, CustomStringConvertible {
    package let description: String

    package init(_ description: String) { self.description = description }
}
