import Aquifer
import AquiferFoundation

/// The columns of an entry's header: ``columns``, from column `first` on.
struct EntryHeader {
    static let columns = "saved_at, etag, last_modified, kind, header_checksum, sent_at, answered_at, length(bytes)"
    static let count: Int32 = 8

    let savedAt: Date
    let validators: Validators
    let kind: StoredEntry.Kind
    let origin: StoredEntry.Origin?
    let size: Int
    let checksum: UInt64

    /// Reads the header; `nil` if it is not the header that was stored under `key`.
    init?(_ statement: Statement, key: String, first: Int32) {
        guard let kind = UInt8(exactly: statement.integer(first + 3)).flatMap(StoredEntry.Kind.init) else { return nil }
        self.kind = kind
        savedAt = statement.date(first)
        validators = Validators(etag: statement.text(first + 1), lastModified: statement.text(first + 2))
        checksum = UInt64(bitPattern: statement.integer(first + 4))
        if statement.isNull(first + 5) {
            guard statement.isNull(first + 6) else { return nil }
            origin = nil
        } else {
            origin = StoredEntry.Origin(
                sentAt: statement.date(first + 5),
                answeredAt: statement.isNull(first + 6) ? nil : statement.date(first + 6))
        }
        size = Int(statement.integer(first + 7))
        let expected = EntrySeal.header(
            key: key, savedAt: savedAt, validators: validators, kind: kind, origin: origin, size: size)
        guard checksum == expected else { return nil }
    }

    func summary(_ key: String) -> StoredEntry.Summary {
        StoredEntry.Summary(key: key, size: size, savedAt: savedAt, validators: validators, kind: kind)
    }
}

extension Statement {
    /// A date that is stored as the bits of its seconds since 2001.
    fileprivate func date(_ column: Int32) -> Date {
        Date(timeIntervalSinceReferenceDate: Double(bitPattern: UInt64(bitPattern: integer(column))))
    }
}

extension Date {
    /// The bits of the seconds since 2001.
    var bits: Int64 { Int64(bitPattern: timeIntervalSinceReferenceDate.bitPattern) }
}
