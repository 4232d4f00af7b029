import Aquifer
import AquiferConcurrency
import Dispatch
import Testing

@testable import App

@Suite struct LazyTests {
    @Test @MainActor func `a value that takes long to open holds up no screen, and is opened once`() async throws {
        let goOn = DispatchSemaphore(value: 0)
        let count = Locked(0)
        let lazy = Lazy { () throws(StoreError) -> Int in
            goOn.wait()
            return count.withLock {
                $0 += 1
                return 7
            }
        }
        async let first = lazy()
        let second = Task { @MainActor in try await lazy() }
        // The main actor would not come back from a call that waits.
        await Task.yield()
        goOn.signal()
        #expect(try await first == 7)
        #expect(try await second.value == 7)
        #expect(try await lazy() == 7)
        #expect(count.withLock { $0 } == 1)
    }

    @Test func `a value that could not be opened is opened by the next call`() async throws {
        let isThere = Locked(false)
        let lazy = Lazy { () throws(StoreError) -> Int in
            guard isThere.withLock({ $0 }) else { throw .busy(path: "x") }
            return 7
        }
        await #expect(throws: StoreError.self) { try await lazy() }
        isThere.withLock { $0 = true }
        #expect(try await lazy() == 7)
    }
}
