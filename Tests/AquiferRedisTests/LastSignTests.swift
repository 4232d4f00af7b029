import Testing

@testable import AquiferRedis

@Suite("The last sign of life of a server")
struct LastSignTests {
    private let beginning = ContinuousClock.now

    /// The seconds from the beginning to the last sign, after looks a second apart.
    private func seconds(_ looks: (request: Int?, confirmed: Int)...) -> Duration {
        var sign = LastSign(beginning)
        for (second, look) in looks.enumerated() {
            sign.look(at: beginning + .seconds(second + 1), request: look.request, confirmed: look.confirmed)
        }
        return sign.moment - beginning
    }

    @Test("is the last look at which it had taken more of the request whose answer is awaited")
    func taken() {
        #expect(seconds((100, 0), (100, 10), (100, 20)) == .seconds(3))
        #expect(seconds((100, 0), (100, 10), (100, 10), (100, 10)) == .seconds(2))
        #expect(seconds((100, 90), (100, 100)) == .seconds(2))
    }

    @Test("is none if the request has arrived whole: its system takes those behind it, and nobody answers")
    func arrived() {
        #expect(seconds((100, 100), (100, 200), (100, 300)) == .zero)
        #expect(seconds((100, 20), (100, 100), (100, 200)) == .seconds(2))
    }

    @Test("is none when another request has come first, or none is left")
    func others() {
        #expect(seconds((100, 20), (200, 150), (nil, 200), (300, 250)) == .zero)
        #expect(seconds((100, 20), (200, 150), (200, 160)) == .seconds(3))
    }

    @Test("is each byte of an answer")
    func heard() {
        var sign = LastSign(beginning)
        sign.heard(at: beginning + .seconds(5))
        #expect(sign.moment == beginning + .seconds(5))
    }
}
