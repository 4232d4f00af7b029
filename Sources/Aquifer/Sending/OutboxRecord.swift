import AquiferFoundation

/// An item in the store, as JSON. It is one entry, which changes in one step or not at all.
struct OutboxRecord: Sendable, Codable {
    /// The part of an item that is also kept in memory.
    struct Head: Sendable, Codable {
        var group: String?
        var label: String
        var key: String
        var queuedAt: Date
        var method: String
        var url: URL
        var length: UInt64
        var attempts = 0
        var lease: Lease?
        var wait: Wait?
        var isPaused = false
        var refusal: Outbox.Refusal?
        /// True if an earlier attempt may have reached the server.
        var mayHaveArrived = false
        /// Set for a change of an ``EditableResource``.
        var change: OutboxChange?
    }

    /// A claim: only the owner sends the item until the span is over.
    struct Lease: Sendable, Hashable, Codable {
        var owner: UUID
        var span: Span
        /// The instance of the store by which the owner claimed it, if the store knows who lives.
        var holder: String?
    }

    /// The wait after a failed attempt. It stays, with its reason, until there is a new outcome.
    struct Wait: Sendable, Hashable, Codable {
        /// The whole wait: the outbox's own, or the server's if that is longer.
        var span: Span
        var failure: Outbox.Failure
        /// The wait that the server asked for by `Retry-After`, which must not be shortened.
        var asked: Span?

        /// The seconds that are left of the whole wait, or, for an item that was released early, of the server's part.
        func left(_ now: Date, isReleased: Bool) -> TimeInterval? {
            isReleased ? asked?.left(now) : span.left(now)
        }
    }

    /// The part of an item that is only needed to send it.
    struct Message: Sendable, Codable {
        var headers: [[String]]
        var parts: [Part]?
        var limits: HTTPRequest.Limits
        var followsRedirects: Bool
    }

    /// A piece of the body.
    enum Part: Sendable, Hashable, Codable {
        case bytes(Data)
        /// A whole file in the outbox's own folder, with the checksum of its bytes (``AttachmentFolder/sum(of:_:)``).
        case kept(name: String, original: String, length: UInt64, sum: UInt64)
        /// A file outside the folder, which must be unchanged.
        case file(URL, offset: UInt64, length: UInt64, FileFacts)
    }

    /// The version, which increases with every change. It is stored as the entry's ETag, so that a list shows the
    /// changed items.
    var version: UInt64 = 1
    var head: Head
    var message: Message
}

extension OutboxRecord.Head {
    /// The address up to the port. Items of one host are out of reach together.
    var host: String { url.server }
}

extension OutboxRecord.Message {
    init(_ request: HTTPRequest, parts: [OutboxRecord.Part]?) {
        headers = request.headers.fields.map { [$0.name, $0.value] }
        self.parts = parts
        limits = request.limits
        followsRedirects = request.followsRedirects
    }

    /// The names of the item's files in the outbox's own folder.
    var keptFiles: [String] {
        (parts ?? []).compactMap(\.keptName)
    }
}

extension OutboxRecord.Part {
    /// Its name in the outbox's own folder.
    var keptName: String? {
        if case .kept(let name, _, _, _) = self { name } else { nil }
    }
}
