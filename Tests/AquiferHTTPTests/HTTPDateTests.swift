import Foundation
import Testing

@testable import AquiferHTTP

@Suite("Dates of HTTP: one way to write and to read them")
struct HTTPDateTests {
    @Test(
        "A date that is written is read as the same second",
        arguments: [-62_135_596_800, -1, 0, 68_169_599, 784_111_777, 951_782_400, 4_107_542_400, 253_402_300_799])
    func roundTrip(seconds: TimeInterval) {
        let text = HTTPDate.format(Date(timeIntervalSince1970: seconds + 0.5))
        #expect(HTTPDate.parse(text)?.timeIntervalSince1970 == seconds)
    }

    @Test("A date is written in GMT, with two digits for days and times and four for years")
    func format() {
        #expect(HTTPDate.format(Date(timeIntervalSince1970: 784_111_777)) == "Sun, 06 Nov 1994 08:49:37 GMT")
        #expect(HTTPDate.format(.distantPast) == "Mon, 01 Jan 0001 00:00:00 GMT")
        #expect(HTTPDate.format(Date(timeIntervalSince1970: .nan)) == "Thu, 01 Jan 1970 00:00:00 GMT")
    }

    @Test(
        "The two older forms are read, too",
        arguments: [
            ("Sunday, 06-Nov-94 08:49:37 GMT", 784_111_777), ("Sun Nov  6 08:49:37 1994", 784_111_777),
            ("Wednesday, 31-Dec-69 23:59:59 GMT", 3_155_759_999), ("Thursday, 01-Jan-70 00:00:00 GMT", 0),
        ])
    func olderForms(text: String, seconds: TimeInterval) {
        #expect(HTTPDate.parse(text)?.timeIntervalSince1970 == seconds)
    }

    @Test(
        "A day or time that does not exist is no date",
        arguments: [
            "Wed, 30 Feb 1994 08:49:37 GMT", "Wed, 29 Feb 1995 08:49:37 GMT", "Sat, 31 Jun 1994 08:49:37 GMT",
            "Sunday, 31-Jun-94 08:49:37 GMT", "Sun Nov 31 08:49:37 1994", "Sunday, 06-Nov-1994 08:49:37 GMT",
            "Sun, 06 Nov 1994 24:00:00 GMT", "Sun, 06 Nov 1994 08:49:61 GMT", "Sun, 06 Nov 1994 08:49 GMT",
        ])
    func impossible(text: String) {
        #expect(HTTPDate.parse(text) == nil)
    }

    @Test("The leap second of the last day is read as the last second that can be written")
    func lastLeapSecond() throws {
        let date = try #require(HTTPDate.parse("Fri, 31 Dec 9999 23:59:60 GMT"))
        #expect(HTTPDate.format(date) == "Fri, 31 Dec 9999 23:59:59 GMT")
        #expect(HTTPDate.parse(HTTPDate.format(date)) == date)
    }

    @Test(
        "Numbers are digits alone: a sign or a foreign digit makes no date",
        arguments: [
            "Sun, +6 Nov 1994 08:49:37 GMT", "Sun, 06 Nov 1994 +8:49:37 GMT", "Sun, 06 Nov 1994 08:49:-1 GMT",
            "Sun, ٠٦ Nov 1994 08:49:37 GMT", "Sun 06 Nov 1994 08:49:37 GMT", "Sun, 06 Nov 1994 08:49:37 CET",
        ])
    func malformed(text: String) {
        #expect(HTTPDate.parse(text) == nil)
    }
}
