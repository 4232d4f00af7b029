import AquiferFoundation

extension Outbox {
    /// The number of an item. Numbers increase in the order in which items were queued, and are never reused.
    public struct ID: Sendable, Hashable, Comparable, Codable, LosslessStringConvertible {
        /// The number, from 1.
        public let number: UInt64

        /// An item's number.
        public init(number: UInt64) { self.number = number }

        /// Parses the number of an item: `12`.
        public init?(_ description: String) {
            guard let number = UInt64(description) else { return nil }
            self.number = number
        }

        /// The number.
        public var description: String { "\(number)" }
        /// The item that was queued earlier is less.
        public static func < (one: ID, other: ID) -> Bool { one.number < other.number }
    }

    /// A request in the queue, without its body.
    public struct Item: Sendable, Hashable, Identifiable {
        /// Its number.
        public let id: ID
        /// The group in which it keeps its order; `nil` if it waits for no other item.
        public let group: String?
        /// The app's name for it.
        public let label: String
        /// The `Idempotency-Key`, the same with every attempt.
        public let key: String
        /// The time when it was queued, by the clock of the process that queued it.
        public let queuedAt: Date
        /// The request's method.
        public let method: HTTPMethod
        /// The request's address.
        public let url: URL
        /// The size of its body in bytes.
        public let length: UInt64
        /// The number of failed attempts since it was queued, retried or edited.
        public let attempts: Int
        /// Its state.
        public let state: State
        /// True for a change of an ``EditableResource``.
        public var isChange = false
        /// True if an earlier attempt may have reached the server.
        public var mayHaveArrived = false
    }

    /// The state of an item.
    public enum State: Sendable, Hashable {
        /// The item has no outcome yet. Its turn comes when the items before it in its group have left the queue; one
        /// that is paused or was refused holds it back.
        case waiting
        /// The last attempt failed, and the item is tried again at about this time, or as soon as its turn comes if the
        /// time has passed. The last failure stays until there is a new outcome.
        case retrying(after: Failure, at: Date)
        /// The item is being sent here. `sent` is the number of bytes of its body that have been sent.
        case sending(sent: UInt64)
        /// Another process, or another ``Outbox`` over the same store, is sending the item, or has died while it did. Its claim ends at
        /// about this time unless it renews it; then the item can be tried again.
        case sendingElsewhere(until: Date)
        /// The item is not sent until ``Outbox/resume(_:)``.
        case paused
        /// The item was refused, and is kept until it is retried, edited or discarded.
        case refused(Refusal)
        /// The item's entry in the store cannot be read. The entry is kept until it is discarded.
        case damaged(String)
        /// The server has the item. It is no longer in the queue.
        case sent(Answer)
        /// The item is no longer in the queue: it was discarded, or another process has sent it.
        case gone

        /// True if the item has left the queue.
        public var isFinal: Bool {
            switch self {
            case .sent, .gone: true
            case .waiting, .retrying, .sending, .sendingElsewhere, .paused, .refused, .damaged: false
            }
        }
    }

    /// The reason why an item is tried again.
    public enum Failure: Sendable, Hashable, Codable, CustomStringConvertible {
        /// No answer arrived. The text is the failure, for developers.
        case noAnswer(String)
        /// The server answered with this status.
        case status(Int)
        /// An intermediary answered with this status, such as a sign-in page of the network or a proxy.
        case foreign(status: Int)
        /// The request could not be made or read here, because the store or a file cannot be read now. The text is the failure, for
        /// developers.
        case unreadable(String)

        /// One line for developers.
        public var description: String {
            switch self {
            case .noAnswer(let reason): "no answer (\(reason))"
            case .status(let status): "status \(status)"
            case .foreign(let status): "something between here and the server answered (status \(status))"
            case .unreadable(let reason): "what is to be sent cannot be read here now (\(reason))"
            }
        }

