import AquiferFoundation
import AquiferHTTP

extension Date {
    /// The date of a text such as `2026-01-02T03:04:05Z`, with `Z`, `+00:00` or `+0000`, and with or without fractions of
    /// a second; `nil` if the text is anything else, or names a day or a time that does not exist. A leap second is the second after it.
    ///
    /// No formatter reads the text. Foundation's takes February 30 for March 2, and ignores what follows the date.
    package init?(rfc3339 text: String) {
        var rest = text.utf8[...]
        guard let year = rest.takeNumber(4), rest.take("-"), let month = rest.takeNumber(2), rest.take("-"),
            let day = rest.takeNumber(2), rest.take("T") || rest.take("t"),
            let hour = rest.takeNumber(2), rest.take(":"),
            let minute = rest.takeNumber(2), rest.take(":"), let second = rest.takeNumber(2),
            let fraction = rest.takeFraction(), let offset = rest.takeOffset(), rest.isEmpty
        else { return nil }
        guard let civil = CivilDay(year, month, day), hour < 24, minute < 60, second <= 60 else { return nil }
        let seconds = civil.daysSince1970 * 86_400 + hour * 3_600 + minute * 60 + second - offset
        // There are leap seconds at the end of a day in UTC only.
        guard second < 60 || seconds % 86_400 == 0 else { return nil }
        self.init(timeIntervalSince1970: Double(seconds) + fraction)
        // The offset may lead out of the years that have four digits.
        guard isRFC3339 else { return nil }
    }

    /// True if the date can be written with a year of four digits.
    package var isRFC3339: Bool { Self.writable.contains(timeIntervalSince1970) }

    /// The date in UTC, in whole seconds: `2026-01-02T03:04:05Z`. A date in a year without four digits is written as the
    /// nearest one that has them.
    package var rfc3339: String {
        let time = timeIntervalSince1970.rounded(.down)
        let seconds = time.isNaN ? 0 : Int(min(max(time, Self.writable.lowerBound), Self.writable.upperBound - 1))
        let ofDay = (seconds % 86_400 + 86_400) % 86_400
        let civil = CivilDay(daysSince1970: (seconds - ofDay) / 86_400)
        func padded(_ number: Int, _ count: Int = 2) -> String {
            String(repeating: "0", count: max(0, count - "\(number)".count)) + "\(number)"
        }
        return "\(padded(civil.year, 4))-\(padded(civil.month))-\(padded(civil.day))"
            + "T\(padded(ofDay / 3_600)):\(padded(ofDay / 60 % 60)):\(padded(ofDay % 60))Z"
    }

    /// The times since 1970 of the years 0000 to 9999.
    private static let writable = -62_167_219_200.0..<253_402_300_800.0
}

extension Substring.UTF8View {
    fileprivate mutating func take(_ character: Unicode.Scalar) -> Bool {
        guard first == UInt8(ascii: character) else { return false }
        removeFirst()
        return true
    }

    private mutating func takeDigit() -> Int? {
        guard let byte = first, (0x30...0x39).contains(byte) else { return nil }
        removeFirst()
        return Int(byte) - 0x30
    }

    /// A number of exactly this many digits.
    fileprivate mutating func takeNumber(_ count: Int) -> Int? {
        var number = 0
        for _ in 0..<count {
            guard let digit = takeDigit() else { return nil }
            number = number * 10 + digit
        }
        return number
    }

    /// A fraction such as `.25`, or 0 if there is none; `nil` for a point without digits.
    fileprivate mutating func takeFraction() -> Double? {
        guard take(".") else { return 0 }
        guard var fraction = takeDigit().map({ Double($0) / 10 }) else { return nil }
        var place = 0.01
        while let digit = takeDigit() {
            fraction += Double(digit) * place
            place /= 10
        }
        return fraction
    }

    /// The seconds of `Z`, `+00:00` or `+0000`.
    fileprivate mutating func takeOffset() -> Int? {
        if take("Z") || take("z") { return 0 }
        let isNegative = first == UInt8(ascii: "-")
        guard take("+") || take("-"), let hours = takeNumber(2) else { return nil }
        _ = take(":")
        guard let minutes = takeNumber(2), hours < 24, minutes < 60 else { return nil }
        return (hours * 3_600 + minutes * 60) * (isNegative ? -1 : 1)
    }
}
