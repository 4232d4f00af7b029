import Aquifer
import Foundation
import Testing

@Suite("How long a copy is good")
struct CachePolicyTests {
    private static let now = Date(timeIntervalSince1970: 1_780_000_000)
    private static let week: TimeInterval = 7 * 86_400

    @Test(
        "Less than seven days old, in either direction, is fresh; exactly seven days is expired",
        arguments: [
            (0, true), (1, true), (week - 1, true), (week - 0.001, true), (week, false), (week + 1, false),
            (-1, true), (-(week - 1), true), (-week, false), (-10 * week, false),
        ] as [(TimeInterval, Bool)])
    func sevenDays(age: TimeInterval, fresh: Bool) {
        #expect(CachePolicy.sevenDays.isFresh(Self.now.addingTimeInterval(-age), at: Self.now) == fresh)
    }

    @Test("A day has 86 400 seconds")
    func days() {
        #expect(Duration.days(7).timeInterval == 604_800)
        #expect(Duration.hours(1).timeInterval == 3_600)
        #expect(Duration.minutes(2).timeInterval == 120)
    }
}
