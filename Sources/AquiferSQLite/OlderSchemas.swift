import Aquifer
import AquiferFoundation

/// The upgrades of tables that older versions made. Each keeps every row.
extension Schema {
    /// The version whose column the tables have; `nil` if they have none of an upgrade.
    static func versionOfTables(_ connection: Connection) throws(StoreError) -> Int? {
        for (version, column) in [(4, "ask_at"), (3, "sent_at"), (2, "kind")]
        where try connection.integer("SELECT count(*) FROM pragma_table_info('entry') WHERE name = '\(column)'") > 0 {
            return version
        }
        return nil
    }

    /// Touches no row: the new columns are NULL in each of them. They come after the bytes here, and a value that is NULL
    /// is read from the start of a row all the same.
    @Sendable
    static func addAsking(_ connection: Connection) throws(StoreError) {
        for column in ["stale_until", "is_immutable", "ask_at"] {
            try connection.execute("ALTER TABLE entry ADD COLUMN \(column) INTEGER", to: "upgrade the database")
        }
    }

    /// Copies every row; a damaged row is copied as it is.
    @Sendable
    static func addOrigin(_ connection: Connection) throws(StoreError) {
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
    static func addKind(_ connection: Connection) throws(StoreError) {
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
