/// The name of the file that keeps a key.
enum FileName {
    static let suffix = ".entry"
    /// The maximum length in bytes, below the 255 bytes that file systems allow.
    private static let longest = 200

    /// Lower-case letters, digits, `-`, `_` stay; every other byte becomes `%` and two digits. Capitals are encoded
    /// too, because many file systems are case-insensitive. A name that would be too long is `~` and 128 bits of hash:
    /// the file contains the key, so that two keys with one hash are distinguished.
    static func of(_ key: String) -> String {
        // An encoded name is at least as long as its key.
        let name = key.utf8.count > longest ? nil : PercentEncoding.encode(key, uppercase: false, keeping: isKept)
        guard let name, name.utf8.count <= longest else {
            return "~" + hash(key) + suffix
        }
        return name + suffix
    }

    /// The key of a file with this name; `nil` when the name is a hash, or not the store's own.
    static func key(of name: String) -> String? {
        guard name.hasSuffix(suffix) else { return nil }
        let key = PercentEncoding.decode(name.dropLast(suffix.count))
        return !key.isEmpty && of(key) == name ? key : nil
    }

    /// True if a file with this name may keep a key that begins so; certainly, unless the name is a hash.
    static func mayBegin(_ name: String, with prefix: String) -> Bool {
        guard name.hasSuffix(suffix) else { return false }
        return prefix.isEmpty || key(of: name)?.hasBytes(prefix) ?? true
    }

    private static func isKept(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"),
            UInt8(ascii: "_"):
            true
        default: false
        }
    }

    /// 128 bits of hash, as hexadecimal digits.
    static func hash(_ text: String) -> String {
        Checksum.xxh64(text).hexadecimal + Checksum.xxh64(text, seed: 1).hexadecimal
    }
}
