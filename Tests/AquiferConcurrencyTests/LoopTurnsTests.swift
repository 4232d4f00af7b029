import AquiferTesting
import Foundation
import Testing

@testable import AquiferConcurrency

@Suite("The turns of a loop", .timeLimit(.minutes(1)))
struct LoopTurnsTests {
    @Test("A loop sleeps until its moment, an hour at most, however far that is", arguments: [Int64.max, 0, .min])
    func longest(seconds: Int64) {
        #expect((ContinuousClock.now + .seconds(seconds)).milliseconds == (seconds > 0 ? 3_600_000 : 0))
    }

    @Test("A caller who has the turn sees his answer, and keeps the thread from the commands")
    func caller() async throws {
        let loop = try Loop()
        #expect(await eventually { loop.turns.take() })
        let answer = try WakePipe()
        answer.wake()
        #expect(loop.turns.waitToRead(answer.descriptor))
        #expect(!loop.turns.take(), "only one has the turn")
        loop.turns.giveBack(isDone: true)
        #expect(await eventually { loop.turns.take() }, "the thread has not begun anything")
        loop.turns.giveBack(isDone: true)
    }

    @Test("A command of somebody else ends a caller's waiting, and comes to the thread after his turn")
    func interruption() async throws {
        let loop = try Loop()
        #expect(await eventually { loop.turns.take() })
        let answer = try WakePipe()
        #expect(loop.turns.push(2))
        #expect(!loop.turns.waitToRead(answer.descriptor))
        #expect(loop.done == [1])
        loop.turns.giveBack(isDone: true)
        #expect(await eventually { loop.done == [1, 2] })
    }

    @Test("A caller whose answer does not come is interrupted by the thread, which has nothing else to do")
    func overdue() async throws {
        let loop = try Loop()
        let answer = try WakePipe()
        for _ in 0..<3 {
            #expect(await eventually { loop.turns.take() })
            // It would wait for ten seconds by itself.
            let start = ContinuousClock.now
            #expect(!loop.turns.waitToRead(answer.descriptor))
            #expect(ContinuousClock.now - start < .seconds(9))
            loop.turns.giveBack(isDone: true)
        }
    }

    @Test(
        "After a call that its caller could not carry out, more and more calls are left to the thread"
    )
    func rest() async throws {
        let loop = try Loop()
        for expected in [1, 2, 4, 8, 16, 32, 64, 64] {
            #expect(await eventually { loop.turns.take() })
            loop.turns.giveBack(isDone: false)
            #expect(loop.turns.resting == expected)
        }
        #expect(await eventually { loop.turns.take() })
        loop.turns.giveBack(isDone: true)
        #expect(await eventually { loop.turns.take() })
        loop.turns.giveBack(isDone: false)
        #expect(loop.turns.resting == 1)
    }

    @Test("The thread ends when it is told, also during the turn of a caller")
    func end() async throws {
        let loop = try Loop()
        #expect(await eventually { loop.turns.take() })
        loop.turns.stop()
        loop.turns.giveBack(isDone: true)
        #expect(await eventually { loop.hasEnded })
        #expect(!loop.turns.take())
    }
}

/// A loop that takes note of its commands. The first one is 1.
private final class Loop: Sendable {
    let turns = LoopTurns<Int>()
    private let state = Locked((done: [Int](), hasEnded: false))

    init() throws {
        try turns.begin(named: "loop") { [turns, state] in
            while let commands = turns.next() {
                state.withLock { $0.done += commands }
                turns.sleep(watching: [], milliseconds: 60_000, isIdle: true)
            }
            state.withLock { $0.hasEnded = true }
        }
        _ = turns.push(1)
    }

    deinit { turns.stop() }

    var done: [Int] { state.withLock { $0.done } }
    var hasEnded: Bool { state.withLock { $0.hasEnded } }
}
