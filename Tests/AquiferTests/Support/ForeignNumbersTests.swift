import Foundation
import Testing

@testable import Aquifer

/// Numbers from outside may be anything: no computation with them traps.
@Suite("Numbers from outside")
struct ForeignNumbersTests {
    static let extremes: [UInt64] = [
        0, 1, 99, 100, 101, .max / 100, .max / 100 + 1, UInt64(Int64.max), 1 << 63, .max - 1, .max,
    ]
    /// The texts that a server may write in place of a number.
    static let texts = [
        "0", "1", "00", "9223372036854775807", "9223372036854775808", "18446744073709551615", "18446744073709551616",
        "99999999999999999999999999999999", "-1", "+1", "-9223372036854775808", "1e300", "0x10", "١", "", " ", "1 ",
        "nan",
        "1,1", "1, 1",
    ]

    private func head(_ status: Int, _ headers: HTTPHeaders) -> HTTPResponseHead {
        HTTPResponseHead(status: status, headers: headers, url: URL(filePath: "/"))
    }

    @Test("A share in per cent is 0 to 100, for any two numbers", arguments: extremes)
    func percent(part: UInt64) {
        for whole in Self.extremes {
            let percent = part.percent(of: whole)
            #expect((0...100).contains(percent))
            if whole > 0, part >= whole { #expect(percent == 100) }
            if part == 0 || whole == 0 { #expect(percent == 0) }
        }
        #expect(UInt64(1).percent(of: 3) == 33 && (UInt64.max / 2).percent(of: .max) == 49)
    }

    @Test("Sums and differences stop at the ends of their type")
    func saturates() {
        for one in Self.extremes {
            for other in Self.extremes {
                #expect(one.saturatingAdding(other) >= max(one, other))
                #expect(one.saturatingSubtracting(other) == (one > other ? one - other : 0))
            }
        }
        #expect(Int.min.saturatingAdding(-1) == .min && Int.max.saturatingSubtracting(-1) == .max)
        #expect(Self.extremes.saturatingSum == .max)
    }

    @Test("Content-Length is digits or nothing, never negative", arguments: texts)
    func contentLength(text: String) {
        let length = head(200, ["Content-Length": text]).contentLength
        let isDigits = !text.isEmpty && text.utf8.allSatisfy { (0x30...0x39).contains($0) }
        #expect((length != nil) == isDigits)
        if let length { #expect(length == Int(text) ?? .max) }
    }

    @Test("Retry-After is a wait that every policy can bound, however large", arguments: texts)
    func retryAfter(text: String) {
        let head = head(503, ["Retry-After": text])
        for now in [
            Date.distantPast, Date(timeIntervalSince1970: 0), .distantFuture, Date(timeIntervalSince1970: -1e300),
        ] {
            let wait = head.retryAfter(now)?.wait
            if let wait { #expect(wait >= .zero) }
            #expect(SendPolicy().wait(after: 1, retryAfter: wait) <= .hours(24))
            _ = RetryPolicy(now: { now }).wait(after: 1, head: head)
        }
        if text.count > 19, text.allSatisfy(\.isNumber) {
            #expect(
                head.retryAfter(Date()).map { $0.wait > Duration.days(365) } == true,
                "a wait without end is no wait of nothing")
        }
    }

    @Test(
        "A date is one of the calendar’s, or none",
        arguments: [
            "Sun, 06 Nov 99999 08:49:37 GMT", "Sun, 06 Nov 9223372036854775807 08:49:37 GMT",
            "Sun, 9223372036854775807 Nov 1994 08:49:37 GMT", "Sun, 06 Nov 1994 9223372036854775807:49:37 GMT",
            "Sun, 06 Nov 1994 08:99:37 GMT", "Sun, 00 Nov 1994 08:49:37 GMT", "Sun, 06 Nov -1 08:49:37 GMT",
            "Sun, 06 Nov 0 08:49:37 GMT",
        ])
    func dates(text: String) {
        #expect(HTTPDate.parse(text) == nil)
        let head = head(429, ["Retry-After": text, "Last-Modified": text, "Date": text])
        #expect(head.retryAfter(Date()) == nil && head.resumeTag == nil)
    }

    @Test("Content-Range may say anything: it is taken, or is none", arguments: texts)
    func contentRange(text: String) {
        for field in [
            "bytes \(text)-\(text)/\(text)", "bytes 0-\(text)/*", "bytes */\(text)", "bytes \(text)-/\(text)",
        ] {
            let head = head(206, ["Content-Range": field, "Content-Length": text, "ETag": "\"a\""])
            for total in [nil, 0, 1, Int.max] {
                for start in [0, 1, Int.max] {
                    let answer = DownloadAnswer(head, to: .rest(from: start, tag: "\"a\"", total: total))
                    switch answer {
                    case .rest(let end, let size): #expect(end > start && end <= size ?? .max)
                    case .startOver: break
                    case .all, .coded, .unchanged, .nothingLeft, .refused: Issue.record("\(answer)")
                    }
                }
            }
        }
    }

    @Test("A download’s record keeps any total, and that there is none", arguments: [nil, 0, 1, Int.max - 1, Int.max])
    func record(total: Int?) throws {
        let record = DownloadRecord(
            url: "http://a.example/", generation: .max, validators: .none, resumeTag: nil, mediaType: nil, total: total,
            stamp: .distantFuture)
        let (bytes, _) = record.encoded(isWhole: false)
        #expect(try DownloadRecord.decoded(bytes, isWhole: false).total == total)
        #expect(BlockSum.count(total ?? 0) >= 0)
    }

    @Test(
        "Freshness is decided for any moment",
        arguments: [
            -1e300, -1e18, -62_135_769_600, 0, 253_402_300_799, 315_537_897_599_999, 1e18, 1e300, .infinity, .nan,
        ])
    func freshness(seconds: Double) {
        #expect(!CachePolicy.sevenDays.isFresh(Date(timeIntervalSince1970: seconds), at: Date()))
    }
}
