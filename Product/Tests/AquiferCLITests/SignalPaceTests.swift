import Testing

@testable import AquiferCLI

@Suite("The pace of signals")
struct SignalPaceTests {
    @Test("Signals within a second of the first are one; a later one is meant to end the process")
    func pace() {
        var pace = SignalPace()
        #expect(pace.next(at: 5_000) == .first)
        #expect(pace.next(at: 5_000) == .echo)
        #expect(pace.next(at: 5_999) == .echo)
        #expect(pace.next(at: 6_000) == .again)
        #expect(pace.next(at: 90_000) == .again)
    }
}
