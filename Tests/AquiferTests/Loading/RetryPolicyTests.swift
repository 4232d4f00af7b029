import Foundation
import Testing

@testable import Aquifer

@Suite("Whether and when a read is tried again")
struct RetryPolicyTests {
    private static let now = Date(timeIntervalSince1970: 784_111_777)

    private func policy(attempts: Int = 4, random: Double = 1) -> RetryPolicy {
        RetryPolicy(
            attempts: attempts, base: .seconds(1), cap: .seconds(3), patience: .seconds(60), random: { random },
            now: { Self.now })
    }

    private func head(_ status: Int, retryAfter: String? = nil, date: String? = nil) throws -> HTTPResponseHead {
        var headers = HTTPHeaders()
        headers["Retry-After"] = retryAfter
        headers["Date"] = date
        return HTTPResponseHead(status: status, headers: headers, url: try #require(URL(string: "http://a.example")))
    }

    @Test("The longest times there are make no wait overflow")
    func longestTimes() {
        let ever = Duration.seconds(Int64.max)
        for (base, cap) in [(ever, ever), (ever, .seconds(1)), (.seconds(1), ever)] {
            let retry = RetryPolicy(attempts: 100, base: base, cap: cap, random: { 1 })
            let send = SendPolicy(base: base, cap: cap, random: { 1 })
            for attempt in [1, 2, 30] {
                #expect(retry.wait(after: attempt, failure: TransportError(.timedOut)).map { $0 > .zero } == true)
                #expect(send.wait(after: attempt) > .zero)
            }
        }
    }

    @Test("Waits double up to the cap, times chance, and end with the attempts")
    func backoff() throws {
        let waits = (1...4).map { policy().wait(after: $0, failure: TransportError(.timedOut)) }
        #expect(waits == [.seconds(1), .seconds(2), .seconds(3), nil])
        #expect(policy(random: 0.5).wait(after: 2, failure: TransportError(.timedOut)) == .seconds(1))
        #expect(policy(random: 0).wait(after: 1, head: try head(503)) == .zero)
        #expect(policy(attempts: 1_000).wait(after: 900, failure: TransportError(.timedOut)) == .seconds(3))
    }

    @Test(
        "An answer that will not change is never asked for again", arguments: [200, 304, 400, 401, 403, 404, 410, 622])
    func final(status: Int) throws {
        #expect(policy().wait(after: 1, head: try head(status)) == nil)
    }

    @Test("408, 429 and 5xx are tried again", arguments: [408, 429, 500, 502, 503, 599])
    func transient(status: Int) throws {
        #expect(policy().wait(after: 1, head: try head(status)) == .seconds(1))
    }

    @Test(
        "No answer is tried again, unless nobody could answer or the caller has left",
        arguments: TransportError.Kind.allCases)
    func failures(kind: TransportError.Kind) {
        let again: Set<TransportError.Kind> = [.cannotResolve, .cannotConnect, .timedOut, .interrupted]
        #expect((policy().wait(after: 1, failure: TransportError(kind)) != nil) == again.contains(kind))
    }

    @Test(
        "Retry-After is waited for, in seconds or until a date, unless it asks for too much patience",
        arguments: [
            ("7", 7), ("0", 1), ("-5", 1), ("60", 60), ("61", nil), ("soon", 1),
            ("6.2", 7), ("7.00", 7), ("60.01", nil), (".5", 1), ("7.", 1), ("7.5.1", 1), ("1e1", 1),
            ("Sun, 06 Nov 1994 08:49:57 GMT", 20), ("Sun, 06 Nov 1994 08:49:00 GMT", 1),
            ("Sun, 06 Nov 1994 09:49:37 GMT", nil),
        ] as [(String, Int?)])
    func retryAfter(field: String, seconds: Int?) throws {
        let wait = policy().wait(after: 1, head: try head(429, retryAfter: field))
        #expect(wait == seconds.map { .seconds($0) })
    }

    @Test(
        "A date in Retry-After counts from the answer's own date, in any form of HTTP, whatever the local clock says",
        arguments: [
            ("Sun, 06 Nov 1994 10:49:42 GMT", "Sun, 06 Nov 1994 10:49:37 GMT", 5),
            ("Sun, 06 Nov 1994 06:49:42 GMT", "Sun, 06 Nov 1994 06:49:37 GMT", 5),
            ("Sunday, 06-Nov-94 10:49:42 GMT", "Sun Nov  6 10:49:37 1994", 5),
            ("Sun, 06 Nov 1994 08:49:57 GMT", "soon", 20),
        ])
    func retryAfterByTheServersClock(field: String, date: String, seconds: Int) throws {
        #expect(policy().wait(after: 1, head: try head(503, retryAfter: field, date: date)) == .seconds(seconds))
    }

    @Test("A policy of one attempt never tries again")
    func never() throws {
        #expect(RetryPolicy.never.wait(after: 1, head: try head(503)) == nil)
        #expect(RetryPolicy(attempts: 0).attempts == 1)
    }
}
