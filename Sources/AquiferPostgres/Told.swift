import Aquifer
import AquiferFoundation

/// The messages with which stores tell each other of changes: the sender, what has changed, and its key or prefix in
/// hexadecimal digits.
enum Told {
    /// A message of PostgreSQL has fewer than 8 000 bytes.
    private static let longest = 3_900

    static func text(_ change: StoreChange, from instance: String) -> String {
        switch change {
        case .entry(let key) where key.utf8.count <= longest: "\(instance) entry \(Data(key.utf8).hexadecimal)"
        case .prefix(let prefix) where prefix.utf8.count <= longest:
            "\(instance) prefix \(Data(prefix.utf8).hexadecimal)"
        case .entry, .prefix, .everything: "\(instance) everything"
        }
    }

    /// The change in a message; `nil` for one of this instance's own, which has been told already.
    static func change(_ text: String, to instance: String) -> StoreChange? {
        let words = text.split(separator: " ", omittingEmptySubsequences: false)
        if words.first.map(String.init) == instance { return nil }
        guard words.count == 3, let bytes = Data(hexadecimal: words[2]) else { return .everything }
        let name = String(decoding: bytes, as: UTF8.self)
        switch words[1] {
        case "entry": return .entry(name)
        case "prefix": return .prefix(name)
        default: return .everything
        }
    }

    /// Tells observers what a message says.
    static func pass(
        _ message: Listener.Message, from instance: String, to changes: StoreChanges, _ leaseEnds: StoreChanges
    ) {
        switch message {
        case .leaseEnded(let text): if let change = change(text, to: instance) { leaseEnds.post(change) }
        case .told(let text): if let change = change(text, to: instance) { changes.post(change) }
        // Nobody knows what happened while it did not listen.
        case .resumed:
            changes.post(.everything)
            leaseEnds.post(.everything)
        }
    }
}
