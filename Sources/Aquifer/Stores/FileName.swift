/// The name of the file that keeps a key.
enum FileName {
    static let suffix = ".entry"
    /// The maximum length in bytes, below the 255 bytes that file systems allow.
    private static let longest = 200

    /// Lower-case letters, digits, `-`, `_` stay; every other byte becomes `%` and two digits. Capitals are encoded
    /// too, because many file systems are case-insensitive. A name that would be too long is `~` and 128 bits of hash:
    /// the file contains the key, so that two keys with one hash are distinguished.
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

    /// The key of a file with this name; `nil` when the name is a hash, or not the store's own.
    static func key(of name: String) -> String? {
        guard name.hasSuffix(suffix) else { return nil }
        let coded = Array(name.utf8.dropLast(suffix.utf8.count))
        var key: [UInt8] = []
        var place = 0
        while place < coded.count {
            if coded[place] == UInt8(ascii: "%") {
                guard place + 2 < coded.count,
                    let byte = UInt8(String(decoding: coded[(place + 1)...(place + 2)], as: UTF8.self), radix: 16)
                else { return nil }
                key.append(byte)
                place += 3
            } else {
                key.append(coded[place])
                place += 1
            }
        }
        let text = String(decoding: key, as: UTF8.self)
        return !text.isEmpty && of(text) == name ? text : nil
    }

    private static func hex(_ value: UInt64) -> String {
        let text = String(value, radix: 16)
        return String(repeating: "0", count: 16 - text.count) + text
    }
}
