import Aquifer
import Foundation

/// The faults of a ``Simulation``: which may strike, how often they do, and how often they have.
///
/// None strikes until the world allows some. Each seed then draws about half of those, each with a rate of its own, so
/// that a fault is also seen without the others that would hide it.
public final class Faults: @unchecked Sendable {
    // One thread at a time runs in a simulation.

    /// The number of steps until a fault strikes that no call asks for.
    private struct Countdown {
        var fault: SimulatedFault
        var left: Int
        /// The mean number of steps between two of them, for the rate 1.
        var mean: Double
        /// The number of times that it may still strike.
        var most: Int
    }

    private let random: SimulatedRandom
    private let without: Set<SimulatedFault>
    private var rates: [SimulatedFault: Double] = [:]
    private var countdowns: [Countdown] = []
    private var counts: [SimulatedFault: Int] = [:]
    private var processes: [SimulatedProcess] = []
    /// What the disk does when the power fails, and when a file is to be damaged.
    var whenPowerFails: () -> Void = {}
    var whenDamaged: (SimulatedFault) -> Void = { _ in }

    init(_ random: SimulatedRandom, without: Set<SimulatedFault>) {
        self.random = random
        self.without = without
        Scheduler.shared.faults = self
    }

    /// The number of times that each kind has struck.
    public var struck: [SimulatedFault: Int] { counts }

    /// True from ``allow(_:)`` to ``stop()``.
    public private(set) var areOn = false

    /// Lets faults strike from now on, as the seed draws them.
    public func allow(_ faults: Set<SimulatedFault>) {
        areOn = true
        // All are drawn, in the order of their declaration: a seed draws the same for those that are left when one is
        // switched off.
        for fault in SimulatedFault.allCases {
            // The seeds of worlds that do not know it stay as they were.
            if fault == .stop, !faults.contains(.stop) { continue }
            let (isOn, rate) = (random.chance(0.5), [0.01, 0.03, 0.1, 0.3][random.int(in: 0...3)])
            let (most, fraction) = (random.int(in: 1...6), random.fraction())
            guard faults.contains(fault), !without.contains(fault), isOn else { continue }
            rates[fault] = rate
            guard let (mean, bound) = Self.steps(fault, most) else { continue }
            let left = Self.gap(mean / rate, fraction)
            countdowns.append(Countdown(fault: fault, left: left, mean: mean, most: bound))
        }
    }

    /// The faults that strike by themselves: the mean number of steps between them, and how often they may strike.
    private static func steps(_ fault: SimulatedFault, _ most: Int) -> (Double, Int)? {
        switch fault {
        case .kill: (5, most)
        case .slowness: (2, .max)
        case .clockSkew: (10, .max)
        case .powerCut: (20, (most + 1) / 2)
        case .bitFlip, .fileCut, .fileSwapped: (10, most)
        case .stop: (5, most)
        default: nil
        }
    }

    private static func gap(_ mean: Double, _ fraction: Double) -> Int { 1 + Int(-log(max(fraction, 1e-9)) * mean) }

    /// Lets no fault strike any more: for the end of a world, when everything must come to rest.
    public func stop() {
        (areOn, rates, countdowns) = (false, [:], [])
    }

    /// True if a fault strikes now. It is counted.
    public func strikes(_ fault: SimulatedFault) -> Bool {
        guard draws(fault) else { return false }
        count(fault)
        return true
    }

    /// True if a fault is to strike later. It is counted when it does.
    func draws(_ fault: SimulatedFault) -> Bool { rates[fault].map { random.chance($0) } ?? false }

    /// A number in 0 … 1 that belongs to a fault: for how much of a body arrives, and the like.
    func fraction() -> Double { random.fraction() }
    func duration(_ range: ClosedRange<Duration>) -> Duration { random.duration(in: range) }
    func int(in range: ClosedRange<Int>) -> Int { random.int(in: range) }

    func count(_ fault: SimulatedFault) { counts[fault, default: 0] += 1 }

    func add(_ process: SimulatedProcess) { processes.append(process) }

    // MARK: Before each step, each call, each start

    func beforeStep() {
        for place in countdowns.indices where countdowns[place].left > 0 {
            countdowns[place].left -= 1
            if countdowns[place].left == 0 { strike(place, nil) }
        }
    }

    /// Before a call of network or disk by the running process: a kill or the loss of power may strike.
    func beforeCall() {
        for place in countdowns.indices
        where [.kill, .powerCut, .stop].contains(countdowns[place].fault) {
            countdowns[place].left -= 1
            guard countdowns[place].left == 0 else { continue }
            strike(place, processes.first { $0.isCurrent })
        }
    }

    /// Before the first step of a process.
    func beforeStart(_ process: SimulatedProcess) {
        if strikes(.clockSkew) { jump(process) }
    }

    private func strike(_ place: Int, _ running: SimulatedProcess?) {
        let countdown = countdowns[place]
        countdowns[place].most -= 1
        let isLast = countdowns[place].most <= 0
        countdowns[place].left =
            isLast ? -1 : Self.gap(countdown.mean / (rates[countdown.fault] ?? 1), random.fraction())
        switch countdown.fault {
        case .kill: kill(running)
        case .powerCut: losePower()
        case .stop: stop(running)
        case .slowness:
            count(.slowness)
            Scheduler.shared.pass(duration(.microseconds(100) ... .seconds(5)).nanoseconds)
        case .clockSkew:
            if let process = random.element(of: processes) { jump(process) }
        default: whenDamaged(countdown.fault)
        }
    }

    private func jump(_ process: SimulatedProcess) {
        let size = duration(.milliseconds(1) ... .seconds(400_000)).timeInterval
        process.skew = random.chance(0.3) ? 0 : random.chance(0.5) ? size : -size
        count(.clockSkew)
        let scheduler = Scheduler.shared
        scheduler.trace.note(
            "the date of \(process.name) is wrong by \(process.skew) s", at: scheduler.now, by: scheduler.world)
    }

    private func kill(_ running: SimulatedProcess?) {
        let mortal = processes.filter { $0.isMortal && $0.isRunning }
        guard let victim = running ?? random.element(of: mortal), victim.isMortal else { return }
        count(.kill)
        victim.kill()
        restart(victim)
    }

    private func stop(_ running: SimulatedProcess?) {
        let mortal = processes.filter { $0.isMortal && $0.isRunning && !$0.isStopped }
        guard let victim = running ?? random.element(of: mortal), victim.isMortal else { return }
        count(.stop)
        victim.stop()
        let pause = duration(.milliseconds(10) ... .seconds(120))
        Scheduler.shared.ring(after: pause, as: Scheduler.shared.world) { [start = victim.starts] in
            if victim.starts == start { victim.resume() }
        }
    }

    /// Lets the machine lose its power now: all processes are killed, and start again a moment later. The disk has what was
    /// flushed, and what else happened to reach it. Does nothing while a process runs that is not mortal.
    public func losePower() {
        let running = processes.filter(\.isRunning)
        guard running.allSatisfy(\.isMortal) else { return }
        count(.powerCut)
        for process in running { process.kill() }
        whenPowerFails()
        for process in running { restart(process) }
    }

    private func restart(_ process: SimulatedProcess) {
        let pause = duration(.milliseconds(1) ... .seconds(20))
        Scheduler.shared.ring(after: pause, as: Scheduler.shared.world) { process.start() }
    }
}
