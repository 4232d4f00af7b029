import Aquifer
import AquiferTesting

/// Knows who has logged in and out. After an end nobody who began before it saves, reads or sends anything; what is not
/// ended is as it was; unsent changes that are kept are their user's alone, and arrive once.
final class UsersJudge: @unchecked Sendable {
    // One thread at a time runs in a simulation.

    /// One login in one process.
    final class Session: @unchecked Sendable {
        let (user, name): (String, String)
        let begun: Int
        /// The generation of the scope, once it is known.
        fileprivate(set) var generation: String?
        /// The values that it has saved, or has tried to, in their order.
        fileprivate var writes: [(value: String, begun: Int, acknowledged: Int?)] = []
        /// When it has looked at the mark of a scope.
        var looks: [ClosedRange<Int>] = []
        /// When it could not look.
        var failedLooks: [Int] = []

        init(_ user: String, _ name: String, _ begun: Int) { (self.user, self.name, self.begun) = (user, name, begun) }
    }

    /// A call over the scope.
    struct Call {
        let session: Session
        let begun: Int
    }

    /// A call that ends a scope.
    final class End: @unchecked Sendable {
        let generation: String
        let choice: Scope.Unsent?
        let begun: Int
        var returned: Int?

        init(_ generation: String, _ choice: Scope.Unsent?, _ begun: Int) {
            (self.generation, self.choice, self.begun) = (generation, choice, begun)
        }
    }

    let world: Simulation
    let server: UsersServer
    /// The number of things that have happened: moments have an order.
    private var moments = 0
    private var sessions: [Session] = []
    private var ends: [String: [End]] = [:]
    /// For each generation, the moments of the tries to count one up, and of those that succeeded.
    private var counts: [String: (tries: [Int], done: [Int])] = [:]
    var notes: [UsersNote] = []

    init(_ world: Simulation, _ server: UsersServer) { (self.world, self.server) = (world, server) }

    /// The present moment. No two are the same.
    var now: Int {
        moments += 1
        return moments
    }

    /// The parts of the key of a scope's entry in the store around: `scope/NAME/GENERATION/KEY`.
    static func parts(_ key: String) -> (generation: String, key: String)? {
        let parts = key.split(separator: "/", maxSplits: 3).map(String.init)
        return parts.count == 4 && parts[0] == "scope" ? (parts[2], parts[3]) : nil
    }

    // MARK: Logging in

    func begin(_ user: String, _ process: SimulatedProcess) -> Session {
        let session = Session(user, "\(process.name)#\(process.starts).\(sessions.count)", now)
        if world.callerIsAlive { sessions.append(session) }
        return session
    }

    func open(_ session: Session, _ generation: String) {
        guard world.callerIsAlive else { return }
        session.generation = generation
        world.note("\(session.name) is \(session.user) in \(generation)")
        let others = sessions.filter { $0.generation == generation }
        world.expect(others.allSatisfy { $0.user == session.user }, "\(generation) has two users")
        expectNoEnd(generation, before: session.begun, "\(session.name) has logged in to \(generation)")
    }

    /// Those who are logged in to the same generation.
    func sessions(of session: Session) -> [Session] {
        guard let generation = session.generation else { return [] }
        return sessions.filter { $0.generation == generation }
    }

    /// The generations that a user was seen in.
    func generations(of user: String) -> Set<String> {
        Set(sessions.filter { $0.user == user }.compactMap(\.generation))
    }

    // MARK: Calls

    func call(_ session: Session) -> Call { Call(session: session, begun: now) }

    /// A call succeeded. None does that began after an end.
    func succeed(_ call: Call, _ what: String) {
        guard world.callerIsAlive else { return }
        world.note("\(call.session.name) \(what)")
        guard let generation = call.session.generation else { return }
        expectNoEnd(generation, before: call.begun, "\(call.session.name) \(what)")
    }

    func fail(_ call: Call, _ error: StoreError) {
        guard world.callerIsAlive else { return }
        world.note("\(call.session.name): \(error)")
        guard case .ended = error, let generation = call.session.generation else { return }
        world.expect(ends[generation]?.isEmpty == false, "\(generation) has ended, and nobody has ended it")
    }

