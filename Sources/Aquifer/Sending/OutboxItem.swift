import Foundation

extension Outbox {
    /// Which item: numbers rise in the order in which items were queued, and are never used again.
    public struct ID: Sendable, Hashable, Comparable, Codable, LosslessStringConvertible {
        /// The number, from 1.
        public let number: UInt64

        /// An item's number.
        public init(number: UInt64) { self.number = number }

        /// An item's number as it is written: `12`.
        public init?(_ description: String) {
            guard let number = UInt64(description) else { return nil }
            self.number = number
        }

        /// The number.
        public var description: String { "\(number)" }
        /// Whether one was queued before another.
        public static func < (one: ID, other: ID) -> Bool { one.number < other.number }
    }

    /// What is known of a request in the queue without reading its body.
    public struct Item: Sendable, Hashable, Identifiable {
        /// Which one.
        public let id: ID
        /// What it keeps its order in; `nil` if it waits for no other.
        public let group: String?
        /// What the app calls it.
        public let label: String
        /// What is sent as `Idempotency-Key`, at every try the same.
        public let key: String
        /// When it was queued, by the clock of whoever queued it.
        public let queuedAt: Date
        /// How it is sent.
        public let method: HTTPRequest.Method
        /// Where to.
        public let url: URL
        /// The size of its body in bytes.
        public let length: UInt64
        /// How often it was tried in vain.
        public let attempts: Int
        /// How it stands.
        public let state: State
    }

    /// How an item stands.
    public enum State: Sendable, Hashable {
        /// It has not been tried, or was told to be tried anew, and its turn will come.
        case waiting
        /// It was tried in vain, and will be tried again at about this time.
        case retrying(after: Failure, at: Date)
        /// It is being sent here: so many bytes of its body have gone out.
        case sending(sent: UInt64)
        /// Another process, or another ``Outbox`` over the same store, is sending it.
        case sendingElsewhere
        /// It is not sent until ``Outbox/resume(_:)``.
        case paused
        /// It was refused, and is kept until it is retried, edited or discarded.
        case refused(Refusal)
        /// Its entry in the store cannot be read. It is kept until it is discarded.
        case damaged(String)
        /// The server has it. It is no longer in the queue.
        case sent(Answer)
        /// It is no longer in the queue: it was discarded, or another process has sent it.
        case gone

        /// Whether it has left the queue.
        public var isFinal: Bool {
            switch self {
            case .sent, .gone: true
            case .waiting, .retrying, .sending, .sendingElsewhere, .paused, .refused, .damaged: false
            }
        }
    }

    /// Why an item is tried again.
    public enum Failure: Sendable, Hashable, Codable, CustomStringConvertible {
        /// No answer came; what happened, for developers.
        case noAnswer(String)
        /// The server answered with this status.
        case status(Int)

        /// One line for developers.
        public var description: String {
            switch self {
            case .noAnswer(let reason): "no answer (\(reason))"
            case .status(let status): "status \(status)"
            }
        }
    }

    /// Why an item is not tried again by itself.
    public enum Refusal: Sendable, Hashable, Codable, CustomStringConvertible {
        /// The server said no: the status, and the first 4 KiB of what it said.
        case server(status: Int, words: String)
        /// A file that belongs to it is gone, was changed, or cannot be read.
        case attachment(name: String, reason: String)
        /// It cannot be sent by HTTP.
        case unsendable(String)

        /// One line: what was wrong, with the server's words if there are any.
        public var description: String {
            switch self {
            case .server(let status, let words): words.isEmpty ? "status \(status)" : "status \(status): \(words)"
            case .attachment(let name, let reason): "the attachment \(name) \(reason)"
            case .unsendable(let reason): "it cannot be sent: \(reason)"
            }
        }
    }

    /// What the server answered when it took an item.
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

    /// What an answer means for its item.
    public enum Verdict: Sendable, Hashable {
        /// The server has it.
        case sent
        /// It is to be tried again.
        case again
        /// It is to be set aside until someone decides.
        case refused
    }

    /// What ``Outbox/drain()`` came to.
    public struct Report: Sendable, Hashable {
        /// How many items the server took.
        public var sent: Int
        /// How many items were refused.
        public var refused: Int
        /// How many tries were in vain, and will be made again.
        public var failed: Int
        /// How long until the next item can be tried; `nil` when there is nothing that time alone brings forward.
        public var nextTry: Duration?

        /// A report.
        public init(sent: Int = 0, refused: Int = 0, failed: Int = 0, nextTry: Duration? = nil) {
            self.sent = sent
            self.refused = refused
            self.failed = failed
            self.nextTry = nextTry
        }
    }
}

/// Why the outbox could not do what it was asked.
public enum OutboxError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The store could not: of what was to be queued nothing is, and what was queued still is.
    case store(StoreError)
    /// A file that was to be queued is missing, shorter than it should be, or cannot be read.
    case attachment(name: String, reason: String)
    /// A request that no client can send.
    case unsendable(String)
    /// There is no such item: it was sent, or discarded.
    case noSuchItem(Outbox.ID)
    /// The item is not in a state in which this can be done.
    case notNow(Outbox.ID, reason: String)

    /// One line: what was wrong.
    public var description: String {
        switch self {
        case .store(let error): "\(error)"
        case .attachment(let name, let reason): "the attachment \(name) \(reason)"
        case .unsendable(let reason): "it cannot be sent: \(reason)"
        case .noSuchItem(let id): "there is no item \(id) in the outbox; it was sent or discarded"
        case .notNow(let id, let reason): "item \(id) \(reason)"
        }
    }
}
