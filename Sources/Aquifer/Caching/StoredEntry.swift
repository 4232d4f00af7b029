import Foundation

/// What a server gave to ask "has it changed?" with (RFC 9110, 8.8).
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

    /// Whether there is nothing to ask with.
    public var isEmpty: Bool { etag == nil && lastModified == nil }
}

/// What a store keeps under one key: bytes, and a small header. A store knows no model types.
public struct StoredEntry: Sendable, Hashable {
    /// What may happen to an entry when room is needed.
    public enum Kind: UInt8, Sendable, Hashable, CaseIterable {
        /// A value: never evicted, only replaced, expired or deleted.
        case value = 0
        /// Data that can be fetched again (an image, a sound): evicted when its bound is reached.
        case data = 1
    }

    /// The bytes.
    public var bytes: Data
    /// When they were saved, by the clock of whoever saved them.
    public var savedAt: Date
    /// The server's validators for them.
    public var validators: Validators
    /// Value or data.
    public var kind: Kind

    /// An entry.
    public init(bytes: Data, savedAt: Date, validators: Validators = .none, kind: Kind = .value) {
        self.bytes = bytes
        self.savedAt = savedAt
        self.validators = validators
        self.kind = kind
    }

    /// What a list of a store's contents says of an entry: everything but its bytes.
    public struct Summary: Sendable, Hashable {
        /// The key.
        public var key: String
        /// The size of the bytes.
        public var size: Int
        /// When they were saved.
        public var savedAt: Date
        /// The server's validators.
        public var validators: Validators
        /// Value or data.
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
