import Testing

@testable import Aquifer

@Suite("Durations in the units of others")
struct DurationTests {
    @Test("More of a unit than there can be is the longest or shortest time, and never a trap")
    func units() {
        let units: [(Int) -> Duration] = [Duration.days, Duration.hours, Duration.minutes]
        for (unit, seconds) in zip(units, [86_400, 3_600, 60]) {
            #expect(unit(-2) == .seconds(-2 * seconds))
            #expect(unit(.max / seconds + 1) == .seconds(Int.max) && unit(.max) == .seconds(Int.max))
            #expect(unit(.min) == .seconds(Int.min))
        }
        #expect(TieredStore.Bound.megabytes(2).bytes == 2_000_000)
        #expect(TieredStore.Bound.megabytes(.max).bytes == .max && TieredStore.Bound.megabytes(.min).bytes == 0)
    }

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
