import AquiferConcurrency
import Foundation
import Testing

@Suite("The lock")
struct LockTests {
    @Test("lets one thread in at a time", .timeLimit(.minutes(1)))
    func exclusion() {
        let lock = Lock()
        nonisolated(unsafe) var count = 0
        DispatchQueue.concurrentPerform(iterations: 8) { _ in
            for _ in 0..<10_000 { lock.withLock { count += 1 } }
        }
        #expect(count == 80_000)
    }

    @Test("is given back when the body throws")
    func throwing() {
        struct Failure: Error {}
        let value = Locked(1)
        #expect(throws: Failure.self) { try value.withLock { _ throws(Failure) in throw Failure() } }
        #expect(value.withLock { $0 } == 1)
    }
}