        /// True if an intermediary answered, not the server.
        var isForeign: Bool { if case .foreign = self { true } else { false } }

        /// True if the server itself has not answered.
        var isSilence: Bool {
            switch self {
            case .noAnswer, .foreign, .unreadable: true
            case .status: false
            }
        }
    }

    /// The reason why an item is not tried again by itself.
    public enum Refusal: Sendable, Hashable, Codable, CustomStringConvertible {
        /// The server refused it, with this status; `words` are the first 4 KiB of its text.
        case server(status: Int, words: String)
        /// One of its files is missing, was changed, or cannot be read.
        case attachment(name: String, reason: String)
        /// It cannot be sent by HTTP.
        case unsendable(String)

        /// True if the server may have the request all the same: 409 is also the answer to a key whose first request is
        /// still in progress.
        package var mayHaveArrived: Bool {
            if case .server(status: 409, _) = self { true } else { false }
        }

        /// One line with the reason, and the server's text if there is any.
        public var description: String {
            switch self {
            case .server(let status, let words): words.isEmpty ? "status \(status)" : "status \(status): \(words)"
            case .attachment(let name, let reason): "the attachment \(name) \(reason)"
            case .unsendable(let reason): "it cannot be sent: \(reason)"
            }
        }
    }

    /// The server's answer when it accepted an item.
    public struct Answer: Sendable, Hashable {
        /// The head.
        public let head: HTTPResponseHead
        /// The body, its first 1 MiB at most.
        public let body: Data

        /// An answer.
        public init(head: HTTPResponseHead, body: Data) {
            self.head = head
            self.body = body
        }
    }

    /// The meaning of an answer for its item.
    public enum Verdict: Sendable, Hashable {
        /// The server has the item.
        case sent
        /// The server cannot accept the item now; it is tried again.
        case again
        /// The answer is not the server's own: a sign-in page of the network, a redirect, a proxy. It is unknown
        /// whether the server has the item; it is tried again with the same key.
        case foreign
        /// The item is set aside until someone decides. A 401 is no refusal of the item: all items of the host wait, with their keys and
        /// their order, until the user is known again.
        case refused
    }

    /// True if the entry under this key belongs to an outbox. It was made here, and cannot be loaded again.
    public static func isEntry(_ key: String) -> Bool { OutboxShelf.isKey(key) }

    /// The reason why there is no item of a number.
    public enum Absence: Sendable, Hashable {
        /// The item existed, and was sent or discarded.
        case gone
        /// This number has not been given to any item yet.
        case never
        /// The outbox's counter was damaged, so that it is unknown whether the item existed.
        case unknown
    }

    /// The outcome of ``Outbox/drain()``.
    public struct Report: Sendable, Hashable {
        /// The number of items that the server accepted.
        public var sent: Int
        /// The number of items that were refused.
        public var refused: Int
        /// The number of failed attempts that will be repeated.
        public var failed: Int
        /// The number of items that were gone when their attempt had failed: another process has discarded or sent them. They may
        /// have arrived.
        public var gone: Int
        /// The time until the next item can be tried; `nil` when no item waits for a time.
        public var nextTry: Duration?

        /// A report.
        public init(sent: Int = 0, refused: Int = 0, failed: Int = 0, gone: Int = 0, nextTry: Duration? = nil) {
            self.sent = sent
            self.refused = refused
            self.failed = failed
            self.gone = gone
            self.nextTry = nextTry
        }
    }
}

extension Outbox.Item {
    init(_ id: Outbox.ID, _ head: OutboxRecord.Head, _ state: Outbox.State) {
        self.init(
            id: id, group: head.group, label: head.label, key: head.key, queuedAt: head.queuedAt,
            method: HTTPMethod(rawValue: head.method), url: head.url, length: head.length,
            attempts: head.attempts, state: state, isChange: head.change != nil,
            mayHaveArrived: head.mayHaveArrived)
    }
}
