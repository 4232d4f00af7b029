import Testing

@testable import AquiferCurl

@Suite("How far an upload has come, as the loop sees it now and then")
struct UploadProgressTests {
    /// The answers at several looks after a first one: true if it has grown.
    private func growth(_ first: (sent: Int, unconfirmed: Int?), _ looks: (sent: Int, unconfirmed: Int?)...) -> [Bool] {
        var progress = UploadProgress()
        _ = progress.grows(sent: first.sent, unconfirmed: first.unconfirmed)
        return looks.map { progress.grows(sent: $0.sent, unconfirmed: $0.unconfirmed) }
    }

    @Test("grows when the system takes more, whether or not it says what it holds")
    func taken() {
        #expect(growth((0, nil), (100, nil), (100, nil), (101, 101)) == [true, false, true])
    }

    @Test("grows while the other side confirms what the system holds, however full that is at each look")
    func confirmed() {
        let looks = growth((5_000, 5_000), (5_000, 4_999), (5_000, 4_999), (6_000, 5_999), (6_000, 0), (6_000, 0))
        #expect(looks == [true, false, true, true, false])
    }

    @Test("does not grow when it is no longer known what the system holds, or known again")
    func unknown() {
        #expect(growth((5_000, 5_000), (5_000, nil), (5_000, 1_000), (5_000, 900)) == [false, false, true])
    }
}
