import Aquifer
import AquiferFoundation

/// The reason why a text is not a size of storage.
public enum StorageSizeError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The text is not a number followed by KB, MB or GB.
    case notASize
    /// The size is zero.
    case zero
    /// The size is smaller or larger than a storage account may be.
    case outOfRange

    /// A description in one line.
    public var description: String {
        switch self {
        case .notASize: "a size is a number and KB, MB or GB, such as 1.5MB"
        case .zero: "a size must be above zero"
        case .outOfRange: "a storage account has between 1 KB and 1024 GB"
        }
    }
}

/// Sizes as Shadow Drive writes them: `<number>KB`, `MB` or `GB`, in powers of 1024.
public enum StorageSize {
    /// The allowed sizes of a storage account in bytes: 1 KiB to 1 TiB.
    public static let accountRange: ClosedRange<UInt64> = 1024...(1 << 40)

    /// The number of bytes of a text such as `10MB` or `1.5 gb`, rounded up. Case does not matter.
    ///
    /// - Throws: ``StorageSizeError/notASize``, ``StorageSizeError/zero``.
    public static func parse(_ text: String) throws(StorageSizeError) -> UInt64 {
        let letters = Array(text.utf8)
        guard letters.count > 2, let unit = unit(letters[letters.count - 2], letters[letters.count - 1]) else {
            throw .notASize
        }
        var number = letters.dropLast(2)
        while number.last == UInt8(ascii: " ") { number.removeLast() }
        let parts = number.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard (1...2).contains(parts.count), parts.allSatisfy({ !$0.isEmpty && $0.count <= 18 }),
            parts.joined().allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }),
            let whole = UInt128(String(decoding: parts[0], as: UTF8.self))
        else { throw .notASize }
        var bytes = whole * unit
        if parts.count == 2, let part = UInt128(String(decoding: parts[1], as: UTF8.self)) {
            let scale = (0..<parts[1].count).reduce(UInt128(1)) { value, _ in value * 10 }
            bytes += (part * unit + scale - 1) / scale
        }
        guard bytes > 0 else { throw .zero }
        guard bytes <= UInt128(UInt64.max) else { throw .notASize }
        return UInt64(bytes)
    }

    /// The number of bytes of a text, which must be an allowed size of a storage account.
    ///
    /// - Throws: ``StorageSizeError``.
    public static func parseAccount(_ text: String) throws(StorageSizeError) -> UInt64 {
        let bytes = try parse(text)
        guard accountRange.contains(bytes) else { throw .outOfRange }
        return bytes
    }

    /// The text of a number of bytes: "512 B", "1.5 MB". One decimal is shown if it is not 0.
    public static func text(_ bytes: UInt64) -> String {
        ByteCount.text(bytes)
    }

    private static func unit(_ first: UInt8, _ second: UInt8) -> UInt128? {
        guard second | 0x20 == UInt8(ascii: "b") else { return nil }
        return switch first | 0x20 {
        case UInt8(ascii: "k"): 1 << 10
        case UInt8(ascii: "m"): 1 << 20
        case UInt8(ascii: "g"): 1 << 30
        default: nil
        }
    }
}