    private func expectNoEnd(_ generation: String, before moment: Int, _ what: String) {
        world.expect(!hasEnded(generation, before: moment), "\(what) after the end of \(generation)")
    }

    func hasEnded(_ generation: String, before moment: Int) -> Bool {
        ends(of: generation).contains { $0.returned.map { $0 < moment } ?? false }
    }

    func ends(of generation: String) -> [End] { ends[generation] ?? [] }

    // MARK: Values

    /// A new value of a session, which is going to be saved.
    func write(_ session: Session) -> String {
        let value = "\(session.name)=\(session.writes.count)"
        if world.callerIsAlive { session.writes.append((value, now, nil)) }
        return value
    }

    func wrote(_ session: Session, _ value: String) {
        guard world.callerIsAlive else { return }
        session.writes[session.writes.count - 1].acknowledged = now
    }

    func read(_ found: String?, of writer: Session, _ call: Call) {
        guard world.callerIsAlive else { return }
        let last = writer.writes.lastIndex { $0.acknowledged.map { $0 < call.begun } ?? false }
        let possible = writer.writes[(last ?? 0)...].map(\.value)
        let isPossible = found.map { possible.contains($0) } ?? (last == nil)
        world.expect(isPossible, "\(call.session.name) reads \(found ?? "nothing"), and \(possible) was saved")
    }

    func add(_ session: Session) {
        guard world.callerIsAlive, let generation = session.generation else { return }
        counts[generation, default: ([], [])].tries.append(now)
    }

    func added(_ sum: Int?, _ call: Call) {
        guard world.callerIsAlive, let generation = call.session.generation else { return }
        let (tries, done) = counts[generation] ?? ([], [])
        let least = done.count { $0 < call.begun } + 1
        world.expect(
            sum.map { (least...tries.count).contains($0) } ?? false,
            "\(sum ?? 0) is the sum of \(least) to \(tries.count) in \(generation)")
        counts[generation]?.done.append(now)
    }

    func load(_ page: String, _ call: Call) {
        let expected = "\(call.session.user.replacing("/", with: "-"))|\(call.session.generation ?? "")|"
        world.expect(page.hasPrefix(expected), "\(call.session.name) was shown \(page)")
    }

    // MARK: Logging out

    func beginEnd(_ session: Session, _ choice: Scope.Unsent?) -> End? {
        guard world.callerIsAlive, let generation = session.generation else { return nil }
        let end = End(generation, choice, now)
        ends[generation, default: []].append(end)
        world.note("\(session.name) ends \(generation): \(choice.map { "\($0)" } ?? "without a choice")")
        return end
    }

    func ended(_ end: End) {
        guard world.callerIsAlive else { return }
        end.returned = now
        world.note("\(end.generation) has ended")
        expectAllSent(by: end)
    }

    func failed(_ end: End, _ error: ScopeError) {
        guard world.callerIsAlive else { return }
        world.note("\(end.generation) has not ended: \(error)")
        if case .unsent(let count) = error {
            world.expect(end.choice == nil || end.choice == .sendFirst, "\(error), although it was said what to do")
            world.expect(count > 0, "\(count) unsent")
        }
    }

    /// All is quiet, and all ends are finished: nothing of an ended generation is left but what its user has kept.
    func look(at contents: StoreContents) {
        world.expect(contents.damaged.isEmpty, "\(contents.damaged) are damaged")
        for key in contents.entries.map(\.key) {
            guard !key.hasPrefix("scope:") else { continue }
            guard let (generation, own) = Self.parts(key) else { world.expect(false, "\(key) is nobody's"); continue }
            guard hasEnded(generation, before: now) else { continue }
            let mayBeKept = own.hasPrefix("item:") || own == "counter"
            world.expect(
                mayBeKept && ends(of: generation).contains { $0.choice == .keep }, "\(key) is left after the end")
        }
    }
}
