import Foundation

/// The two checksums that every store on disk keeps with an entry.
///
/// The checksum of the header covers key, date, validators, kind, origin and size, so that a list is verified without
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
            origin: entry.origin, size: entry.bytes.count)
        body = entry.bytes.withUnsafeBytes { [header] in Self.body($0, header: header) }
    }

    package static func header(
        key: String, savedAt: Date, validators: Validators, kind: StoredEntry.Kind,
        origin: StoredEntry.Origin? = nil, size: Int
    ) -> UInt64 {
        var flags = UInt64(kind.rawValue)
        if validators.etag != nil { flags |= 0x100 }
        if validators.lastModified != nil { flags |= 0x200 }
        // The checksum of an entry without an origin is the same as in versions before origins.
        if origin != nil { flags |= 0x400 }
        if origin?.answeredAt != nil { flags |= 0x800 }
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
        return hash
    }

    package static func body(_ bytes: UnsafeRawBufferPointer, header: UInt64) -> UInt64 {
        bytes.count > 16 ? Checksum.rapid(bytes, seed: header) : Checksum.xxh64(bytes, seed: header)
    }
}
