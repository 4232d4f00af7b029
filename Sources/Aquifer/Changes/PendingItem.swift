import AquiferFoundation

/// A change that is shown in a value, and that the server has not confirmed.
public struct PendingItem: Sendable, Hashable, Identifiable {
    /// Its number in the outbox.
    public let id: Outbox.ID
    /// The id of what it changes (``PendingChange/target``): the server's own as soon as it is known.
    public let target: String
    /// The app's name for it.
    public let label: String
    /// The state of its sending: waiting, being sent, refused with the server's words.
    public let state: Outbox.State
    /// The size of its request's body in bytes, for a percentage of what ``Outbox/State/sending(sent:)`` has sent.
    public let length: UInt64
    /// The time when the user made it.
    public let madeAt: Date
    /// The reason why it is not shown in the value, because it does not apply to it; `nil` if it is shown. It is sent all the same.
    public let obstacle: String?
    /// An earlier change of its group that was refused, and holds it back.
    public let heldBackBy: Outbox.ID?

    /// True if it can be edited and discarded: the server cannot have it, or has refused it. After an attempt without a connection, or
    /// a 401, it can be. A change that may have arrived is followed by another one.
    public let canBeEdited: Bool

    /// True if it is shown in the value.
    public var isShown: Bool { obstacle == nil }
    /// The reason why the server refused it; `nil` if it did not.
    public var refusal: Outbox.Refusal? { if case .refused(let refusal) = state { refusal } else { nil } }
    /// True if the server says that the target has changed since the user saw it (412): see ``EditableResource/conflict(of:)``.
    public var isConflict: Bool { if case .server(status: 412, _)? = refusal { true } else { false } }
}

/// A change that the server refused because somebody else has changed the same thing since.
public struct ChangeConflict<Part: Sendable>: Sendable {
    /// The part as it was when the user changed it; `nil` if that is not known.
    public let base: Part?
    /// The part as the user wants it; `nil` if it is to be deleted.
    public let mine: Part?
    /// The part as the server has it now; `nil` if it is not there.
    public let theirs: Part?
}
