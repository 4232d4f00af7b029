import AquiferFoundation

/// The messages with which the stores of several machines tell each other of changes: the sender, what has changed, and its
/// key or prefix in hexadecimal digits.
package enum ToldChange {
    /// A message of PostgreSQL has fewer than 8 000 bytes.
    private static let longest = 3_900

    package static func text(_ change: StoreChange, from instance: String) -> String {
        switch change {
        case .entry(let key) where key.utf8.count <= longest: "\(instance) entry \(Data(key.utf8).hexadecimal)"
        case .prefix(let prefix) where prefix.utf8.count <= longest:
            "\(instance) prefix \(Data(prefix.utf8).hexadecimal)"
        case .entry, .prefix, .everything: "\(instance) everything"
        }
    }

    /// True for a message that this instance has sent.
    package static func isOwn(_ text: String, of instance: String) -> Bool {
        let (text, instance) = (text.utf8, instance.utf8)
        return text.starts(with: instance) && text.dropFirst(instance.count).first == UInt8(ascii: " ")
    }

    /// The change in a message; `nil` for one of this instance's own, which has been told already.
    package static func change(_ text: String, to instance: String) -> StoreChange? {
        if isOwn(text, of: instance) { return nil }
        let words = text.split(separator: " ", omittingEmptySubsequences: false)
        guard words.count == 3, let bytes = Data(hexadecimal: words[2]) else { return .everything }
        let name = String(decoding: bytes, as: UTF8.self)
        switch words[1] {
        case "entry": return .entry(name)
        case "prefix": return .prefix(name)
        default: return .everything
        }
    }
}
