import Foundation

/// The validators of an answer, with which a later request asks the server for changes (RFC 9110, 8.8).
public struct Validators: Sendable, Hashable {
    /// The `ETag` field, quotes included.
    public var etag: String?
    /// The `Last-Modified` field, as it was sent.
    public var lastModified: String?

    /// These validators.
    public init(etag: String? = nil, lastModified: String? = nil) {
        self.etag = etag
        self.lastModified = lastModified
    }

    /// No validators.
    public static let none = Validators()

    /// True if there is no validator.
    public var isEmpty: Bool { etag == nil && lastModified == nil }
}

/// The entry of a store under one key: bytes and a small header. A store knows no model types.
public struct StoredEntry: Sendable, Hashable {
    /// The kind of an entry, which decides whether it may be evicted.
    public enum Kind: UInt8, Sendable, Hashable, CaseIterable {
        /// A value: never evicted, only replaced, expired or deleted.
        case value = 0
        /// Data that can be fetched again (an image, a sound): evicted when its bound is reached.
        case data = 1
    }

    /// The dates of a remote's answer, which decide which of two answers is newer.
    public struct Origin: Sendable, Hashable {
        /// The date when the request was sent, by the sender's clock.
        public var sentAt: Date
        /// The date of the answer by the remote's own clock: the `Date` field, in whole seconds. `nil` when there is
        /// none.
        public var answeredAt: Date?

        /// An origin.
        public init(sentAt: Date, answeredAt: Date? = nil) {
            self.sentAt = sentAt
            self.answeredAt = answeredAt
        }
    }

    /// The bytes.
    public var bytes: Data
    /// The date when the bytes were saved, by the clock of the saving process.
    public var savedAt: Date
    /// The server's validators for the bytes.
    public var validators: Validators
    /// The kind: value or data.
    public var kind: Kind
    /// The dates of the remote's answer; `nil` for a value that was made here.
    public var origin: Origin?

    /// An entry.
    public init(
        bytes: Data, savedAt: Date, validators: Validators = .none, kind: Kind = .value, origin: Origin? = nil
    ) {
        self.bytes = bytes
        self.savedAt = savedAt
        self.validators = validators
        self.kind = kind
        self.origin = origin
    }

    /// The summary of an entry in a list of a store's contents: everything except its bytes.
    public struct Summary: Sendable, Hashable {
        /// The key.
        public var key: String
        /// The number of bytes.
        public var size: Int
        /// The date when the bytes were saved.
        public var savedAt: Date
        /// The server's validators.
        public var validators: Validators
        /// The kind: value or data.
        public var kind: Kind

        /// A summary.
        public init(key: String, size: Int, savedAt: Date, validators: Validators = .none, kind: Kind = .value) {
            self.key = key
            self.size = size
            self.savedAt = savedAt
            self.validators = validators
            self.kind = kind
        }
    }
}
