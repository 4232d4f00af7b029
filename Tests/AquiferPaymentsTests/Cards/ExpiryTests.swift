import AquiferPayments
import Foundation
import Testing

@Suite("Expiry")
struct ExpiryTests {
    @Test("reads what people type")
    func parsing() throws {
        let now = try moment("2026-11-21T12:00:00Z")
        for text in ["01/29", "1/29", "0129", "01-29", " 01 / 29 ", "01/2029", "1/2029", "012029", "01 29"] {
            let expiry = try Expiry(parsing: text, now: now)
            #expect(expiry == Expiry(month: 1, year: 2029) && expiry.text == "01/29", "\(text)")
        }
        #expect(try Expiry(parsing: "12/30", now: now).text == "12/30")
    }

    @Test("refuses what is no month, saying why")
    func refused() throws {
        let now = try moment("2026-11-21T12:00:00Z")
        let refused: [(String, ExpiryError)] = [
            ("", .empty), ("  ", .empty), ("13/29", .noSuchMonth), ("00/29", .noSuchMonth), ("1329", .noSuchMonth),
            ("01/18", .expired), ("10/26", .expired), ("12/2025", .expired), ("01/46", .tooFarAhead),
            ("01/99", .tooFarAhead), ("01/9999", .tooFarAhead), ("1", .malformed), ("01", .malformed),
            ("01/", .malformed), ("/29", .malformed), ("01/2", .malformed), ("01/029", .malformed),
            ("129", .malformed), ("01/29/1", .malformed), ("001/29", .malformed), ("ab/cd", .malformed),
            ("01.29", .malformed), ("-1/29", .malformed), ("01/+9", .malformed), ("٠١/٢٩", .malformed),
        ]
        for (text, error) in refused { #expect(throws: error, "\(text)") { try Expiry(parsing: text, now: now) } }
    }

    @Test("is good to the last moment of its month in the last place on Earth, twelve hours behind UTC")
    func endOfMonth() throws {
        let november = Expiry(month: 11, year: 2026)
        // Half past nine in the evening of the 30th in São Paulo.
        #expect(try Expiry(parsing: "11/26", now: moment("2026-12-01T00:30:00Z")) == november)
        #expect(try !november.isExpired(at: moment("2026-12-01T11:59:59Z")))
        #expect(try !november.isExpired(at: moment("2026-12-01T11:59:59Z").addingTimeInterval(0.999)))
        #expect(try november.isExpired(at: moment("2026-12-01T12:00:00Z")))
        let december = Expiry(month: 12, year: 2026)
        #expect(try !december.isExpired(at: moment("2027-01-01T11:59:59Z")))
        #expect(try december.isExpired(at: moment("2027-01-01T12:00:00Z")))
        #expect(try !Expiry(month: 2, year: 2028).isExpired(at: moment("2028-03-01T11:59:59Z")))
        #expect(throws: ExpiryError.expired) { try Expiry(parsing: "11/26", now: moment("2026-12-01T12:00:00Z")) }
    }

    @Test("is at most 19 years ahead")
    func tooFarAhead() throws {
        let now = try moment("2026-11-21T12:00:00Z")
        #expect(try Expiry(parsing: "12/45", now: now).year == 2045)
        #expect(throws: ExpiryError.tooFarAhead) { try Expiry(parsing: "01/46", now: now) }
        #expect(throws: ExpiryError.tooFarAhead) { try Expiry(parsing: "01/2046", now: now) }
    }

    @Test("is in the next century when the last one ends")
    func century() throws {
        let now = try moment("2095-06-01T00:00:00Z")
        #expect(try Expiry(parsing: "01/05", now: now).year == 2105)
        #expect(try Expiry(parsing: "01/99", now: now).year == 2099)
        #expect(throws: ExpiryError.expired) { try Expiry(parsing: "01/94", now: now) }
    }

    @Test("is decoded as it was encoded, and never as what is no month")
    func codable() throws {
        let expiry = Expiry(month: 2, year: 2030)
        #expect(try JSONDecoder().decode(Expiry.self, from: JSONEncoder().encode(expiry)) == expiry)
        for json in [#"{"month":13,"year":2030}"#, #"{"month":0,"year":2030}"#, #"{"month":1,"year":30}"#, "{}"] {
            #expect(throws: DecodingError.self) { try JSONDecoder().decode(Expiry.self, from: Data(json.utf8)) }
        }
    }

    @Test("is refused, and ends nothing, when the clock is so wrong that the year has no card's form")
    func absurdClock() throws {
        let late = try moment("9995-06-01T00:00:00Z")
        #expect(try Expiry(parsing: "12/99", now: late).year == 9999)
        #expect(throws: ExpiryError.tooFarAhead) { try Expiry(parsing: "01/05", now: late) }
        #expect(throws: ExpiryError.tooFarAhead) { try Expiry(parsing: "12/99", now: moment("1999-06-01T00:00:00Z")) }
    }

    @Test("of the test card is two digits for the month and two for the year, however long ago; no sign is a digit")
    func testCard() {
        for text in ["01/18", " 01 / 18 ", "12/99", "01/00"] { #expect(Expiry(ofTestCard: text) != nil, "\(text)") }
        #expect(Expiry(ofTestCard: "01/18") == Expiry(month: 1, year: 2018))
        let refused = [
            "", "/", "01", "01/", "/18", "1/18", "01/2018", "00/18", "13/18", "01/-1", "+1/18", "+1/+8", "-1/18",
            "01/+8", "01/1a", "01/18/1", "٠١/١٨", "０１/１８", "01/1\u{0301}",
        ]
        for text in refused { #expect(Expiry(ofTestCard: text) == nil, "\(text)") }
    }
}
