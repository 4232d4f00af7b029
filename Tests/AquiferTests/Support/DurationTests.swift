import Testing

@testable import Aquifer

@Suite("Durations in the units of others")
struct DurationTests {
    @Test("Milliseconds are whole, and within the range that their user can take")
    func milliseconds() {
        let range: ClosedRange<Int32> = 1...5_000
        #expect(Duration.milliseconds(1_999).milliseconds(in: range) == 1_999)
        #expect(Duration.nanoseconds(2_999_999).milliseconds(in: range) == 2)
        #expect(Duration.milliseconds(-500).milliseconds(in: range) == 1)
        #expect(Duration.zero.milliseconds(in: range) == 1)
        #expect(Duration.seconds(6).milliseconds(in: range) == 5_000)
        for seconds in [Int64.max, .min] {
            let duration = Duration(secondsComponent: seconds, attosecondsComponent: 0)
            #expect(duration.milliseconds(in: range) == (seconds < 0 ? 1 : 5_000))
            #expect(duration.milliseconds(in: 0...Int64.max) == (seconds < 0 ? 0 : .max))
        }
        #expect(Duration.milliseconds(-1_500).milliseconds(in: Int64(-9_000)...0) == -1_500)
    }
}
