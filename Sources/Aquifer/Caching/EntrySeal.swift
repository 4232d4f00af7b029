import Foundation

/// The two checksums that every store on disk keeps with an entry.
///
/// The header's covers key, date, validators, kind and size, so that a list needs no bytes to be trusted.
/// The body's is seeded with the header's: a whole header beside the whole bytes of another entry is damage too.
package struct EntrySeal: Sendable, Hashable {
    package var header: UInt64
    package var body: UInt64

    package init(header: UInt64, body: UInt64) {
        self.header = header
        self.body = body
    }

    /// What belongs to `entry` under `key`.
    package init(_ entry: StoredEntry, key: String) {
        header = Self.header(
            key: key, savedAt: entry.savedAt, validators: entry.validators, kind: entry.kind, size: entry.bytes.count)
        body = entry.bytes.withUnsafeBytes { [header] in Self.body($0, header: header) }
    }

    package static func header(
        key: String, savedAt: Date, validators: Validators, kind: StoredEntry.Kind, size: Int
    ) -> UInt64 {
        var flags = UInt64(kind.rawValue)
        if validators.etag != nil { flags |= 0x100 }
        if validators.lastModified != nil { flags |= 0x200 }
        let fixed = (
            savedAt.timeIntervalSinceReferenceDate.bitPattern.littleEndian, UInt64(size).littleEndian,
            flags.littleEndian
        )
        // A chain in which each part seeds the next: no buffer to build, and no two splits of the same bytes agree.
        var hash = withUnsafeBytes(of: fixed) { Checksum.xxh64($0) }
        hash = Checksum.xxh64(key, seed: hash)
        if let etag = validators.etag { hash = Checksum.xxh64(etag, seed: hash) }
        if let lastModified = validators.lastModified { hash = Checksum.xxh64(lastModified, seed: hash) }
        return hash
    }

    package static func body(_ bytes: UnsafeRawBufferPointer, header: UInt64) -> UInt64 {
        bytes.count > 16 ? Checksum.rapid(bytes, seed: header) : Checksum.xxh64(bytes, seed: header)
    }
}
