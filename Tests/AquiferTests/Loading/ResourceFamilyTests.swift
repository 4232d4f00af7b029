import AquiferConcurrency
import AquiferTesting
import Foundation
import Testing

@testable import Aquifer

@Suite("A family of resources", .timeLimit(.minutes(10)))
struct ResourceFamilyTests {
    private let store = RepeatingStore()
    private let made = Locked<[Int]>([])
    /// The number of loads at once, and the most of them.
    private let loads = Locked<(now: Int, most: Int, all: [Int])>((0, 0, []))

    private func family(keeping: Int = 32, isKnown: Bool = true) -> ResourceFamily<Int, [String]> {
        let (store, made, loads) = (store, made, loads)
        return ResourceFamily(
            in: isKnown ? store : nil, keeping: keeping,
            tags: { $0.hasSuffix("0") ? ["round"] : [] },
            make: { number in
                made.withLock { $0.append(number) }
                let remote = RemoteLoader<[String]>({ _ in
                    let turn = loads.withLock { loads in
                        loads.now += 1
                        loads.most = max(loads.most, loads.now)
                        loads.all.append(number)
                        return loads.all.count
                    }
                    await Task.yield()
                    loads.withLock { $0.now -= 1 }
                    return .value(["\(number), load \(turn)"], .none)
                })
                let policy = CachePolicy(askAfter: .hours(1))
                return Resource(remote: remote, cache: Cache(key: "number:\(number)", in: store, policy: policy))
            })
    }

    @Test("gives the same resource for a key while anyone holds it, and makes each once")
    func same() {
        let family = family(keeping: 0)
        let held = family[1]
        for number in 2..<200 { _ = family[number] }
        #expect(family[1] === held)
        #expect(made.withLock { $0.filter { $0 == 1 }.count } == 1)
        _ = family[2]
        #expect(made.withLock { $0.filter { $0 == 2 }.count } == 2, "nobody held it")
    }

    @Test("compares texts by their bytes, as the stores do with their keys")
    func byBytes() {
        let family = ResourceFamily(in: store) { [store] (name: String) in
            Resource(
                remote: RemoteLoader<[String]>({ _ in .value([name], .none) }),
                cache: Cache(key: "n:\(name)", in: store))
        }
        let (composed, decomposed) = (family["caf\u{E9}"], family["cafe\u{301}"])
        #expect(composed !== decomposed && family["caf\u{E9}"] === composed && family.count == 2)
    }

    @Test("keeps those that were used last, and releases the one that was used least recently")
    func recent() {
        let family = family(keeping: 2)
        func isAlive(_ number: Int) -> Bool {
            let before = made.withLock { $0.count }
            _ = family[number]
            return made.withLock { $0.count } == before
        }
        _ = (family[1], family[2], family[1], family[3])
        #expect(isAlive(1) && isAlive(3))
        #expect(!isAlive(2))
    }

    @Test("needs memory for what is held and what it keeps, and for no more: 10 000 keys leave a few")
    func bounded() {
        let family = family(keeping: 8)
        weak var first: Resource<[String]>?
        do { first = family[0] }
        let held = (1...4).map { family[$0] }
        for number in 0..<10_000 { _ = family[number] }
        #expect(first == nil)
        #expect(family.count < 130)
        withExtendedLifetime(held) {}
        for resource in held { #expect(resource === family[Int(resource.cache.key.dropFirst(7)) ?? 0]) }
    }

    @Test("gives all who ask at once for a key the same resource")
    func atOnce() async {
        let family = family()
        let all = await withTaskGroup(of: Resource<[String]>.self) { group in
            for _ in 0..<50 { group.addTask { family[7] } }
            return await group.reduce(into: [Resource<[String]>]()) { $0.append($1) }
        }
        #expect(all.allSatisfy { $0 === all[0] })
    }

    @Test("makes the value of a key invalid, and no other")
    func invalidateKey() async throws {
        let family = family()
        for number in [1, 2] { _ = try await family[number].load() }
        try await family.invalidate(1)
        #expect(try await family[1].load().value == ["1, load 3"])
        #expect(try await family[2].load().value == ["2, load 2"])
    }

    @Test(
        "makes values invalid by prefix and by tag: held, only saved, and saved by an earlier run",
        arguments: [true, false])
    func invalidateMany(byTag: Bool) async throws {
        do {
            let earlier = family()
            for number in [10, 11, 20, 21] { _ = try await earlier[number].load() }
        }
        let family = family(keeping: 0)
        let held = family[10]
        if byTag { try await family.invalidate(tag: "round") } else { try await family.invalidate(prefix: "number:1") }
        var invalid: [Int] = []
        for number in [10, 11, 20, 21] where try await store.retrieve("number:\(number)")?.askAt != nil {
            invalid.append(number)
        }
        #expect(invalid == (byTag ? [10, 20] : [10, 11]))
        #expect(try await held.load().value == ["10, load 5"])
    }

    @Test("without its store reaches what is held")
    func withoutStore() async throws {
        let family = family(keeping: 1, isKnown: false)
        let displaced = WeakResource()
        for number in [10, 20] {
            let resource = family[number]
            if number == 10 { displaced.resource = resource }
            _ = try await resource.load()
        }
        // A task of the load may hold it for a moment longer.
        #expect(await eventually { displaced.resource == nil })
        try await family.invalidate(tag: "round")
        #expect(try await store.retrieve("number:10")?.askAt == nil)
        #expect(try await store.retrieve("number:20")?.askAt != nil)
    }

    @Test("loads ahead of need, a few at once, and displaces nothing that is kept")
    func prefetch() async throws {
        let family = family(keeping: 2)
        _ = (family[1], family[2])
        await family.prefetch(Array(100..<150), width: 3)
        #expect(loads.withLock { $0.all.count } == 50 && loads.withLock { $0.most } <= 3)
        #expect(made.withLock { $0.count } == 52)
        _ = (family[1], family[2])
        #expect(made.withLock { $0.count } == 52)
        #expect(try await family[120].load().source != .remote, "it is there")
        await family.prefetch([120], width: 0)
        #expect(loads.withLock { $0.all.count } == 50)
    }

    @Test("ends loading ahead when its task is cancelled, and ignores failures")
    func cancelledPrefetch() async {
        let (family, loads) = (family(), loads)
        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            await family.prefetch(Array(0..<1_000), width: 2)
        }
        await task.value
        #expect(loads.withLock { $0.all.count } <= 2)
        let failing = ResourceFamily<Int, [String]> { [store] number in
            let remote = RemoteLoader<[String]> { (_: Validators) async throws(LoadError) -> RemoteAnswer<[String]> in
                throw .invalidData(.status(500))
            }
            return Resource(remote: remote, cache: Cache(key: "failing", in: store))
        }
        await failing.prefetch([1, 2])
    }

    @Test("An invalidation by prefix looks at the entries of this prefix alone")
    func prefixOnly() async throws {
        let world = World()
        let family = ResourceFamily(in: world.store) { (name: String) in
            Resource(remote: world.remote(), cache: Cache<[String]>(key: "team:\(name)", in: world.store))
        }
        try await family.invalidate(prefix: "team:1")
        #expect(world.store.calls == [.contentsOf(prefix: "team:1")])
    }
}

private final class WeakResource: @unchecked Sendable {
    weak var resource: Resource<[String]>?
}
