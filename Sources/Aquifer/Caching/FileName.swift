/// The name of the file that keeps a key.
enum FileName {
    static let suffix = ".entry"
    /// Short of the 255 bytes that file systems take.
    private static let longest = 200

    /// Lower-case letters, digits, `-`, `_` stay; every other byte becomes `%` and two digits. Capitals too: many
    /// file systems do not tell them from small ones. A name that would be too long is `~` and 128 bits of hash:
    /// the file keeps the key, so that two keys of one hash are told apart.
    static func of(_ key: String) -> String {
        let digits = Array("0123456789abcdef".utf8)
        var name: [UInt8] = []
        name.reserveCapacity(key.utf8.count + suffix.utf8.count)
        for byte in key.utf8 {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"),
                UInt8(ascii: "_"):
                name.append(byte)
            default:
                name += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
            }
            if name.count > longest {
                return "~" + hex(Checksum.xxh64(key)) + hex(Checksum.xxh64(key, seed: 1)) + suffix
            }
        }
        return String(decoding: name, as: UTF8.self) + suffix
    }

    private static func hex(_ value: UInt64) -> String {
        let text = String(value, radix: 16)
        return String(repeating: "0", count: 16 - text.count) + text
    }
}
