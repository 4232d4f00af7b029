import Aquifer
import AquiferTesting
import Foundation

/// Looks at each page that is delivered: it was the server's, it is not older than what this process has shown, no
/// expired copy is shown, and every answer comes within its bound of time.
final class PagesJudge: @unchecked Sendable {
    // One thread at a time runs in a simulation.
    private let world: Simulation
    private let server: PagesServer
    private let maxAge: Duration
    /// Whether all clocks are right: then a copy's age is its true age.
    private let clocksAreRight: Bool
    /// The newest version that was shown, for each process and page.
    private var shown: [String: Int] = [:]

    init(_ world: Simulation, _ server: PagesServer, maxAge: Duration, clocksAreRight: Bool) {
        (self.world, self.server, self.maxAge, self.clocksAreRight) = (world, server, maxAge, clocksAreRight)
    }

    static func text(_ page: String, _ version: Int) -> String { "\(page) version \(version)" }

    /// - Parameters:
    ///   - reader: one life of a process, in which nothing else asks for the page.
    ///   - asked: when it asked.
    func see(
        _ loaded: Loaded<String>, of page: String, by reader: String, now: Date, asked: SimulatedClock.Instant
    ) {
        guard world.callerIsAlive else { return }
        let took = asked.duration(to: world.clock.now)
        world.expect(took < .seconds(900), "\(page) took \(took)")
        guard let version = loaded.value.split(separator: " ").last.flatMap({ Int($0) }),
            loaded.value == Self.text(page, version), let begun = server.versions[page], version < begun.count
        else { return world.expect(false, "\(page) was delivered as what the server never said: \(loaded.value)") }
        world.note("sees version \(version) of \(page) \(loaded.source)")
        if case .cache(let savedAt, _) = loaded.source {
            let age = now.timeIntervalSince(savedAt)
            // Some time may have passed since it was judged.
            world.expect(!clocksAreRight || age <= maxAge.timeInterval + 60, "\(page) was shown expired: \(age) s old")
            // A copy is as old as its answer, which may have been under way for some minutes.
            if clocksAreRight, version + 1 < begun.count {
                let gone = world.date.timeIntervalSince(begun[version + 1])
                world.expect(gone < maxAge.timeInterval + 900, "\(page) was shown \(gone) s after it had changed")
            }
        }
        guard clocksAreRight else { return }
        let key = "\(reader) \(page)"
        if let before = shown[key], version < before {
            // Dates of answers have whole seconds: of two answers within one, nobody can say which is newer. And a file
            // that was swapped away and back is an old copy that nothing in it betrays.
            // In place of a copy that was damaged, an older answer that had been under way is the best there is.
            let isDamaged = world.disk.damaged.contains { $0.contains(page) }
            let mayBeOlder = !server.datesTell(version, from: before, of: page) || swaps > 1 || isDamaged
            world.expect(mayBeOlder, "\(reader) saw version \(before) of \(page), and then \(version)")
        }
        // What could not be saved cannot be shown again without a connection.
        if loaded.saveError == nil { shown[key] = max(version, shown[key] ?? 0) }
    }

    private var swaps: Int { world.faults.struck[.fileSwapped] ?? 0 }

    func fail(_ error: LoadError, of page: String, asked: SimulatedClock.Instant) {
        let took = asked.duration(to: world.clock.now)
        world.expect(took < .seconds(900), "the error for \(page) took \(took)")
        world.note("no \(page): \(error)")
    }
}
