import Aquifer
import AquiferTesting
import Foundation

/// One login of a user in one life of a process: a ``Scope`` with an outbox and a page, over one ``AuthenticatingClient``.
final class CredentialsLogin: @unchecked Sendable {
    // One thread at a time runs in a simulation.
    let holder: TokenHolder
    let scope: Scope
    let outbox: Outbox
    private let remote: RemoteLoader<String>
    private let resource: Resource<String>
    private let process: SimulatedProcess
    private let judge: CredentialsJudge
    private(set) var goesOn = true
    private var notes = 0
    private var name: String { holder.name }
    private var world: Simulation { process.world }
    private var random: SimulatedRandom { process.random }

    init(
        _ user: String, _ process: SimulatedProcess, _ store: any CacheStore, _ keychain: Keychain,
        _ judge: CredentialsJudge
    ) {
        let (world, random) = (process.world, process.random)
        (self.process, self.judge) = (process, judge)
        let holder = TokenHolder(user, process, keychain, judge)
        self.holder = holder
        let origin = URL(string: "http://notes.example") ?? URL(fileURLWithPath: "/")
        let behind = AttemptClient(base: process.client, judge: judge)
        let client = AuthenticatingClient(
            behind, origins: [origin], patience: .seconds(random.int(in: 2...60)), clock: world.clock
        ) {
            try holder.current()
        } renew: {
            try await holder.renew($0)
        }
        // The renewal may go over the client that it renews for.
        if random.chance(0.5) { holder.client = { [weak client] in client.map { $0 as any HTTPClient } ?? behind } }
        let trips = TripClient(base: client, holder: holder)
        scope = Scope(user, in: store, makeGeneration: { random.uuid() })
        let policy = SendPolicy(
            width: random.int(in: 1...4), clock: world.clock, random: { random.fraction() }, now: process.now,
            makeKey: { random.uuid().uuidString })
        outbox = Outbox(in: scope.store, client: trips, policy: policy, owner: random.uuid())
        scope.register(outbox)
        let cache = Cache<String>(key: "page", in: scope.store, policy: .forever, codec: .json, now: process.now)
        let request = HTTPRequest(.get, origin.appendingPathComponent("page"))
        remote = RemoteLoader<String>(request, client: trips) { head, data in
            guard head.status == 200 else { throw InvalidData.status(head.status) }
            guard head.mediaType == "text/plain" else { throw InvalidData.mediaType(head.mediaType) }
            return String(decoding: data, as: UTF8.self)
        }
        resource = Resource(remote: remote, cache: cache)
    }

    /// Logs in, acts, and logs out, or stays.
    func run() async throws {
        guard try await open() else { return }
        if random.chance(0.9), holder.tokens == nil { await holder.logIn() }
        let sending = random.chance(0.8) ? Task { await outbox.run() } : nil
        for _ in 0..<random.int(in: 2...8) where goesOn {
            await act()
            if random.chance(0.2) { judge.scan() }
            try await world.clock.sleep(for: random.duration(in: .milliseconds(1) ... .seconds(20)))
        }
        for _ in 0..<random.int(in: 0...3) where goesOn {
            await end()
            try await world.clock.sleep(for: random.duration(in: .milliseconds(1) ... .seconds(10)))
        }
        sending?.cancel()
        await sending?.value
    }

    /// Takes the generation of the scope.
    ///
    /// - Returns: false if it has ended meanwhile.
    func open() async throws -> Bool {
        while true {
            do throws(StoreError) {
                try await scope.open()
                return true
            } catch {
                if case .ended = error { return false }
                world.note("\(error)")
            }
            try await world.clock.sleep(for: .seconds(1))
        }
    }

    private func act() async {
        switch random.int(in: 0...11) {
        case 0...3:
            for _ in 0..<random.int(in: 1...4) where goesOn { await queue() }
        case 4...5:
            // All of these wait for one renewal, if they meet an expired token.
            await withTaskGroup(of: Void.self) { group in
                for _ in 0..<random.int(in: 1...4) { group.addTask { await self.load() } }
            }
        case 6: await leave()
        case 7: await load()
        case 8: holder.drop()
        case 9: await holder.logIn()
        default: try? await retry()  // the store may fail, or the user have logged out
        }
    }

    /// Lets all items be sent now, also those that were refused after a second 401.
    func retry() async throws {
        await outbox.retryAll()
        for item in try await outbox.items() {
            if case .refused = item.state { try await outbox.retry(item.id) }
        }
    }

    /// Loads the page, as a value that is saved or without saving it: loads of a resource share their request.
    private func load() async {
        do throws(LoadError) {
            let isSaved = random.chance(0.5)
            judge.loaded(isSaved ? try await resource.load().value : try await remote.load(), holder)
        } catch {
            world.note("\(holder.user) loads nothing: \(error)")
            if case .store(.ended, _) = error { goesOn = false }
        }
    }

    /// A load that is cancelled at any moment: a renewal that it has begun goes on.
    private func leave() async {
        let load = Task { await self.load() }
        // It throws when the process ends.
        try? await world.clock.sleep(for: random.duration(in: .milliseconds(1) ... .seconds(8)))
        load.cancel()
        await load.value
    }

    private func queue() async {
        guard let url = URL(string: "http://notes.example/notes") else { return }
        notes += 1
        let note = "\(name).\(notes)"
        do throws(OutboxError) {
            let request = HTTPRequest(.post, url, body: .bytes(Data(note.utf8)))
            try await outbox.enqueue(request, group: random.chance(0.5) ? nil : "group")
            judge.queued(note)
        } catch {
            world.note("\(note): \(error)")
            if case .store(.ended) = error { goesOn = false }
        }
    }

    /// Logs out: the tokens go before the scope, after it, or in the middle of it.
    private func end() async {
        let choice = random.element(of: [nil, .keep, .sendFirst] as [Scope.Unsent?]) ?? nil
        if random.chance(0.3) { holder.drop() }
        let ending = Task { await self.endScope(choice) }
        if random.chance(0.3) {
            try? await world.clock.sleep(for: random.duration(in: .milliseconds(1) ... .seconds(4)))
            holder.drop()
        }
        await ending.value
        if !goesOn { holder.drop(forGood: true) }
    }

    func endScope(_ choice: Scope.Unsent?) async {
        do throws(ScopeError) {
            try await scope.end(unsent: choice)
            goesOn = false
            world.note("\(name) has logged out")
        } catch { world.note("\(name) has not logged out: \(error)") }
    }
}
