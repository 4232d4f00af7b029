import Foundation

/// Kills senders and server in the middle of sending from one outbox, and looks whether the server has each item once,
/// in order.
@main
struct OutboxHammer {
    static func main() async {
        do {
            try await run(Array(CommandLine.arguments.dropFirst()))
        } catch {
            FileHandle.standardError.write(Data("\(error)\n".utf8))
            exit(2)
        }
    }

    private static func run(_ arguments: [String]) async throws {
        func value(_ name: String) -> String? {
            arguments.firstIndex(of: name).flatMap { $0 + 1 < arguments.count ? arguments[$0 + 1] : nil }
        }
        func number(_ name: String, _ otherwise: Int) throws -> Int {
            guard let text = value(name) else { return otherwise }
            guard let number = Int(text), number >= 0 else { throw Usage(message: "\(name) takes a number") }
            return number
        }
        let seed = UInt64(try number("--seed", 1))
        if arguments.contains("--parent") {
            let parent = Parent(kills: try number("--kills", 200), senders: 2, seed: seed)
            exit(try await parent.run() ? 0 : 1)
        }
        guard let path = value("--path") else { throw Usage(message: "no --path") }
        let place = Place(path)
        if arguments.contains("--sender") {
            let sender = try Sender(place, writer: try number("--writer", 0), seed: seed)
            try await sender.run(isQuiet: arguments.contains("--quiet"))
        } else if arguments.contains("--server") {
            try Server(place, seed: seed, isCalm: arguments.contains("--calm")).run()
        } else if arguments.contains("--full") {
            try await Faults.full(place)
        } else {
            throw Usage(message: "nothing to do")
        }
    }
}

struct Usage: Error, CustomStringConvertible {
    let message: String
    var description: String { "\(message)\nusage: OutboxHammer --parent [--kills N] [--seed N]" }
}
