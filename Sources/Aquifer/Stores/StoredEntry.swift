import AquiferFoundation

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

extension Validators {
    /// The validators that can be sent back to the server. A server's text may be invalid as a field's value: a saved
    /// validator with a line break would prevent its entry from ever being loaded again.
    var fitToSend: Validators {
        Validators(
            etag: etag.flatMap { $0.canBeSentBack && $0.isOneTag ? $0 : nil },
            lastModified: lastModified.flatMap { $0.canBeSentBack ? $0 : nil })
    }

    /// True if a 304 with this head is about what these validators stand for, and not about another version (RFC 9111, 4.3.4).
    func areConfirmed(by head: HTTPResponseHead) -> Bool {
        guard let etag, let confirmed = head.headers["ETag"] else { return !isEmpty }
        return etag.opaqueTag == confirmed.opaqueTag
    }

    /// The validators of an answer.
    ///
    /// A validator that cannot be sent back is left out (``fitToSend``), and one of two that differ. So is a
    /// `Last-Modified` in the same second as the answer (RFC 9110, 8.8.2.2): a change later in that second would have
    /// the same date, and a 304 would confirm the old value for ever.
    init(_ head: HTTPResponseHead) {
        let fields = head.headers
        self = Validators(etag: fields.single("ETag"), lastModified: fields.single("Last-Modified")).fitToSend
        guard let modified = lastModified.flatMap(HTTPDate.parse),
            let sent = head.headers["Date"].flatMap(HTTPDate.parse)
        else { return }
        if sent.timeIntervalSince(modified) < 1 { lastModified = nil }
    }
}

extension String {
    /// The tag without its mark of weakness, and without the one that Apache gives what it compresses and leaves out of a 304.
    fileprivate var opaqueTag: String {
        let tag = String(hasPrefix("W/") ? dropFirst(2) : self[...])
        return tag.hasSuffix("-gzip\"") ? tag.dropLast(6) + "\"" : tag
    }

    /// True for one entity tag, with or without the quotes that it should have (RFC 9110, 8.8.3). No tag contains a space; a client may
    /// have replaced a line break with one. A `*` would match whatever there is.
    fileprivate var isOneTag: Bool {
        let opaque = hasPrefix("W/") ? dropFirst(2) : self[...]
        guard opaque.first == "\"" else {
            return opaque != "*" && !opaque.contains { $0 == "\"" || $0 == "," || $0 == " " }
        }
        return opaque.count >= 2 && opaque.last == "\""
            && !opaque.dropFirst().dropLast().contains { $0 == "\"" || $0 == " " }
    }
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
    /// The word of the entry itself about when a load asks the remote for it.
    public var asking: Asking
    /// The date from which a load asks the remote for it; `nil` leaves that to ``CachePolicy/askAfter``.
    public var askAt: Date? {
        get { asking.askAt }
        set { asking.askAt = newValue }
    }

    /// The word of an entry about when a load asks the remote for it. A policy that follows the server sets it with each
    /// answer, and a policy that does not follow it passes over the server's word. ``Resource/invalidate()`` sets a date in the
    /// distant past, each time another one.
    public struct Asking: Sendable, Hashable {
        /// The date from which a load asks; `nil` leaves that to ``CachePolicy/askAfter``.
        public var askAt: Date?
        /// The date until which a load that asks delivers the copy at once, and updates it in the background.
        public var staleUntil: Date?
        /// True if the server does not change the value before ``askAt``: until then, a reload does not ask either.
        public var isImmutable: Bool

        /// These dates; by default, none.
        public init(askAt: Date? = nil, staleUntil: Date? = nil, isImmutable: Bool = false) {
            self.askAt = askAt
            self.staleUntil = staleUntil
            self.isImmutable = isImmutable
        }

        /// Nothing is said.
        public static let unsaid = Asking()
    }

    /// An entry.
    public init(
        bytes: Data, savedAt: Date, validators: Validators = .none, kind: Kind = .value, origin: Origin? = nil,
        asking: Asking = .unsaid
    ) {
        self.bytes = bytes
        self.savedAt = savedAt
        self.validators = validators
        self.kind = kind
        self.origin = origin
        self.asking = asking
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

        /// The summary of an entry under a key.
        public init(_ entry: StoredEntry, key: String) {
            self.init(
                key: key, size: entry.bytes.count, savedAt: entry.savedAt, validators: entry.validators,
                kind: entry.kind)
        }
    }
}

