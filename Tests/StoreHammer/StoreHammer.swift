import AquiferTesting
import Foundation
import Hammer

/// Kills processes in the middle of writing to one store, and checks that the store kept its promises.
@main
struct StoreHammer {
    private static let usage = "StoreHammer --parent --store sqlite|file [--kills N] [--seed N] [--workers N]"

    static func main() async {
        await HammerArguments.run(usage: usage) { arguments in
            guard let kind = arguments.value("--store") else { throw arguments.wrong("no --store") }
            let path = arguments.value("--path") ?? ""
            if arguments.has("--parent") {
                let parent = Parent(
                    kind: kind, kills: try arguments.number("--kills", or: 200),
                    workers: try arguments.number("--workers", or: 4), seed: try arguments.seed())
                exit(try await parent.run() ? 0 : 1)
            } else if arguments.has("--worker") {
                var worker = Worker(
                    store: try Plan.open(kind, path), writer: try arguments.number("--worker", or: 0, least: 0),
                    numbers: SeededNumbers(seed: try arguments.seed()))
                try await worker.run()
            } else if arguments.has("--fill") {
                let entry = Plan.entry(key: "key", writer: 0, counter: 1)
                try await Plan.open(kind, path).insert(entry, for: "key")
            } else if arguments.has("--tell") {
                try await Telling.run(kind, path, count: try arguments.number("--tell", or: 300))
            } else if arguments.has("--silent") {
                try Telling.runSilently(path)
            } else if arguments.has("--full") {
                try await Faults.full(kind, path)
            } else if arguments.has("--cut") {
                try await Faults.cut(path)
            } else if arguments.has("--stop") {
                try await Stopped.parent(kind, path)
            } else if let work = arguments.value("--stopped") {
                try await Stopped.work(work, kind, path)
            } else if arguments.has("--cut-each") {
                try await EachCut.run(path, step: try arguments.number("--cut-each", or: 1))
            } else if arguments.has("--read-only") {
                try await Faults.readOnly(kind, path)
            } else {
                throw arguments.wrong("nothing to do")
            }
        }
    }
}
