import AquiferFoundation

/// An entry as bytes that prove themselves, for a store of your own on a disk, in a database or on a server.
///
/// The bytes are a header (key, dates, validators, kind, origin), a checksum of the header, a checksum of the entry's bytes,
/// and these. An entry is opened as it was sealed or not at all, whatever bits were flipped or cut off. Foreign bytes, and
/// the entry of another key, are not opened. They are not encrypted, and the checksums stop no one who changes the bytes on
/// purpose.
///
/// An entry that a version before the first release has sealed is refused: ``StoreError/otherVersion(path:found:supported:)``.
///
/// ```swift
/// func insert(_ entry: StoredEntry, for key: String) throws(StoreError) {
///     try write(SealedEntry(entry, key: key).data, to: place(of: key))
/// }
///
/// func retrieve(_ key: String) throws(StoreError) -> StoredEntry? {
///     guard let data = try read(place(of: key)) else { return nil }
///     return try SealedEntry(data: data).entry(for: key)
/// }
/// ```
public struct SealedEntry: Sendable, Hashable {
    /// The bytes to keep.
    public let data: Data

    /// The reason why bytes are not a whole entry.
    public struct Damage: Error, Sendable, Hashable, CustomStringConvertible {
        /// The reason, for ``StoreError/unreadable(key:reason:)`` and ``DamagedEntry/reason``.
        public let reason: String

        /// The form of an entry that is whole, but of a version before the first release, and the form that is known.
        private let forms: [Int]

        package init(_ reason: String) { (self.reason, forms) = (reason, []) }

        package init(ofEarlierForm found: Int, known: Int) {
            reason = StoreError.words(of: "it", found: found, supported: known)
            forms = [found, known]
        }

        /// The error for an entry with this damage. What an earlier version wrote is not unreadable, so that nothing replaces it.
        package func error(_ key: String) -> StoreError {
            forms.isEmpty
                ? .unreadable(key: key, reason: reason)
                : .otherVersion(path: "what is saved as \"\(key)\"", found: forms[0], supported: forms[1])
        }

        /// The reason.
        public var description: String { reason }
    }

    /// Bytes that were kept, not verified yet.
    public init(data: Data) {
        self.data = data
    }

    /// Seals an entry under a key.
    ///
    /// - Throws: ``StoreError/invalidKey(_:)`` if the key is empty; `.failed` if the key or a validator is longer than 4 GB.
    public init(_ entry: StoredEntry, key: String) throws(StoreError) {
        guard !key.isEmpty else { throw .invalidKey(key) }
        data = try EntryCoding.head(of: entry, key: key) + entry.bytes
    }

    /// The entry, fully verified.
    ///
    /// - Throws: ``StoreError/unreadable(key:reason:)`` if the bytes are damaged, or belong to another key;
    ///   ``StoreError/otherVersion(path:found:supported:)``; ``StoreError/invalidKey(_:)`` if the key is empty.
    public func entry(for key: String) throws(StoreError) -> StoredEntry {
        guard !key.isEmpty else { throw .invalidKey(key) }
        do throws(Damage) {
            let head = try head()
            // Canonically equivalent strings are equal; keys are equal only if their bytes are.
            guard head.summary.key.utf8.elementsEqual(key.utf8) else { throw Damage("it is another key's") }
            return try head.entry(Data(data.suffix(head.summary.size)))
        } catch { throw error.error(key) }
    }

    /// The verified header, for ``CacheStore/contents()``. It names the key. The entry's bytes are not verified.
    ///
    /// - Throws: ``Damage`` if the header is damaged, or the bytes are more or fewer than it says.
    public func summary() throws(Damage) -> StoredEntry.Summary { try head().summary }

    private func head() throws(Damage) -> EntryCoding.Head {
        try data.withUnsafeBytes { raw in
            Result { () throws(Damage) in
                let lengths = try EntryCoding.lengths(raw, fileSize: raw.count)
                return try EntryCoding.head(UnsafeRawBufferPointer(rebasing: raw[..<lengths.head]), lengths)
            }
        }.get()
    }
}
