import Foundation

/// What lies in the store for each item, as JSON. One entry an item: it changes in one step or not at all.
struct OutboxRecord: Sendable, Codable {
    /// What is kept in memory of each item in the queue.
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
    }

    /// Who sends it, and until when nobody else may.
    struct Lease: Sendable, Hashable, Codable {
        var owner: UUID
        var span: Span
    }

    /// What it waits for after a try in vain.
    struct Wait: Sendable, Hashable, Codable {
        var span: Span
        var failure: Outbox.Failure
    }

    /// What is only needed to send it.
    struct Message: Sendable, Codable {
        var headers: [[String]]
        var parts: [Part]?
        var limits: Limits
    }

    /// A piece of the body.
    enum Part: Sendable, Hashable, Codable {
        case bytes(Data)
        /// A file in the outbox's own folder, all of it.
        case kept(name: String, original: String, length: UInt64)
        /// A file that lies elsewhere, and must still be what it was.
        case file(URL, offset: UInt64, length: UInt64, FileFacts)
    }

    struct Limits: Sendable, Codable {
        var connect: Duration
        var idle: Duration
        var total: Duration?
        var redirects: Int
        var headerBytes: Int
    }

    /// Rises with every change; lies beside the bytes as the entry's ETag, so that a list tells what has changed.
    var version: UInt64 = 1
    var head: Head
    var message: Message
}

extension OutboxRecord.Head {
    /// Whether someone else than `owner` may be sending it.
    func isLeased(toOthersThan owner: UUID, _ now: Date) -> Bool {
        guard let lease, lease.owner != owner else { return false }
        return lease.span.left(now) != nil
    }

    /// Where to, up to the port: what is out of reach together.
    var host: String { "\(url.scheme ?? "")://\(url.host() ?? ""):\(url.port ?? 0)" }
}

extension OutboxRecord.Message {
    init(_ request: HTTPRequest, parts: [OutboxRecord.Part]?) {
        headers = request.headers.fields.map { [$0.name, $0.value] }
        self.parts = parts
        limits = .init(
            connect: request.limits.connect, idle: request.limits.idle, total: request.limits.total,
            redirects: request.limits.redirects, headerBytes: request.limits.headerBytes)
    }

    var requestLimits: HTTPRequest.Limits {
        .init(
            connect: limits.connect, idle: limits.idle, total: limits.total, redirects: limits.redirects,
            headerBytes: limits.headerBytes)
    }

    /// The names of its files in the outbox's own folder.
    var keptFiles: [String] {
        (parts ?? []).compactMap(\.keptName)
    }
}

extension OutboxRecord.Part {
    /// Its name in the outbox's own folder.
    var keptName: String? {
        if case .kept(let name, _, _) = self { name } else { nil }
    }
}
