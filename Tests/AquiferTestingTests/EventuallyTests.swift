import Aquifer
import AquiferConcurrency
import AquiferTesting
import Testing

@Suite("Eventually", .timeLimit(.minutes(10)))
struct EventuallyTests {
    @Test("waits for what others do")
    func waits() async {
        let done = Locked(false)
        let other = Task { done.withLock { $0 = true } }
        #expect(await eventually { done.withLock { $0 } })
        await other.value
    }

    @Test("asks at least once, and ends without the condition when the test is cancelled")
    func ends() async {
        let asked = Locked(0)
        let waiting = Task {
            await eventually {
                asked.withLock { $0 += 1 }
                return false
            }
        }
        #expect(await eventually { asked.withLock { $0 } > 10 })
        waiting.cancel()
        #expect(await waiting.value == false)
    }

    @Test("passes an error of the condition on")
    func throwing() async {
        struct Failure: Error {}
        await #expect(throws: Failure.self) { try await eventually { throw Failure() } }
    }
}
