import Aquifer
import AquiferTesting
import Foundation

/// A server that takes each note once, by its key. The notes and the keys are on its disk, and survive a restart.
final class NotesServer: @unchecked Sendable {
    // One thread at a time runs in a simulation.
    private let world: Simulation
    private var keys: Set<String> = []
    /// The notes in the order in which they came, each with its group.
    private(set) var taken: [(group: String, note: String)] = []

    init(_ world: Simulation) { self.world = world }

    func restart() {
        if world.switches.contains("forgetful") { keys = [] }
    }

    func answer(_ request: SimulatedNetwork.Request) async -> SimulatedNetwork.Answer {
        // It takes its time, before it acts and after.
        for _ in 0..<2 {
            try? await world.clock.sleep(for: world.random.duration(in: .microseconds(10) ... .milliseconds(100)))
        }
        guard request.method == .post, let key = request.headers["Idempotency-Key"] else {
            return .init(status: 405)
        }
        let words = String(decoding: request.body, as: UTF8.self).split(separator: " ").map(String.init)
        guard words.count == 2 else { return .init(status: 422) }
        if keys.insert(key).inserted {
            taken.append((words[0], words[1]))
            world.note("takes \(words[1]) of \(words[0])")
        }
        return .init(status: 201, body: Data("noted".utf8))
    }
}
