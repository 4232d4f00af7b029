import AquiferFoundation

/// A change that a user makes to a value: shown at once, kept on disk, and sent until the server has it.
///
/// ```swift
/// enum NoteChange: PendingChange {
///     case create(Note)
///     case rename(String, title: String)
///
///     var target: String { … }                                  // the note's id
///     func apply(to notes: inout [Note]) throws { … }           // what the user sees
///     func request(version: String?) throws -> HTTPRequest { … } // what the server gets
/// }
/// ```
///
/// An app promises this of each change, and `ChangeContract` of `AquiferTesting` tests it:
/// - `apply` is deterministic: it reads no clock, and draws nothing. A new row has an id that the app drew before.
/// - Applied twice, it is applied once: "set the title" and "insert, or replace, the row with this id", never "add 1".
/// - A change that no longer applies throws, and leaves the value as it was. It loses its prediction only: it is sent all the same.
/// - It is encoded and decoded without a loss, by later versions of the app, too: changes wait for days.
///
/// An ``EditableResource`` keeps the changes and lays them over the value.
public protocol PendingChange: Codable, Sendable {
    /// The value that it changes.
    associatedtype Value: Sendable
    /// The part of the value that it concerns, such as one note: see ``part(of:)``.
    associatedtype Part: Codable, Sendable = Never

    /// The id of what it changes, such as a note's: a screen finds the row that is pending by it. The version for `If-Match` is
    /// kept for each target.
    var target: String { get }

    /// The changes that are sent one after another, in their order; by default, those of one ``target``. Changes that name each
    /// other's new ids need one group: that of a list and its items can be the list's id.
    var group: String { get }

    /// True if it makes its target, under an id that the app drew and the server replaces; by default, false.
    ///
    /// While it is being sent, a newer value of the server's waits for its answer, for five seconds at most: it may have the new row
    /// already, and nobody can tell yet that it is this one. If the server sends the app's id back with the row, compare that in
    /// ``apply(to:)``: the row is then there once even if the answer was lost.
    var isCreation: Bool { get }

    /// Changes the value as the server is expected to.
    ///
    /// - Throws: any error if the change does not apply to this value, such as a rename of a note that was deleted. The value must be
    ///   unchanged then.
    func apply(to value: inout Value) throws

    /// Changes the value as ``apply(to:)`` does, which it calls by default.
    ///
    /// - Parameters:
    ///   - value: the value to change.
    ///   - wasTried: true if the change was sent, and its answer has not come: the value may have it already, under an id that is not
    ///     known here.
    func apply(to value: inout Value, wasTried: Bool) throws

    /// The request that sends it. It is made anew for each attempt, with the ids and the version that are known by then. A request
    /// with files is made once, when the change is made, with the ids and the version of then. Make the same bytes each time, such as with
    /// `JSONEncoder.OutputFormatting.sortedKeys`: a server may compare what comes under one key.
    ///
    /// - Parameter version: the newest confirmed version of the target; `nil` if none is known. If the request has no `If-Match`
    ///   field, this version becomes one.
    /// - Throws: any error if it cannot be made. While the change is being made, ``EditableResource/change(_:over:label:key:)`` then
    ///   throws `.unsendable`, and keeps nothing; a change that waits is shown as refused.
    func request(version: String?) throws -> HTTPRequest

    /// Reads the server's answer to it. By default, the change stays as it is, and the answer's `ETag` is the target's new version.
    ///
    /// - Throws: any error if the answer cannot be read, such as one that was cut off. The change is then sent again with its key.
    func confirmation(_ answer: Outbox.Answer) throws -> ChangeConfirmation<Self>

    /// The meaning of an answer to it; `nil` to leave that to the outbox's own judge.
    func verdict(_ head: HTTPResponseHead, _ body: Data) -> Outbox.Verdict?

    /// The same change, with each id in it replaced by what `real` returns: for an id that was made offline, the server's.
    func replacingIDs(_ real: (String) -> String) -> Self

    /// One change in place of this one and a later one of the same ``group``, neither of which was ever tried.
    func coalesced(with later: Self) -> CoalescedChange<Self>

    /// The version of the target in a value that the server sent, such as the note's ETag; `nil` if there is none.
    func version(in value: Value) -> String?

    /// True if the value shows this confirmed change; `nil`, the default, if that cannot be seen. A load that began after the
    /// answer then counts as showing it. See ``EditableResource``.
    func isShown(in value: Value) -> Bool?

    /// The part of the value that it concerns, for a user who has to choose: see ``EditableResource/conflict(of:)``.
    func part(of value: Value) -> Part?
}

extension PendingChange {
    /// The changes of one target of one resource.
    public var group: String { Self.ownGroup(of: target) }
    /// The group's name for people.
    package var groupName: String { group == Self.ownGroup(of: target) ? target : group }
    /// The group of the changes of one target, which is no group of another resource's changes.
    package static func ownGroup(of target: String) -> String { "target/\(target)" }
    /// It makes no new row.
    public var isCreation: Bool { false }
    /// The same, tried or not.
    public func apply(to value: inout Value, wasTried: Bool) throws { try apply(to: &value) }
    /// The change as it is, with the answer's `ETag`.
    public func confirmation(_ answer: Outbox.Answer) throws -> ChangeConfirmation<Self> {
        ChangeConfirmation(self, version: answer.head.headers.single("ETag"))
    }
    /// Leaves it to the outbox's judge.
    public func verdict(_ head: HTTPResponseHead, _ body: Data) -> Outbox.Verdict? { nil }
    /// The change as it is.
    public func replacingIDs(_ real: (String) -> String) -> Self { self }
    /// Both are sent.
    public func coalesced(with later: Self) -> CoalescedChange<Self> { .separate }
    /// No version.
    public func version(in value: Value) -> String? { nil }
    /// Nothing can be seen.
    public func isShown(in value: Value) -> Bool? { nil }
}

extension PendingChange where Part == Never {
    /// No part.
    public func part(of value: Value) -> Never? { nil }
}

/// A change that the server has confirmed, with what its answer tells.
public struct ChangeConfirmation<Change: Sendable>: Sendable {
    /// The change as it is shown until a load shows it: with the server's own data, if the answer has these.
    public var change: Change
    /// The server's id of the target, if the change has created it under an id of the app.
    public var id: String?
    /// The target's version after the change, for the `If-Match` of the next one.
    ///
    /// Name it if the server checks versions. Without it, the changes that wait behind this one over the same version are sent without
    /// `If-Match`, because the version that they have is old for certain: they overwrite what somebody else has changed after this one.
    public var version: String?

    /// A confirmation.
    public init(_ change: Change, id: String? = nil, version: String? = nil) {
        self.change = change
        self.id = id
        self.version = version
    }
}

/// The fate of two changes that wait one behind the other.
public enum CoalescedChange<Change: Sendable>: Sendable {
    /// Both are sent.
    case separate
    /// This one is sent in place of both.
    case merged(Change)
    /// They cancel each other out, such as a creation and a deletion: nothing is sent.
    case nothing
}
