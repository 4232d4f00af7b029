import Aquifer
import AquiferFoundation

/// The tables, and the migrations of older ones.
enum Schema {
    /// `AQFR`, the application's number in the file's header, which identifies a file of this store.
    static let applicationID = 0x4151_4652
    static let version = 3

    /// A migration from one version to a later one, inside a transaction.
    struct Migration: Sendable {
        let from: Int
        let to: Int
        let run: @Sendable (Connection) throws(StoreError) -> Void
    }

    /// Version 1 had no `kind`, and a checksum of the bytes alone. Version 2 had no origin, and one index of the keys.
    static let migrations = [
        Migration(from: 0, to: 3) { connection throws(StoreError) in
            try connection.execute("\(table); \(indexes); PRAGMA application_id = \(applicationID)")
        },
        Migration(from: 1, to: 3, run: addKind),
        Migration(from: 2, to: 3, run: addOrigin),
    ]

    /// Upgrades the open file to this version. The caller holds the right to write.
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
    private static let table =
        """
        CREATE TABLE entry (
            id INTEGER PRIMARY KEY,
            key TEXT NOT NULL,
            saved_at INTEGER NOT NULL, -- the bits of the seconds since 2001
            etag TEXT,
            last_modified TEXT,
            kind INTEGER NOT NULL,
            header_checksum INTEGER NOT NULL,
            bytes_checksum INTEGER NOT NULL,
            sent_at INTEGER, -- of the origin, NULL without one: bits as above
            answered_at INTEGER,
            bytes BLOB NOT NULL
        )
        """

    /// Two indexes of the same keys: a flipped bit in one of them must not make an entry appear to be missing, and
    /// reading all rows to find out would take too long (see ``EntryTable/select(_:)``).
    static let indexes =
        """
        CREATE UNIQUE INDEX entry_key ON entry(key); CREATE UNIQUE INDEX entry_key_again ON entry(key)
        """
    static let indexNames = ["entry_key", "entry_key_again"]
    static let dropIndexes = indexNames.map { "DROP INDEX IF EXISTS \($0)" }.joined(separator: "; ")
    /// Removes the indexes from the schema without freeing their pages: a damaged index may name pages that are not its
    /// own, and freed pages are overwritten.
    static let forgetIndexes =
        """
        PRAGMA writable_schema = ON;
        DELETE FROM sqlite_schema WHERE type = 'index' AND name IN ('entry_key', 'entry_key_again');
        PRAGMA writable_schema = RESET
        """

    /// Copies every row; a damaged row is copied as it is.
    @Sendable
    private static func addOrigin(_ connection: Connection) throws(StoreError) {
        try connection.execute(
            """
            ALTER TABLE entry RENAME TO entry_2; \(table);
            INSERT INTO entry(id, key, saved_at, etag, last_modified, kind, header_checksum, bytes_checksum, bytes)
            SELECT id, key, saved_at, etag, last_modified, kind, header_checksum, bytes_checksum, bytes FROM entry_2
            NOT INDEXED ORDER BY id;
            DROP TABLE entry_2; \(indexes)
            """, to: "upgrade the database")
    }

    @Sendable
    private static func addKind(_ connection: Connection) throws(StoreError) {
        try connection.execute("ALTER TABLE entry RENAME TO entry_1; \(table)")
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
            // A damaged entry must not get a valid checksum.
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
        try connection.execute("DROP TABLE entry_1; \(indexes)")
    }
}
