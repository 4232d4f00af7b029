import Foundation

/// One damage of a file: a bit that is flipped, or the length to which the file is cut.
public enum Damage: Sendable, Hashable, CustomStringConvertible {
    /// The bit of this number, counted from the lowest bit of the first byte.
    case flip(bit: Int)
    /// The length in bytes that is left.
    case cut(to: Int)

    /// The damaged bytes.
    public func applied(to bytes: Data) -> Data {
        switch self {
        case .flip(let bit):
            var flipped = Data(bytes)
            flipped[bit / 8] ^= 1 << (bit % 8)
            return flipped
        case .cut(let length): return Data(bytes.prefix(length))
        }
    }

    /// The damage in a few words.
    public var description: String {
        switch self {
        case .flip(let bit): "bit \(bit % 8) of byte \(bit / 8) flipped"
        case .cut(let length): "cut to \(length) bytes"
        }
    }

    /// True if every bit and every length has its turn: `AQUIFER_EVERY_BIT=1`, which `make lab` sets. Otherwise a large
    /// file has a fixed share of them.
    public static let areAll = ProcessInfo.processInfo.environment["AQUIFER_EVERY_BIT"] == "1"

    /// The damages of a file of `count` bytes: each bit flipped, and each length cut.
    ///
    /// - Parameters:
    ///   - limit: the number of flips and of cuts, unless ``areAll``. The share is evenly spread, always the same, and
    ///     has the first and the last byte.
    ///   - bits: the bits to flip; by default, all of the file's.
    public static func all(of count: Int, limit: Int, bits: Range<Int>? = nil) -> [Damage] {
        let bits = bits ?? 0..<(count * 8)
        let flips = share(bits, limit).map { Damage.flip(bit: $0) }
        let cuts = share(0..<count, limit).map { Damage.cut(to: $0) }
        return flips + cuts
    }

    /// An evenly spread share of these numbers. The step is odd, so that each bit of a byte has its turn.
    private static func share(_ numbers: Range<Int>, _ limit: Int) -> [Int] {
        guard !areAll, numbers.count > limit, let last = numbers.last else { return Array(numbers) }
        let step = (numbers.count / limit) | 1
        return stride(from: numbers.lowerBound, to: last, by: step) + [last]
    }
}
