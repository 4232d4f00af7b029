import Aquifer
import AquiferTesting

/// Knows what was queued, and compares it with what the server has taken: nothing acknowledged is lost, nothing is there
/// twice, and each group keeps its order.
final class NotesJudge: @unchecked Sendable {
    // One thread at a time runs in a simulation.
    private struct Queued {
        var group: String
        /// When the call began, and when it returned: `nil` if it never did.
        var begun: Int
        var acknowledged: Int?
        /// True if the call threw: nothing is queued then.
        var isRefused = false
    }

    private let world: Simulation
    private var queued: [String: Queued] = [:]
    private var events = 0

    init(_ world: Simulation) { self.world = world }

    /// True while no note was acknowledged.
    var hasAcknowledgedNothing: Bool { queued.values.allSatisfy { $0.acknowledged == nil } }

    func begin(_ note: String, _ group: String) {
        guard world.callerIsAlive else { return }
        events += 1
        queued[note] = Queued(group: group, begun: events)
    }

    func acknowledge(_ note: String, _ group: String) {
        guard world.callerIsAlive else { return }
        events += 1
        queued[note]?.acknowledged = events
        world.note("has queued \(note) in \(group)")
    }

    /// - Parameter mayBeKept: true for a database: a commit that failed may be in its log all the same, and then counts
    ///   after a loss of power.
    func refuse(_ note: String, _ error: any Error, mayBeKept: Bool = false) {
        guard world.callerIsAlive else { return }
        if case OutboxError.store(.uncertain) = error {
            world.note("may have queued \(note): \(error)")
            return
        }
        // Only the last flush can fail after the item has its name.
        if case OutboxError.store(.failed(let operation, _)) = error, mayBeKept || operation.hasPrefix("flush") {
            world.note("may have queued \(note): \(error)")
            return
        }
        queued[note]?.isRefused = true
        world.note("could not queue \(note): \(error)")
    }

    func compare(with taken: [(group: String, note: String)]) {
        var places: [String: Int] = [:]
        for (place, item) in taken.enumerated() {
            world.expect(places[item.note] == nil, "\(item.note) is at the server twice")
            world.expect(queued[item.note]?.group == item.group, "\(item.note) was not queued in \(item.group)")
            world.expect(queued[item.note]?.isRefused == false, "\(item.note) was not queued, and is at the server")
            places[item.note] = place
        }
        let sorted = queued.sorted { $0.value.begun < $1.value.begun }
        for (note, item) in sorted where item.acknowledged != nil {
            world.expect(places[note] != nil, "\(note) was acknowledged and is lost")
        }
        for (earlier, one) in sorted {
            guard let end = one.acknowledged, let place = places[earlier] else { continue }
            for (later, other) in sorted where other.group == one.group && end < other.begun {
                guard let otherPlace = places[later] else { continue }
                world.expect(place < otherPlace, "\(later) was queued after \(earlier) and arrived before it")
            }
        }
    }
}
