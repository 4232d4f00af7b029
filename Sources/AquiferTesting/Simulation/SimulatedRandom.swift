import Aquifer
import Foundation

/// Chance of a ``Simulation``: the same numbers for the same seed.
public final class SimulatedRandom: RandomNumberGenerator, @unchecked Sendable {
    // One thread at a time runs in a simulation.
    private var numbers: SeededNumbers

    init(seed: UInt64, _ purpose: UInt64) {
        var mixer = SeededNumbers(seed: seed ^ purpose &* 0xD6E8_FEB8_6659_FD93)
        numbers = SeededNumbers(seed: mixer.next())
    }

    /// The next 64 bits.
    public func next() -> UInt64 { numbers.next() }

    /// A number in 0 … 1.
    public func fraction() -> Double { Double(next() >> 11) / Double((1 << 53) - 1) }

    /// True with this probability.
    public func chance(_ probability: Double) -> Bool { fraction() < probability }

    /// A number of a range.
    public func int(in range: ClosedRange<Int>) -> Int {
        range.lowerBound + Int(next() % UInt64(range.upperBound - range.lowerBound + 1))
    }

    /// A duration between two others; small ones are as likely as large ones of ten times their size.
    public func duration(in range: ClosedRange<Duration>) -> Duration {
        let (low, high) = (max(1, range.lowerBound.nanoseconds), max(1, range.upperBound.nanoseconds))
        let bits = log2(Double(low)) + fraction() * (log2(Double(high)) - log2(Double(low)))
        return .nanoseconds(Int64(min(Double(high), exp2(bits))))
    }

    /// One of them; `nil` if there is none.
    public func element<Element>(of elements: [Element]) -> Element? {
        elements.isEmpty ? nil : elements[int(in: 0...elements.count - 1)]
    }

    /// A random UUID, version 4.
    public func uuid() -> UUID {
        var bytes = withUnsafeBytes(of: (next(), next())) { Array($0) }
        bytes[6] = bytes[6] & 0x0F | 0x40
        bytes[8] = bytes[8] & 0x3F | 0x80
        return bytes.withUnsafeBytes { UUID(uuid: $0.loadUnaligned(as: uuid_t.self)) }
    }
}
