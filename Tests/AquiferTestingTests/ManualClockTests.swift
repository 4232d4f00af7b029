import Aquifer
import AquiferConcurrency
import AquiferTesting
import Foundation
import Testing

@Suite("The manual clock", .timeLimit(.minutes(10)))
struct ManualClockTests {
    @Test("A sleeper wakes when the clock has been advanced to its time, and not before")
    func wakes() async throws {
        let clock = ManualClock()
        let early = Task { try await clock.sleep(for: .seconds(1)) }
        let late = Task { try await clock.sleep(for: .seconds(3)) }
        await clock.waitForSleepers(2)
        #expect(clock.sleepers == [.seconds(1), .seconds(3)])
        clock.advance(by: .seconds(2))
        try await early.value
        #expect(clock.sleepers == [.seconds(1)])
        clock.advance(by: .seconds(1))
        try await late.value
        #expect(clock.now.offset == .seconds(3))
    }

    @Test("A sleeper whose task is cancelled wakes with an error")
    func cancelled() async throws {
        let clock = ManualClock()
        let sleeping = Task { try await clock.sleep(for: .seconds(1)) }
        await clock.waitForSleepers()
        sleeping.cancel()
        await #expect(throws: CancellationError.self) { try await sleeping.value }
        #expect(clock.sleepers.isEmpty)
    }

    @Test("One that has not woken yet is no sleeper any more: each advance is for a sleep of its own")
    func steps() async throws {
        for _ in 0..<3_000 {
            let clock = ManualClock()
            let isDone = Locked(false)
            let steps = Task {
                for _ in 0..<3 { try await clock.sleep(for: .seconds(1)) }
                isDone.withLock { $0 = true }
            }
            for _ in 0..<3 {
                await clock.waitForSleepers()
                clock.advance(by: .seconds(1))
            }
            #expect(await eventually { isDone.withLock { $0 } || !clock.sleepers.isEmpty })
            steps.cancel()
            try #require(isDone.withLock { $0 }, "an advance was lost")
        }
    }

    @Test("The date is what the test says")
    func date() {
        let date = ManualDate(Date(timeIntervalSince1970: 100))
        let read = date.read
        date.advance(by: 50)
        #expect(read() == Date(timeIntervalSince1970: 150))
        date.now = Date(timeIntervalSince1970: 7)
        #expect(read() == Date(timeIntervalSince1970: 7))
    }
}
