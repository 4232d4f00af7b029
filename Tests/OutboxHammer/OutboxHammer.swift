import Foundation
import Hammer

/// Kills senders and server in the middle of sending from one outbox, and checks that the server has each item once, in
/// order.
@main
struct OutboxHammer {
    static func main() async {
        await HammerArguments.run(usage: "OutboxHammer --parent [--kills N] [--seed N]") { arguments in
            let seed = try arguments.seed()
            if arguments.has("--parent") {
                let parent = Parent(kills: try arguments.number("--kills", or: 200), senders: 2, seed: seed)
                exit(try await parent.run() ? 0 : 1)
            }
            guard let path = arguments.value("--path") else { throw arguments.wrong("no --path") }
            let place = Place(path)
            if arguments.has("--sender") {
                let sender = try Sender(place, writer: try arguments.number("--writer", or: 0, least: 0), seed: seed)
                try await sender.run(isQuiet: arguments.has("--quiet"))
            } else if arguments.has("--server") {
                try Server(place, seed: seed, isCalm: arguments.has("--calm")).run()
            } else if arguments.has("--full") {
                try await Faults.full(place)
            } else {
                throw arguments.wrong("nothing to do")
            }
        }
    }
}
