import AquiferConcurrency
import Testing

@testable import Aquifer

@Suite("Changes of which nobody can tell whether they were made")
struct DoubtfulChangesTests {
    private let beginning = ContinuousClock.now

    @Test("A change is in doubt once, and others are not")
    func once() {
        let doubts = DoubtfulChanges()
        #expect(doubts.isEmpty)
        doubts.insert(.entry("a"))
        #expect(!doubts.isEmpty && !doubts.remove(.entry("b")))
        #expect(doubts.remove(.entry("a")) && !doubts.remove(.entry("a")) && doubts.isEmpty)
    }

    @Test("All are forgotten five minutes after the last one")
    func forgotten() {
        let now = Locked(beginning)
        let doubts = DoubtfulChanges { now.withLock { $0 } }
        doubts.insert(.entry("a"))
        now.withLock { $0 += .seconds(299) }
        doubts.insert(.entry("b"))
        now.withLock { $0 += .seconds(300) }
        #expect(!doubts.isEmpty)
        now.withLock { $0 += .seconds(1) }
        #expect(doubts.isEmpty && !doubts.remove(.entry("a")))
        doubts.insert(.entry("c"))
        #expect(!doubts.remove(.entry("b")) && doubts.remove(.entry("c")))
    }

    @Test("Among too many to remember, each change is in doubt, until five minutes after the last one")
    func many() {
        let now = Locked(beginning)
        let doubts = DoubtfulChanges { now.withLock { $0 } }
        for number in 0...10_000 { doubts.insert(.entry("\(number)")) }
        #expect(!doubts.isEmpty && doubts.remove(.entry("other")) && doubts.remove(.entry("other")))
        now.withLock { $0 += .seconds(301) }
        #expect(doubts.isEmpty && !doubts.remove(.entry("7")))
    }
}