/// A key that compares by its UTF-8 bytes, as stores do. Canonically equivalent Swift strings are equal, but as keys
/// they differ.
package struct StoreKey: Hashable, Sendable {
    package let text: String

    package init(_ text: String) {
        self.text = text
    }

    package init(checking text: String) throws(StoreError) {
        guard !text.isEmpty else { throw .invalidKey(text) }
        self.text = text
    }

    package static func == (a: StoreKey, b: StoreKey) -> Bool { a.text.utf8.elementsEqual(b.text.utf8) }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(Checksum.xxh64(text))
    }
}

extension StoreKey: Codable {
    /// From a text.
    package init(from decoder: any Decoder) throws { text = try decoder.singleValueContainer().decode(String.self) }

    /// As a text.
    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(text)
    }
}

/// What is known by ids and names, which are compared by their bytes, too.
extension Dictionary where Key == StoreKey {
    subscript(text: String) -> Value? {
        get { self[StoreKey(text)] }
        set { self[StoreKey(text)] = newValue }
    }
}

/// The two checksums that every store on disk keeps with an entry.
///
/// The checksum of the header covers key, dates, validators, kind, origin and size, so that a list is verified without
/// reading the bytes. The checksum of the bytes is seeded with the header's: a valid header with the valid bytes of
/// another entry is detected as damage.
package struct EntrySeal: Sendable, Hashable {
    package var header: UInt64
    package var body: UInt64

    package init(header: UInt64, body: UInt64) {
        self.header = header
        self.body = body
    }

    /// The checksums of `entry` under `key`.
    package init(_ entry: StoredEntry, key: String) {
        header = Self.header(
            key: key, savedAt: entry.savedAt, validators: entry.validators, kind: entry.kind,
            origin: entry.origin, asking: entry.asking, size: entry.bytes.count)
        body = entry.bytes.withUnsafeBytes { [header] in Self.body($0, header: header) }
    }

    package static func header(
        key: String, savedAt: Date, validators: Validators, kind: StoredEntry.Kind,
        origin: StoredEntry.Origin? = nil, asking: StoredEntry.Asking = .unsaid, size: Int
    ) -> UInt64 {
        var flags = UInt64(kind.rawValue)
        if validators.etag != nil { flags |= 0x100 }
        if validators.lastModified != nil { flags |= 0x200 }
        if origin != nil { flags |= 0x400 }
        if origin?.answeredAt != nil { flags |= 0x800 }
        if asking.askAt != nil { flags |= 0x1000 }
        if asking.staleUntil != nil { flags |= 0x2000 }
        if asking.isImmutable { flags |= 0x4000 }
        let fixed = (
            savedAt.timeIntervalSinceReferenceDate.bitPattern.littleEndian, UInt64(size).littleEndian,
            flags.littleEndian
        )
        // Each part seeds the checksum of the next: it needs no buffer, and two splits of the same bytes differ.
        var hash = withUnsafeBytes(of: fixed) { Checksum.xxh64($0) }
        hash = Checksum.xxh64(key, seed: hash)
        if let etag = validators.etag { hash = Checksum.xxh64(etag, seed: hash) }
        if let lastModified = validators.lastModified { hash = Checksum.xxh64(lastModified, seed: hash) }
        if let origin {
            let dates = [origin.sentAt, origin.answeredAt ?? origin.sentAt].map {
                $0.timeIntervalSinceReferenceDate.bitPattern.littleEndian
            }
            hash = dates.withUnsafeBytes { [hash] in Checksum.xxh64($0, seed: hash) }
        }
        for date in [asking.askAt, asking.staleUntil] {
            guard let bits = date?.timeIntervalSinceReferenceDate.bitPattern.littleEndian else { continue }
            hash = withUnsafeBytes(of: bits) { [hash] in Checksum.xxh64($0, seed: hash) }
        }
        return hash
    }

    package static func body(_ bytes: UnsafeRawBufferPointer, header: UInt64) -> UInt64 {
        bytes.count > 16 ? Checksum.rapid(bytes, seed: header) : Checksum.xxh64(bytes, seed: header)
    }
}
