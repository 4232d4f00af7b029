/// What happened, as a number that two runs can be compared by, and in lines when somebody wants to read it.
struct Trace {
    private(set) var hash: UInt64 = 0xCBF2_9CE4_8422_2325
    /// The notes of the world, and what the faults did.
    private(set) var history: [String] = []
    /// The steps of the scheduler, if they are kept.
    private(set) var schedule: [String] = []
    let isKept: Bool

    init(isKept: Bool) { self.isKept = isKept }

    mutating func mix(_ value: UInt64) {
        hash = (hash ^ value) &* 0x9E37_79B9_7F4A_7C15
        hash ^= hash >> 29
    }

    mutating func mix(_ text: String) {
        for byte in text.utf8 { hash = (hash ^ UInt64(byte)) &* 0x0000_0100_0000_01B3 }
    }

    mutating func note(_ text: String, at now: Int64, by life: Life) {
        mix(text)
        mix(UInt64(bitPattern: now))
        history.append("\(Self.moment(now)) \(life.name): \(text)")
    }

    mutating func step(_ number: Int, _ what: String, of ready: Int, at now: Int64, by life: Life) {
        schedule.append("\(number) \(Self.moment(now)) \(life.name): \(what) (1 of \(ready))")
    }

    /// Seconds with six digits.
    static func moment(_ now: Int64) -> String {
        let micros = String(now / 1000 % 1_000_000)
        return "\(now / 1_000_000_000)." + String(repeating: "0", count: 6 - micros.count) + micros
    }
}
