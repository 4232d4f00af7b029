import Aquifer
import AquiferFoundation

/// The columns of an entry's header: ``columns``, from column `first` on.
struct EntryHeader {
    static let columns = stored + ", length(bytes)"
    /// Those without the size of its bytes.
    static let stored = names.joined(separator: ", ")
    private static let names = [
        "saved_at", "etag", "last_modified", "kind", "header_checksum", "sent_at", "answered_at", "ask_at",
        "stale_until",
        "is_immutable",
    ]

    /// All columns but the key, as an entry that replaces another sets them.
    static let replaced = (names + ["bytes_checksum", "bytes"]).map { "\($0) = excluded.\($0)" }.joined(
        separator: ", ")

    let savedAt: Date
    let validators: Validators
    let kind: StoredEntry.Kind
    let origin: StoredEntry.Origin?
    let asking: StoredEntry.Asking
    let size: Int
    let checksum: UInt64

    /// Reads the header; `nil` if it is not the header that was stored under `key`.
    ///
    /// - Parameter known: the size, if the columns are those without it.
    init?(_ statement: Statement, key: String, first: Int32, size known: Int? = nil) {
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
        size = known ?? Int(statement.integer(first + 10))
        asking = StoredEntry.Asking(
            askAt: statement.isNull(first + 7) ? nil : statement.date(first + 7),
            staleUntil: statement.isNull(first + 8) ? nil : statement.date(first + 8),
            isImmutable: !statement.isNull(first + 9))
        let expected = EntrySeal.header(
            key: key, savedAt: savedAt, validators: validators, kind: kind, origin: origin, asking: asking, size: size)
        guard checksum == expected else { return nil }
    }

    /// The entry with this header.
    func entry(_ bytes: Data) -> StoredEntry {
        StoredEntry(
            bytes: bytes, savedAt: savedAt, validators: validators, kind: kind, origin: origin, asking: asking)
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
