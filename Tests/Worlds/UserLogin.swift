import Aquifer
import AquiferTesting
import Foundation

/// One login of a user in one process: a ``Scope`` with what is over it.
final class UserLogin: @unchecked Sendable {
    // One thread at a time runs in a simulation.
    let session: UsersJudge.Session
    let scope: Scope
    let outbox: Outbox
    private(set) var goesOn = true

    private let process: SimulatedProcess
    private let judge: UsersJudge
    private let base: any CacheStore
    private let count: Cache<Int>
    private let retry: RetryPolicy
    private var world: Simulation { process.world }
    private var random: SimulatedRandom { process.random }

    init(_ user: String, _ process: SimulatedProcess, _ store: any CacheStore, _ judge: UsersJudge) {
        let (world, random) = (process.world, process.random)
        let session = judge.begin(user, process)
        (self.process, self.judge, self.session) = (process, judge, session)
        base = WatchedMarks(base: store, session: session, judge: judge, isBlind: world.switches.contains("blind"))
        scope = Scope(user, in: base, makeGeneration: { random.uuid() })
        let policy = SendPolicy(
            width: random.int(in: 1...3), clock: world.clock, random: { random.fraction() }, now: process.now,
            makeKey: { random.uuid().uuidString })
        let client = WatchedClient(base: process.client, session: session, judge: judge)
        outbox = Outbox(in: scope.store, client: client, policy: policy, owner: random.uuid())
        scope.register(outbox)
        count = Cache<Int>(key: "count", in: scope.store, policy: .forever, codec: .json, now: process.now)
        retry = RetryPolicy(
            attempts: random.int(in: 1...3), clock: world.clock, random: { random.fraction() }, now: process.now)
    }

    /// Logs in, acts, and logs out, or stays.
    func run(_ choices: [Scope.Unsent?], _ phase: Phase) async throws {
        guard try await open() else { return }
        let sending = random.chance(0.8) ? Task { await outbox.run() } : nil
        for _ in 0..<random.int(in: 1...6) where goesOn {
            try await act()
            try await world.clock.sleep(for: random.duration(in: .milliseconds(1) ... .seconds(10)))
        }
        // Some stay logged in: the next login of this user is one of the same generation.
        for _ in 0..<random.int(in: 0...3) where goesOn {
            if let choice = random.element(of: choices) { await end(choice) }
            try await world.clock.sleep(for: random.duration(in: .milliseconds(1) ... .seconds(10)))
        }
        // What is still done after the end does nothing.
        if random.chance(0.5) { try await act() }
        sending?.cancel()
        await sending?.value
    }

    /// Saves the first value.
    ///
    /// - Returns: false if the user was logged out meanwhile.
    func open() async throws -> Bool {
        while true {
            if await put(), let generation = try await generation() {
                judge.open(session, generation)
                return true
            }
            guard goesOn, session.generation == nil else { return false }
            try await world.clock.sleep(for: .seconds(1))
        }
    }

    /// The name of the generation in the store around; `nil` if it has ended meanwhile, or the disk fails.
    private func generation() async throws -> String? {
        let contents = try await process.untilDone { try await base.contents(prefix: "scope/") }
        return contents.entries.first { $0.key.hasSuffix("/own:\(session.name)") }
            .flatMap { UsersJudge.parts($0.key)?.generation }
    }

    private func act() async throws {
        switch random.int(in: 0...9) {
        case 0...1: _ = await put()
        case 2: await read()
        case 3...4: await add()
        case 5...6: await load()
        default: await queue()
        }
    }

    /// Saves a value of its own.
    private func put() async -> Bool {
        let call = judge.call(session)
        let value = judge.write(session)
        do throws(StoreError) {
            try await scope.store.insert(
                StoredEntry(bytes: Data(value.utf8), savedAt: process.now()), for: "own:\(session.name)")
            judge.succeed(call, "saves \(value)")
            judge.wrote(session, value)
            return true
        } catch {
            fail(call, error)
            return false
        }
    }

    /// Reads a value of any login of its generation.
    private func read() async {
        guard let other = random.element(of: judge.sessions(of: session)) else { return }
        let call = judge.call(session)
        do throws(StoreError) {
            let found = try await scope.store.retrieve("own:\(other.name)")
            judge.succeed(call, "reads")
            judge.read(found.map { String(decoding: $0.bytes, as: UTF8.self) }, of: other, call)
        } catch { fail(call, error) }
    }

