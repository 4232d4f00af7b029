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

    /// A message about several entries. They are as many as ``parts(of:)`` puts together.
    package static func text(entries keys: [String], from instance: String) -> String {
        if let key = keys.first, keys.count == 1 { return text(.entry(key), from: instance) }
        let names = keys.map { Data($0.utf8).hexadecimal }.joined(separator: ",")
        return names.utf8.count <= 2 * longest ? "\(instance) entries \(names)" : "\(instance) everything"
    }

    /// The places of keys in parts, of which each has room in one message.
    package static func parts(of keys: [String]) -> [Range<Int>] {
        var (parts, length) = ([Range<Int>](), 0)
        for (place, key) in keys.enumerated() {
            let added = 2 * key.utf8.count + 1
            if let last = parts.last, length + added <= 2 * longest {
                parts[parts.count - 1] = last.lowerBound..<(place + 1)
                length += added
            } else {
                parts.append(place..<(place + 1))
                length = added
            }
        }
        return parts
    }

    /// True for a message that this instance has sent.
    package static func isOwn(_ text: String, of instance: String) -> Bool {
        let (text, instance) = (text.utf8, instance.utf8)
        return text.starts(with: instance) && text.dropFirst(instance.count).first == UInt8(ascii: " ")
    }

    /// The changes in a message, of one entry or of several; `nil` for one of this instance's own, which has been told already.
    package static func changes(_ text: String, to instance: String) -> [StoreChange]? {
        if isOwn(text, of: instance) { return nil }
        guard let message = Message(text) else { return [.everything] }
        guard message.kind == "entries" else { return [message.change] }
        let keys = message.digits.utf8.split(separator: UInt8(ascii: ",")).map { key(of: Substring($0)) }
        return keys.isEmpty || keys.contains(nil) ? [.everything] : keys.compactMap { $0.map { .entry($0) } }
    }

    /// The change in a message; `nil` for one of this instance's own, which has been told already.
    package static func change(_ text: String, to instance: String) -> StoreChange? {
        if isOwn(text, of: instance) { return nil }
        return Message(text)?.change ?? .everything
    }

    private static func key(of digits: Substring) -> String? {
        Data(hexadecimal: digits).map { String(decoding: $0, as: UTF8.self) }
    }

    /// A message in its words. They are found by bytes: a busy outbox hears of thousands of changes a second.
    private struct Message {
        let kind: Substring
        let digits: Substring

        init?(_ text: String) {
            let words = text.utf8.split(separator: UInt8(ascii: " "), omittingEmptySubsequences: false)
            guard words.count == 3 else { return nil }
            (kind, digits) = (Substring(words[1]), Substring(words[2]))
        }

        /// The change of one key or prefix; everything, if it is about something else or cannot be read.
        var change: StoreChange {
            guard let key = key(of: digits) else { return .everything }
            switch kind {
            case "entry": return .entry(key)
            case "prefix": return .prefix(key)
            default: return .everything
            }
        }
    }
}
