import Aquifer
import Foundation

/// The promises of a change that waits: it is encoded, its ids are replaced, and it becomes one with another.
extension ChangeContract {
    var encodable: Check {
        Check("encoded and decoded, a change is the same") { promise in
            for change in changes {
                let bytes = try Self.encoded(change, promise)
                let name = Self.brief(change)
                let decoded: Change
                do { decoded = try JSONDecoder().decode(Change.self, from: bytes) } catch {
                    throw ContractViolation(promise.text, "\(name) cannot be decoded: \(error)")
                }
                let again = try Self.encoded(decoded, promise)
                try promise.holds(
                    again == bytes,
                    "\(name) was encoded as \(Self.text(bytes)), and decoded and encoded as \(Self.text(again))")
                try promise.holds(
                    decoded.target == change.target && decoded.group == change.group,
                    "\(name) had the target \(change.target) and the group \(change.groupName), "
                        + "and has \(decoded.target) and \(decoded.groupName)")
                try Self.acts(decoded, as: change, in: states, "decoded, \(name)", promise)
                try Self.sends(decoded, as: change, promise)
            }
        }
    }

    var replacing: Check {
        Check("`replacingIDs` replaces each occurrence of an id") { promise in
            let targets = Set(changes.map(\.target))
            for change in changes {
                for id in targets {
                    let new = Self.newID(beside: targets)
                    let replaced = change.replacingIDs { $0 == id ? new : $0 }
                    let bytes = try Self.encoded(replaced, promise)
                    let advice = "if the server keeps the app's ids, pass `hasServerIDs: false`"
                    try promise.holds(
                        !Self.mentions(id, bytes) && ![id, Change.ownGroup(of: id)].contains(replaced.group),
                        "\(Self.brief(change)) still names \(id) after it was replaced: \(Self.text(bytes)); \(advice)")
                    guard change.target == id else { continue }
                    try promise.holds(
                        replaced.target == new,
                        "the target of \(Self.brief(change)) was \(id), and is \(replaced.target); \(advice)")
                }
            }
        }
    }

    var keepingOtherIDs: Check {
        Check("`replacingIDs` changes nothing where no id has another") { promise in
            for change in changes {
                let (before, after) = (
                    try Self.encoded(change, promise), try Self.encoded(change.replacingIDs { $0 }, promise)
                )
                try promise.holds(
                    before == after, "\(Self.brief(change)) was \(Self.text(before)), and is \(Self.text(after))")
            }
        }
    }

    var coalescing: Check {
        Check("one change in place of two does what the two did") { promise in
            for (first, earlier) in changes.enumerated() {
                for later in changes[(first + 1)...] where later.group == earlier.group {
                    let (pair, one): (String, [Change])
                    pair = "\(Self.brief(earlier)) and \(Self.brief(later))"
                    switch earlier.coalesced(with: later) {
                    case .separate: continue
                    case .nothing: one = []
                    case .merged(let merged):
                        one = [merged]
                        try promise.holds(
                            merged.group == earlier.group,
                            "\(pair) are of the group \(earlier.groupName), and their one change of \(merged.groupName)"
                        )
                    }
                    for state in values.indices.flatMap({ states(from: $0, through: first) }) {
                        // Neither was ever tried: no value shows the earlier one.
                        guard Self.applied(earlier, to: state.value) != state.value else { continue }
                        let both = Self.result(of: [earlier, later], over: state.value)
                        let found = Self.result(of: one, over: state.value)
                        try promise.holds(
                            both == found,
                            "\(pair) made \(Self.brief(both)) of \(state.origin), and "
                                + (one.first.map { Self.brief($0) } ?? "nothing in their place")
                                + " made \(Self.brief(found))")
                    }
                }
            }
        }
    }

    // MARK: -

    private static func acts(
        _ change: Change, as other: Change, in states: [State], _ what: String, _ promise: Promise
    ) throws {
        for state in states {
            let (found, expected) = (applied(change, to: state.value), applied(other, to: state.value))
            try promise.holds(
                found == expected, "\(what) made \(outcome(found)) of \(state.origin), and not \(outcome(expected))")
        }
    }

    /// A form's boundary is drawn for each request: only what is the same twice is compared.
    private static func sends(_ change: Change, as other: Change, _ promise: Promise) throws {
        let (found, expected, control) = (sent(by: change), sent(by: other), sent(by: other))
        guard let expected, let control else { return }
        try promise.holds(
            found?.method == expected.method && found?.url == expected.url,
            "decoded, \(brief(other)) sends \(brief(found?.url as Any)) instead of \(expected.method.rawValue) \(expected.url)"
        )
        guard isSame(expected.body, control.body) else { return }
        try promise.holds(isSame(found?.body, expected.body), "decoded, \(brief(other)) sends another body")
    }

    /// True if two bodies say the same: an encoder writes the fields of JSON in any order.
    private static func isSame(_ body: HTTPBody?, _ other: HTTPBody?) -> Bool {
        if body == other { return true }
        guard case .bytes(let one)? = body?.parts.first, case .bytes(let two)? = other?.parts.first,
            body?.parts.count == 1, other?.parts.count == 1,
            // What is no JSON is compared byte by byte.
            let first = try? JSONSerialization.jsonObject(with: one, options: .fragmentsAllowed) as? NSObject,
            let second = try? JSONSerialization.jsonObject(with: two, options: .fragmentsAllowed) as? NSObject
        else { return false }
        return first == second
    }

    /// A change that cannot be sent is shown as refused.
    private static func sent(by change: Change) -> HTTPRequest? { try? change.request(version: nil) }

    /// True if a string or a key of a JSON text is this id. A long id is found within a string, too, such as in an address.
    private static func mentions(_ id: String, _ bytes: Data) -> Bool {
        func contains(_ node: Any) -> Bool {
            switch node {
            case let text as String: text == id || (id.count >= 8 && text.contains(id))
            case let list as [Any]: list.contains(where: contains)
            case let fields as [String: Any]: fields.contains { contains($0.key) || contains($0.value) }
            default: false
            }
        }
        // Text that was encoded here can be parsed.
        guard let root = try? JSONSerialization.jsonObject(with: bytes, options: .fragmentsAllowed) else {
            return false
        }
        return contains(root)
    }

    /// An id that is none of these.
    private static func newID(beside ids: Set<String>) -> String {
        var number = 70_001
        while ids.contains("\(number)") { number += 1 }
        return "\(number)"
    }

    private static func text(_ bytes: Data) -> String { brief(String(decoding: bytes, as: UTF8.self)) }
}
