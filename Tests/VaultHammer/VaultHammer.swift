import AquiferPayments
import AquiferTesting
import Foundation
import Hammer

/// Kills processes in the middle of writing to one vault, and checks that the vault kept its promises.
@main
struct VaultHammer {
    private static let usage = "VaultHammer --parent [--kills N] [--seed N] [--workers N]"

    static func main() async {
        await HammerArguments.run(usage: usage) { arguments in
            let path = arguments.value("--path") ?? ""
            if arguments.has("--parent") {
                let parent = Parent(
                    kills: try arguments.number("--kills", or: 200), workers: try arguments.number("--workers", or: 3),
                    seed: try arguments.seed())
                exit(try await parent.run() ? 0 : 1)
            } else if arguments.has("--worker") {
                var worker = Worker(
                    vault: Plan.open(path), writer: try arguments.number("--worker", or: 0, least: 0),
                    numbers: SeededNumbers(seed: try arguments.seed()))
                try await worker.run()
            } else if arguments.has("--fill") {
                for number in 1...10 { try await Plan.open(path).add(try Plan.card(number)) }
            } else if arguments.has("--full") {
                try await Faults.full(path)
            } else if arguments.has("--read-only") {
                try await Faults.readOnly(path)
            } else {
                throw arguments.wrong("nothing to do")
            }
        }
    }
}
