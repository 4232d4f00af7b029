import Foundation
import Testing

@testable import Aquifer

@Suite("The directives of Cache-Control")
struct CacheControlTests {
    private func control(_ fields: String...) -> CacheControl { CacheControl(fields) }

    @Test("are read in any case, with spaces, in one field or several, and beside empty elements")
    func forms() {
        for fields in [
            ["max-age=60, immutable, stale-while-revalidate=30"],
            ["MAX-AGE=60", "Immutable", "stale-while-revalidate=30"],
            [" ,, max-age=60 ,\timmutable,stale-while-revalidate=\"30\",,"],
            ["max-age=\"6\\0\",immutable", "stale-while-revalidate=30 "],
        ] {
            let control = CacheControl(fields)
            #expect(control.maxAge == 60 && control.isImmutable && control.staleWhileRevalidate == 30, "\(fields)")
            #expect(!control.isNotStored && !control.isAskedAlways)
        }
        #expect(CacheControl([]) == CacheControl([""]))
        #expect(control("no-store").isNotStored && control("no-cache").isAskedAlways)
        #expect(control("no-cache=\"Set-Cookie, X\"").isAskedAlways)
    }

    @Test("that are not for a private cache, or unknown, say nothing")
    func unknown() {
        #expect(
            control(
                "private=\"A, no-store\", public, s-maxage=9, proxy-revalidate, x=\"max-age=1, no-cache\", y=no-store")
                == CacheControl([]))
        #expect(control("no-store-at-all, xmax-age=1, max-age-x=1") == CacheControl([]))
    }

    @Test("of a number that cannot be read make the answer stale; a larger one than counts is the largest")
    func numbers() {
        for text in [
            "max-age", "max-age=", "max-age=-1", "max-age=1.5", "max-age=a", "max-age=\"1", "max-age=\"1\"x",
            "max-age=1 2",
        ] {
            #expect(control(text).maxAge == 0, "\(text)")
        }
        for text in ["2147483648", "2147483649", "99999999999999999999999999", "\"9999999999999999999\""] {
            #expect(control("max-age=\(text)").maxAge == 1 << 31, "\(text)")
        }
        #expect(control("max-age=0").maxAge == 0 && control("max-age=007").maxAge == 7)
        #expect(control("stale-while-revalidate=soon").staleWhileRevalidate == 0)
    }

    @Test("that are repeated are the strictest of them; must-revalidate leaves no time in the background")
    func strictest() {
        #expect(control("max-age=60, max-age=30", "max-age=90").maxAge == 30)
        #expect(control("max-age=60, max-age=x").maxAge == 0)
        #expect(control("stale-while-revalidate=9, must-revalidate").staleWhileRevalidate == nil)
    }

    @Test("are found behind what cannot be read")
    func broken() {
        #expect(control("=, \"a, b\", max-age 60, no-store").isNotStored)
        #expect(control("x=\"a\\\", no-store").isNotStored == false, "it is in quotes that do not end")
        #expect(control("x=\"a\\\"\", no-store").isNotStored)
    }
}

/// RFC 9111, 4.2.
@Suite("The date at which a server wants to be asked")
struct AskingDateTests {
    private let sentAt = Date(timeIntervalSince1970: 784_111_777)  // Sun, 06 Nov 1994 08:49:37 GMT

    /// Seconds after the answer arrived, which took `delay`.
    private func askIn(_ headers: HTTPHeaders, delay: Double = 0, clock: Double = 0) -> Double? {
        asking(headers, delay: delay, clock: clock)?.askAt?.timeIntervalSince(sentAt + clock + delay)
    }

    private func asking(_ headers: HTTPHeaders, delay: Double = 0, clock: Double = 0) -> StoredEntry.Asking? {
        let head = HTTPResponseHead(status: 200, headers: headers, url: URL(filePath: "/"))
        let control = CacheControl(headers.values(of: "Cache-Control"))
        return StoredEntry.Asking(control, head, sentAt: sentAt + clock, receivedAt: sentAt + clock + delay)
    }

