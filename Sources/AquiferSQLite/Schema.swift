import Aquifer
import Foundation

/// The tables, and how older ones become these.
enum Schema {
    /// `AQFR`, in the file's header: tells our files from other people's.
    static let applicationID = 0x4151_4652
    static let version = 2

    /// A step from one version to a later one, inside a transaction.
    struct Migration: Sendable {
        let from: Int
        let to: Int
        let run: @Sendable (Connection) throws(StoreError) -> Void
    }

    /// Version 1 had no `kind`, and a checksum of the bytes alone.
    static let migrations = [
        Migration(from: 0, to: 2) { connection throws(StoreError) in
            try connection.execute("\(table("entry")); PRAGMA application_id = \(applicationID)")
        },
        Migration(from: 1, to: 2, run: addKind),
    ]

    /// Brings the open file to this version. The caller holds the right to write.
    static func migrate(_ connection: Connection) throws(StoreError) {
        var found = try connection.integer("PRAGMA user_version")
        while found < version {
            guard let step = migrations.first(where: { $0.from == found }) else {
                throw .notAStore(path: connection.path)
            }
            try step.run(connection)
            found = step.to
        }
        try connection.execute("PRAGMA user_version = \(version)")
    }

    /// The bytes come last: SQLite reads a row from its start, and a list of entries must not read them.
    private static func table(_ name: String) -> String {
        """
        CREATE TABLE \(name) (
            id INTEGER PRIMARY KEY,
            key TEXT NOT NULL UNIQUE,
            saved_at INTEGER NOT NULL, -- the bits of the seconds since 2001
            etag TEXT,
            last_modified TEXT,
            kind INTEGER NOT NULL,
            header_checksum INTEGER NOT NULL,
            bytes_checksum INTEGER NOT NULL,
            bytes BLOB NOT NULL
        )
        """
    }

    @Sendable
    private static func addKind(_ connection: Connection) throws(StoreError) {
        try connection.execute("ALTER TABLE entry RENAME TO entry_1; \(table("entry"))")
        let old = try connection.prepare(
            "SELECT key, saved_at, etag, last_modified, checksum, bytes FROM entry_1 ORDER BY id")
        let new = try connection.prepare(
            """
            INSERT INTO entry(key, saved_at, etag, last_modified, kind, header_checksum, bytes_checksum, bytes)
            VALUES(?1, ?2, ?3, ?4, 0, ?5, ?6, ?7)
            """)
        while try old.step() {
            let (bits, bytes) = (old.integer(1), old.blob(5))
            let key = old.text(0) ?? ""
            let validators = Validators(etag: old.text(2), lastModified: old.text(3))
            let header = EntrySeal.header(
                key: key, savedAt: Date(timeIntervalSinceReferenceDate: Double(bitPattern: UInt64(bitPattern: bits))),
                validators: validators, kind: .value, size: bytes.count)
            let body = EntrySeal.body(bytes, header: header)
            // A damaged entry must not come out of this with a checksum that fits.
            let isWhole = Checksum.xxh64(bytes) == UInt64(bitPattern: old.integer(4))
            new.bind(1, key)
            new.bind(2, bits)
            new.bind(3, validators.etag)
            new.bind(4, validators.lastModified)
            new.bind(5, Int64(bitPattern: header))
            new.bind(6, Int64(bitPattern: isWhole ? body : ~body))
            new.bind(7, unowned: bytes)
            try new.run()
        }
        old.reset()
        try connection.execute("DROP TABLE entry_1")
    }
}
