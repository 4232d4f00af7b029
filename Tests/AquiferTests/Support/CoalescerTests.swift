import Aquifer
import AquiferConcurrency
import AquiferTesting
import Testing

@Suite("Coalescing", .timeLimit(.minutes(10)))
struct CoalescerTests {
    private let coalescer = Coalescer<String, Int>()
    private let gate = Gate()
    private let started = Locked(0)
    private let cancelled = Locked(0)

    private func load(_ key: String = "feed") -> Task<Result<Int, LoadError>, Never> {
        Task {
            do throws(LoadError) {
                return .success(
                    try await coalescer.value(for: key) { () async throws(LoadError) in
                        let number = started.withLock { count in
                            count += 1
                            return count
                        }
                        await gate.wait()
                        guard !Task.isCancelled else {
                            cancelled.withLock { $0 += 1 }
                            throw .cancelled
                        }
                        return number
                    })
            } catch { return .failure(error) }
        }
    }

    private func wait(for waiters: Int, key: String = "feed") async {
        #expect(await eventually { coalescer.waiters(for: key) == waiters })
    }

    @Test("A hundred concurrent callers of one key share one piece of work")
    func sharesWork() async {
        let callers = (0..<100).map { _ in load() }
        await wait(for: 100)
        gate.open()
        for caller in callers { #expect(await caller.value == .success(1)) }
        #expect(started.withLock { $0 } == 1)
    }

    @Test("Callers of different keys do not wait for each other")
    func keepsKeysApart() async {
        let feed = load("feed")
        let users = load("users")
        await wait(for: 1, key: "feed")
        await wait(for: 1, key: "users")
        gate.open()
        _ = await (feed.value, users.value)
        #expect(started.withLock { $0 } == 2)
    }

    @Test("A caller who leaves is told so at once, and the others are served")
    func leaverDoesNotDisturb() async {
        let leaver = load()
        let other = load()
        await wait(for: 2)
        leaver.cancel()
        #expect(await leaver.value == .failure(.cancelled))
        gate.open()
        #expect(await other.value == .success(1))
        #expect(cancelled.withLock { $0 } == 0)
    }

    @Test("The last caller to leave cancels the work")
    func lastLeaverCancels() async {
        let callers = [load(), load()]
        await wait(for: 2)
        for caller in callers { caller.cancel() }
        for caller in callers { #expect(await caller.value == .failure(.cancelled)) }
        #expect(await eventually { cancelled.withLock { $0 } == 1 })
    }

    @Test("Who comes after the last has left starts afresh")
    func startsAfresh() async {
        let leaver = load()
        await wait(for: 1)
        leaver.cancel()
        _ = await leaver.value
        let next = load()
        await wait(for: 1)
        gate.open()
        #expect(await next.value == .success(2))
    }

    @Test("A caller cancelled before it came starts nothing that lasts")
    func cancelledBefore() async {
        let caller = load()
        caller.cancel()
        #expect(await caller.value == .failure(.cancelled))
        #expect(coalescer.waiters(for: "feed") == 0)
    }

    @Test("Of callers of several keys, those who leave are told so, and the others are answered", arguments: 0..<20)
    func survivesStorm(seed: Int) async {
        var generator = SeededNumbers(seed: UInt64(seed))
        let callers = (0..<200).map { _ in
            (load("\(Int.random(in: 0..<3, using: &generator))"), Bool.random(using: &generator))
        }
        for (caller, leaves) in callers where leaves { caller.cancel() }
        gate.open()
        for (caller, leaves) in callers {
            let outcome = await caller.value
            #expect((outcome == .failure(.cancelled)) == leaves, "\(outcome)")
        }
        #expect(await eventually { (0..<3).allSatisfy { coalescer.waiters(for: "\($0)") == 0 } })
    }
}