    private let date = "Sun, 06 Nov 1994 08:49:37 GMT"

    @Test("is the lifetime less the age: that of caches on the way, and the time of the request")
    func age() {
        #expect(askIn(["Cache-Control": "max-age=60"]) == 60)
        #expect(askIn(["Cache-Control": "max-age=60", "Age": "10"], delay: 5) == 45)
        #expect(askIn(["Cache-Control": "max-age=60", "Age": "10", "Date": date], delay: 5) == 45)
        #expect(askIn(["Cache-Control": "max-age=60", "Age": "soon"]) == 60, "an Age that is no number says nothing")
        #expect(askIn(["Cache-Control": "max-age=60", "Age": "100"]) == -40)
    }

    @Test("takes the first age of several, which caches on the way give as a list")
    func ages() {
        for age in ["10, 3600", "10,10", "10 ,soon"] {
            #expect(askIn(["Cache-Control": "max-age=60", "Age": age]) == 50, "\(age)")
        }
    }

    @Test("is no later by a clock that is behind the server's, and earlier by one that is ahead of it")
    func clocks() {
        let headers: HTTPHeaders = ["Cache-Control": "max-age=60", "Date": date]
        #expect(askIn(headers, clock: -3_600) == 60)
        #expect(askIn(headers, clock: 20) == 40)
        #expect(askIn(headers, clock: 3_600) == -3_540)
        #expect(askIn(headers, delay: -100) == 60, "a clock that jumps back gives no negative age")
    }

    @Test("is that of Expires where there is no max-age; one that cannot be read has passed")
    func expires() {
        #expect(askIn(["Expires": "Sun, 06 Nov 1994 08:50:37 GMT", "Date": date]) == 60)
        #expect(askIn(["Expires": "Sun, 06 Nov 1994 08:50:37 GMT", "Date": date, "Cache-Control": "max-age=9"]) == 9)
        #expect(askIn(["Expires": "0"]) == 0)
        #expect(askIn(["Expires": "Sun, 06 Nov 1994 07:50:37 GMT", "Date": date]) == 0)
    }

    @Test("is now with no-cache, whatever else is said; and nothing without a word")
    func others() {
        #expect(askIn(["Cache-Control": "no-cache, max-age=60"]) == 0)
        #expect(asking(["Date": date]) == nil && asking(["Cache-Control": "immutable, private"]) == nil)
    }

    @Test("is followed by the time in the background, and kept from a reload by immutable")
    func more() {
        let asking = asking(["Cache-Control": "max-age=60, stale-while-revalidate=30, immutable"])
        #expect(asking == .init(askAt: sentAt + 60, staleUntil: sentAt + 90, isImmutable: true))
    }

    @Test("is never lost in numbers from outside")
    func bounds() {
        let most = "99999999999999999999"
        let asking = asking(["Cache-Control": "max-age=\(most), stale-while-revalidate=\(most)", "Age": most])
        #expect(asking?.askAt == sentAt && asking?.mark == nil)
        #expect(askIn(["Cache-Control": "max-age=0", "Age": most]) == -Double(1 << 31))
    }

    @Test("is as far away again after a 304 that says nothing; an invalidation leaves nothing of it")
    func renewed() {
        let asking = StoredEntry.Asking(askAt: sentAt + 60, staleUntil: sentAt + 90, isImmutable: true)
        let now = sentAt + 1_000
        #expect(
            asking.renewed(from: sentAt, at: now)
                == .init(askAt: now + 60, staleUntil: now + 90, isImmutable: true))
        #expect(StoredEntry.Asking(askAt: .distantPast).renewed(from: sentAt, at: now) == .unsaid)
        #expect(StoredEntry.Asking.unsaid.renewed(from: sentAt, at: now) == .unsaid)
    }
}
