import Foundation
import Testing

@testable import Aquifer

@Suite("Times of RFC 3339")
struct RFC3339Tests {
    @Test(
        "A time is read with any offset, and with fractions",
        arguments: [
            ("2026-05-28T20:26:40Z", 1_780_000_000), ("2026-05-28T20:26:40+00:00", 1_780_000_000),
            ("2026-05-28T20:26:40+0000", 1_780_000_000), ("2026-05-28T17:26:40-03:00", 1_780_000_000),
            ("2026-05-28T20:26:40.25Z", 1_780_000_000.25), ("1970-01-01T00:00:00Z", 0),
            ("2000-02-29T12:00:00Z", 951_825_600), ("2026-05-28t20:26:40z", 1_780_000_000),
            ("2016-12-31T23:59:60Z", 1_483_228_800), ("2016-12-31T20:59:60.5-03:00", 1_483_228_800.5),
            ("0000-01-01T00:00:00Z", -62_167_219_200), ("9999-12-31T23:59:59Z", 253_402_300_799),
        ] as [(String, TimeInterval)])
    func times(text: String, seconds: TimeInterval) {
        #expect(Date(rfc3339: text)?.timeIntervalSince1970 == seconds)
    }

    @Test(
        "A day or a time that does not exist, another year and another text are none",
        arguments: [
            "2026-02-30T00:00:00Z", "2026-02-29T00:00:00Z", "1900-02-29T00:00:00Z", "2026-04-31T00:00:00Z",
            "2026-00-01T00:00:00Z", "2026-13-01T00:00:00Z", "2026-01-00T00:00:00Z", "2026-01-01T24:00:00Z",
            "2026-01-01T25:61:61Z", "2026-01-01T00:60:00Z", "2026-01-01T00:00:60Z", "2026-01-01T23:59:61Z",
            "2026-01-01T23:59:60+01:00", "9999-12-31T23:59:60Z", "2026-01-01T00:00:00Zfoo<b>",
            " 2026-01-01T00:00:00Z", "2026-01-01T00:00:00", "2026-01-01T00:00:00.Z", "2026-01-01T00:00:00+24:00",
            "2026-01-01T00:00:00+00:60", "2026-01-01T00:00:00+0", "2026-01-01 00:00:00Z", "2026-01-01", "",
            "99999-01-01T00:00:00Z", "-001-01-01T00:00:00Z", "0000-01-01T00:00:00+00:01", "9999-12-31T23:59:59-00:01",
            "\u{662}026-01-01T00:00:00Z", "2026-1-1T0:0:0Z",
        ])
    func nonsense(text: String) {
        #expect(Date(rfc3339: text) == nil)
    }

    @Test("A day of every second month of ten thousand years is written as it is read")
    func days() {
        var seconds = -62_167_219_200.0
        while seconds < 253_402_300_800 {
            let date = Date(timeIntervalSince1970: seconds + 43_210)
            if Date(rfc3339: date.rfc3339) != date { Issue.record("\(date.rfc3339)") }
            seconds += 86_400 * 61
        }
        #expect(Date(timeIntervalSince1970: 1_780_000_000.9).rfc3339 == "2026-05-28T20:26:40Z")
        #expect(Date(timeIntervalSince1970: -0.1).rfc3339 == "1969-12-31T23:59:59Z")
    }

    @Test("A date in another year is written as the nearest one")
    func bounds() {
        #expect(Date(timeIntervalSince1970: 1e18).rfc3339 == "9999-12-31T23:59:59Z")
        #expect(Date(timeIntervalSince1970: -1e18).rfc3339 == "0000-01-01T00:00:00Z")
        #expect(!Date(timeIntervalSince1970: 1e18).isRFC3339 && Date(timeIntervalSince1970: 0).isRFC3339)
    }
}