    /// Counts one up.
    private func add() async {
        let call = judge.call(session)
        judge.add(session)
        do throws(StoreError) {
            let sum = try await count.update { ($0 ?? 0) + 1 }
            judge.succeed(call, "counts \(sum ?? -1)")
            judge.added(sum, call)
        } catch { fail(call, error) }
    }

    /// Loads the user's page.
    private func load() async {
        guard let generation = session.generation, let base = URL(string: "http://users.example/page") else { return }
        let url = base.appendingPathComponent(session.user.replacing("/", with: "-")).appendingPathComponent(generation)
        let call = judge.call(session)
        let client = WatchedClient(base: process.client, session: session, judge: judge, call: call)
        let remote = RemoteLoader<String>(HTTPRequest(.get, url), client: client, retry: retry) { head, data in
            guard head.status == 200 else { throw InvalidData.status(head.status) }
            guard head.mediaType == "text/plain" else { throw InvalidData.mediaType(head.mediaType) }
            return String(decoding: data, as: UTF8.self)
        }
        let cache = Cache<String>(key: "page", in: scope.store, policy: .forever, codec: .json, now: process.now)
        do throws(LoadError) {
            let loaded = try await Resource(remote: remote, cache: cache).load()
            // While the store fails, a load delivers the latest, and saves nothing.
            if loaded.saveError == nil { judge.succeed(call, "loads \(loaded.value) \(loaded.source)") }
            judge.load(loaded.value, call)
        } catch {
            if case .store(let error, _) = error { return fail(call, error) }
            world.note("loads nothing: \(error)")
        }
    }

    /// Queues a note.
    private func queue() async {
        guard let url = URL(string: "http://users.example/notes") else { return }
        let call = judge.call(session)
        let note = judge.queue(session, group: "group\(random.int(in: 0...1))")
        do throws(OutboxError) {
            let request = HTTPRequest(.post, url, body: .bytes(Data(note.name.utf8)))
            try await outbox.enqueue(request, group: note.group)
            judge.succeed(call, "has queued \(note.name)")
            judge.queued(note)
        } catch {
            guard case .store(let error) = error else { return world.expect(false, "\(note.name): \(error)") }
            judge.refused(note, error)
            fail(call, error)
        }
    }

    /// Logs out.
    func end(_ choice: Scope.Unsent?) async {
        guard let end = judge.beginEnd(session, choice) else { return }
        do throws(ScopeError) {
            try await scope.end(unsent: choice)
            judge.ended(end)
            goesOn = false
        } catch {
            judge.failed(end, error)
        }
    }

    private func fail(_ call: UsersJudge.Call, _ error: StoreError) {
        if case .ended = error { goesOn = false }
        judge.fail(call, error)
    }
}

/// Tells the judge of requests that leave.
private struct WatchedClient: HTTPClient {
    let base: any HTTPClient
    let session: UsersJudge.Session
    let judge: UsersJudge
    /// The load that asks; `nil` for an outbox. A load that has begun before an end may go on to ask until it hears of it.
    var call: UsersJudge.Call?

    func send(_ request: HTTPRequest) async throws(TransportError) -> HTTPResponse {
        let body = try request.body?.data()
        judge.sends(session, body.map { String(decoding: $0, as: UTF8.self) }, since: call?.begun)
        return try await base.send(request)
    }
}

/// Tells the judge of looks at marks: who was stopped in the middle of one has looked before.
private final class WatchedMarks: ForwardingStore, @unchecked Sendable {
    // One thread at a time runs in a simulation.
    let base: any CacheStore
    let session: UsersJudge.Session
    let judge: UsersJudge
    let isBlind: Bool
    private var seen: [String: StoredEntry] = [:]

    init(base: any CacheStore, session: UsersJudge.Session, judge: UsersJudge, isBlind: Bool) {
        (self.base, self.session, self.judge, self.isBlind) = (base, session, judge, isBlind)
    }

    func retrieve(_ key: String) async throws(StoreError) -> StoredEntry? {
        guard key.hasPrefix("scope:") else { return try await base.retrieve(key) }
        if isBlind, let seen = seen[key] { return seen }
        let began = judge.now
        let found: StoredEntry?
        do throws(StoreError) { found = try await base.retrieve(key) } catch {
            session.failedLooks.append(began)
            throw error
        }
        session.looks.append(began...judge.now)
        seen[key] = found
        return found
    }
}
