import Foundation

/// Runs seeds and prints what they showed. Standard output has the same bytes for the same seeds.
struct SimulationReport {
    private let options: SimulationOptions
    private var failed = 0
    private var counts: [SimulatedFault: Int] = [:]
    private let started = Date()
    private var seeds: UInt64 = 0

    init(_ options: SimulationOptions) { self.options = options }

    private struct Outcome {
        var failure: String?
        var trace: Trace
        var steps: Int
        var time: Int64
        var struck: [SimulatedFault: Int]
    }

    mutating func run(_ name: String, _ world: @escaping Simulation.World) {
        var (hash, steps, passed) = (Trace(isKept: false), 0, 0)
        for seed in options.first..<options.first + options.count {
            let outcome = simulate(seed, world, isTraced: options.isTraced)
            seeds += 1
            counts.merge(outcome.struck, uniquingKeysWith: +)
            hash.mix(outcome.trace.hash)
            steps += outcome.steps
            if options.isTraced { tell(name, seed, outcome) }
            guard outcome.failure != nil else {
                passed += 1
                continue
            }
            failed += 1
            if !options.isTraced { tell(name, seed, replay(seed, world, outcome)) }
            if !options.goesOn { break }
        }
        Simulation.say(
            "\(name): \(passed) passed, \(options.first) on, \(steps) steps, trace \(String(hash.hash, radix: 16))")
    }

    /// Runs a failing seed again, to have its schedule. It must do the same again.
    private func replay(_ seed: UInt64, _ world: @escaping Simulation.World, _ first: Outcome) -> Outcome {
        let again = simulate(seed, world, isTraced: true)
        if again.trace.hash != first.trace.hash {
            Simulation.say("Seed \(seed) ran in another way when it was repeated: something leaves the simulation.")
            return first
        }
        return again
    }

    private func simulate(_ seed: UInt64, _ world: @escaping Simulation.World, isTraced: Bool) -> Outcome {
        let scheduler = Scheduler.shared
        scheduler.limits = .init()
        let simulation = Simulation(seed: seed, switches: options.switches, without: options.without)
        scheduler.run(seed: seed, isTraced: isTraced) { try await world(simulation) }
        return Outcome(
            failure: scheduler.failure, trace: scheduler.trace, steps: scheduler.steps, time: scheduler.now,
            struck: simulation.faults.struck)
    }

    private func tell(_ name: String, _ seed: UInt64, _ outcome: Outcome) {
        let verdict = outcome.failure.map { "FAILED: \($0)" } ?? "passed"
        let shown = options.isTraced ? outcome.trace.schedule.count : min(60, outcome.trace.schedule.count)
        let without = options.without.map(\.rawValue).sorted().joined(separator: ",")
        let switches = options.switches.sorted().joined(separator: ",")
        let lines =
            ["\(name), seed \(seed): \(verdict)", "  history:"]
            + outcome.trace.history.map { "    \($0)" }
            + ["  schedule, the last \(shown) of \(outcome.steps) steps:"]
            + outcome.trace.schedule.suffix(shown).map { "    \($0)" }
            + [
                "  faults: \(Self.line(outcome.struck))",
                "  \(Trace.moment(outcome.time)) s, trace \(String(outcome.trace.hash, radix: 16))",
                "  replay: --world \(name) --seed \(seed)" + (without.isEmpty ? "" : " --without \(without)")
                    + (switches.isEmpty ? "" : " --set \(switches)"),
            ]
        Simulation.say(lines.joined(separator: "\n"))
    }

    private static func line(_ counts: [SimulatedFault: Int]) -> String {
        let named = SimulatedFault.allCases.compactMap { fault in counts[fault].map { "\(fault.rawValue) \($0)" } }
        return named.isEmpty ? "none" : named.joined(separator: ", ")
    }

    /// Prints the sum; returns the exit status.
    func end() -> Int32 {
        Simulation.say("faults: \(Self.line(counts))")
        let seconds = max(0.001, Date().timeIntervalSince(started))
        Simulation.say("\(Int(Double(seeds) / seconds)) seeds/s", to: .standardError)
        return failed == 0 ? 0 : 1
    }
}
