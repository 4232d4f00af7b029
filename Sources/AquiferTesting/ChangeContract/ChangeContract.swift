import Aquifer
import Foundation

/// The promises of a `PendingChange`, as checks that run over any. For each app that has one:
///
/// ```swift
/// let contract = ChangeContract(
///     changes: [NoteChange.create(milk), .rename("milk-1", title: "Oat milk"), .delete("milk-1")],
///     values: [[bread]], empty: [])
///
/// @Test(arguments: contract.checks)
/// func keepsTheContract(check: ChangeContract<NoteChange>.Check) throws {
///     try check.run()
/// }
/// ```
///
/// The checks apply the changes to each of the values, to the empty one, and to all that becomes of them on the way. Give at least
/// one change of each kind, and for each pair of which `coalesced(with:)` makes one, both of the pair.
///
/// A check that fails throws a ``ContractViolation``. No check sleeps or sends anything.
public struct ChangeContract<Change: PendingChange>: Sendable where Change.Value: Equatable {
    /// One promise, and how it is checked.
    public struct Check: Sendable, CustomStringConvertible {
        /// The promise, as a sentence.
        public let name: String
        let body: @Sendable (Promise) throws -> Void

        init(_ name: String, _ body: @escaping @Sendable (Promise) throws -> Void) {
            self.name = name
            self.body = body
        }

        /// The promise.
        public var description: String { name }

        /// Runs the check.
        ///
        /// - Throws: ``ContractViolation`` if the promise is not kept.
        public func run() throws { try body(Promise(name)) }
    }

    /// The changes, in an order in which a user can make them.
    public let changes: [Change]
    /// The values that the server may have sent before them.
    public let values: [Change.Value]
    /// True if the server gives a new row an id of its own.
    public let hasServerIDs: Bool

    /// The contract of some changes.
    ///
    /// - Parameters:
    ///   - changes: changes in an order in which a user can make them, such as a creation before the edit of what was created. Their
    ///     targets are ids as the app draws them, and appear in no title or other text.
    ///   - values: values that the server may have sent before the first of the changes.
    ///   - empty: the value over which changes are shown when there is no other, as in `EditableResource`.
    ///   - hasServerIDs: true if the server gives a new row an id of its own, so that `replacingIDs` must replace the app's
    ///     everywhere; false if the server keeps the app's ids.
    public init(changes: [Change], values: [Change.Value], empty: Change.Value, hasServerIDs: Bool = true) {
        self.changes = changes
        self.values = values.contains(empty) ? values : values + [empty]
        self.hasServerIDs = hasServerIDs
    }

    /// Every promise.
    public var checks: [Check] {
        [effective, deterministic, total, idempotent, replayable, encodable]
            + (hasServerIDs ? [replacing] : []) + [keepingOtherIDs, coalescing]
    }

    /// Runs every check.
    ///
    /// - Throws: the first ``ContractViolation``.
    public func run() throws {
        for check in checks { try check.run() }
    }

    // MARK: Shared by the checks

    /// A value with what led to it, for messages.
    struct State: Sendable {
        let value: Change.Value
        let origin: String
    }

    /// The values, and what becomes of each when the changes are made one after another.
    var states: [State] { values.indices.flatMap { states(from: $0, through: changes.count) } }

    /// A value, and what becomes of it by each of the first changes.
    func states(from place: Int, through count: Int) -> [State] {
        var value = values[place]
        var states = [State(value: value, origin: "value \(place + 1)")]
        for (index, change) in changes.prefix(count).enumerated() {
            let after = Self.result(of: [change], over: value)
            guard after != value else { continue }
            value = after
            states.append(State(value: value, origin: "value \(place + 1) after change \(index + 1)"))
        }
        return states
    }

    /// Laid over a value as `EditableResource` does: a change that throws is passed over.
    static func result(of changes: [Change], over value: Change.Value) -> Change.Value {
        var value = value
        for change in changes {
            var next = value
            do { try change.apply(to: &next) } catch { continue }
            value = next
        }
        return value
    }

    /// The value with a change in it; `nil` if it does not apply.
    static func applied(_ change: Change, to value: Change.Value) -> Change.Value? {
        var value = value
        do { try change.apply(to: &value) } catch { return nil }
        return value
    }

    static func encoded(_ change: Change, _ promise: Promise) throws -> Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        do { return try encoder.encode(change) } catch {
            throw ContractViolation(promise.text, "\(brief(change)) cannot be encoded: \(error)")
        }
    }

    /// The beginning of a description, for messages.
    static func brief(_ subject: some Any) -> String {
        let text = "\(subject)"
        return text.count > 300 ? "\(text.prefix(300))…" : text
    }
}
