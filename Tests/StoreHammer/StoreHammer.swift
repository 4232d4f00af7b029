import Foundation

/// Kills processes in the middle of writing to one store, and looks whether the store kept its promises.
@main
struct StoreHammer {
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
        guard let kind = value("--store") else { throw Usage(message: "no --store") }
        let path = value("--path") ?? ""
        if arguments.contains("--parent") {
            let parent = Parent(
                kind: kind, kills: try number("--kills", 200), workers: try number("--workers", 4),
                seed: UInt64(try number("--seed", 1)))
            let isGood = try await parent.run()
            exit(isGood ? 0 : 1)
        } else if let writer = value("--worker").flatMap({ Int($0) }) {
            let seed = UInt64(value("--seed") ?? "") ?? 1
            var worker = Worker(store: try Plan.open(kind, path), writer: writer, numbers: SeededNumbers(state: seed))
            try await worker.run()
        } else if arguments.contains("--fill") {
            let entry = Plan.entry(key: "key", writer: 0, counter: 1)
            try await Plan.open(kind, path).insert(entry, for: "key")
        } else if arguments.contains("--full") {
            try await Faults.full(kind, path)
        } else if arguments.contains("--read-only") {
            try await Faults.readOnly(kind, path)
        } else {
            throw Usage(message: "nothing to do")
        }
    }
}
