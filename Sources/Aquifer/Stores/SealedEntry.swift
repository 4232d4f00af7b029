import AquiferFoundation

/// An entry as bytes that prove themselves, for a store of your own on a disk, in a database or on a server.
///
/// The bytes are a header (key, dates, validators, kind, origin), a checksum of the header, a checksum of the entry's bytes,
/// and these. An entry is opened as it was sealed or not at all, whatever bits were flipped or cut off. Foreign bytes, and
/// the entry of another key, are not opened. They are not encrypted, and the checksums stop no one who changes the bytes on
/// purpose.
///
/// Each version of this library reads what earlier ones wrote.
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

        package init(_ reason: String) { self.reason = reason }

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
    ///   ``StoreError/invalidKey(_:)`` if the key is empty.
    public func entry(for key: String) throws(StoreError) -> StoredEntry {
        guard !key.isEmpty else { throw .invalidKey(key) }
        do throws(Damage) {
            let head = try head()
            // Canonically equivalent strings are equal; keys are equal only if their bytes are.
            guard head.summary.key.utf8.elementsEqual(key.utf8) else { throw Damage("it is another key's") }
            return try head.entry(Data(data.suffix(head.summary.size)))
        } catch { throw .unreadable(key: key, reason: error.reason) }
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
