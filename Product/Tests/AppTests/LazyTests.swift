import Aquifer
import AquiferConcurrency
import AquiferTesting
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

    @Test func `many values that take long to open hold up no task`() async throws {
        let goOn = DispatchSemaphore(value: 0)
        let begun = Locked(0)
        // Far more than there are threads for tasks.
        let values = (0..<64).map { number in
            Lazy { () throws(StoreError) -> Int in
                begun.withLock { $0 += 1 }
                goOn.wait()
                return number
            }
        }
        let opening = values.map { value in Task { try await value() } }
        #expect(await eventually { begun.withLock { $0 } == 64 })
        for _ in values { goOn.signal() }
        for (number, task) in opening.enumerated() { #expect(try await task.value == number) }
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
