import Testing

@testable import HTTPServer

@Suite("How fast a body comes")
struct BodyPaceTests {
    private let start = ContinuousClock.now

    private func isOverdue(_ pace: BodyPace, after seconds: Int, bytes: Int) -> Bool {
        pace.isOverdue(at: start + .seconds(seconds), bytes: bytes, timeout: .seconds(20), leastRate: 1000)
    }

    @Test("A body has its time, and a second for every piece of the least rate")
    func rate() {
        let pace = BodyPace(began: start)
        #expect(!isOverdue(pace, after: 20, bytes: 0) && isOverdue(pace, after: 21, bytes: 0))
        #expect(!isOverdue(pace, after: 30, bytes: 10_000) && isOverdue(pace, after: 31, bytes: 10_000))
    }

    @Test("The time in which a client is held back by the handler does not count")
    func held() {
        var pace = BodyPace(began: start)
        pace.hold(at: start + .seconds(5))
        pace.hold(at: start + .seconds(50))
        #expect(!isOverdue(pace, after: 10_000, bytes: 0))
        pace.letGo(at: start + .seconds(1005))
        pace.letGo(at: start + .seconds(1010))
        #expect(!isOverdue(pace, after: 1020, bytes: 0) && isOverdue(pace, after: 1021, bytes: 0))
    }

    @Test("Connections are bounded by their share of the descriptors, with room for those that are told so")
    func limit() {
        func limit(_ most: Int, _ share: Double, _ descriptors: Int) -> [Int] {
            let limit = HTTPServer.Configuration(maxConnections: most, descriptorShare: share)
                .connectionLimit(descriptors: descriptors)
            return [limit.connections, limit.excess]
        }
        #expect(limit(4096, 1 / 3, 16_384) == [4096, 64] && limit(4096, 1 / 3, 1024) == [299, 42])
        #expect(
            limit(4096, 1 / 3, 256) == [75, 10] && limit(4096, 1 / 8, 256) == [28, 4]
                && limit(4096, 1 / 3, 4) == [3, 1])
        for descriptors in 16...5000 {
            let limit = limit(4096, 1 / 3, descriptors)
            #expect(limit[0] + limit[1] <= descriptors / 3 && limit[0] >= 1)
        }
    }
}
