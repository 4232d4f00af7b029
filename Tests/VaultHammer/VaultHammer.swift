import Foundation
import Payments

/// Kills processes in the middle of writing to one vault, and looks whether the vault kept its promises.
@main
struct VaultHammer {
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
            guard let number = Int(text), number > 0 else { throw Usage(message: "\(name) takes a number") }
            return number
        }
        let path = value("--path") ?? ""
        if arguments.contains("--parent") {
            let parent = Parent(
                kills: try number("--kills", 200), workers: try number("--workers", 3),
                seed: UInt64(try number("--seed", 1)))
            let isGood = try await parent.run()
            exit(isGood ? 0 : 1)
        } else if let writer = value("--worker").flatMap({ Int($0) }) {
            let seed = UInt64(value("--seed") ?? "") ?? 1
            var worker = Worker(vault: Plan.open(path), writer: writer, numbers: SeededNumbers(state: seed))
            try await worker.run()
        } else if arguments.contains("--fill") {
            for number in 1...10 { try await Plan.open(path).add(try Plan.card(number)) }
        } else if arguments.contains("--full") {
            try await Faults.full(path)
        } else if arguments.contains("--read-only") {
            try await Faults.readOnly(path)
        } else {
            throw Usage(message: "nothing to do")
        }
    }
}
