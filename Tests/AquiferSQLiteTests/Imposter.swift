import Foundation

@testable import AquiferSQLite

/// Damages a database in ways that SQLite itself prevents: an index entry without its row, a row without its index
/// entry.
/// A table is made to stand on the pages of an index, or an index is hidden while rows change.
struct Imposter {
    private let connection: Connection

    init(_ file: URL) throws {
        connection = try Connection.patient(file.path, .readWrite)
        try connection.execute("PRAGMA writable_schema = ON")
    }

    /// Removes a key from an index, and leaves its row.
    func forget(_ key: String, in index: String) throws {
        try asTable(index) {
            let statement = try connection.prepare("DELETE FROM imposter WHERE key = ?1")
            statement.bind(1, key)
            try statement.run()
        }
    }

    /// Makes an index lead from a key to the row of another one.
    func lead(_ key: String, toRowOf other: String, in index: String) throws {
        let row = try connection.prepare("SELECT id FROM entry NOT INDEXED WHERE key = ?1")
        row.bind(1, other)
        _ = try row.step()
        let id = row.integer(0)
        row.reset()
        try asTable(index) {
            let statement = try connection.prepare("UPDATE imposter SET id = ?2 WHERE key = ?1")
            statement.bind(1, key)
            statement.bind(2, id)
            try statement.run()
        }
    }

    /// Takes the keys out of rows, which the schema forbids.
    func forgetKeys(ofRows rows: String) throws {
        try rewriteSchema("key TEXT NOT NULL,", "key TEXT /* none */,")
        try connection.execute("UPDATE entry SET key = NULL WHERE id IN (\(rows))")
        try rewriteSchema("key TEXT /* none */,", "key TEXT NOT NULL,")
    }

    private func rewriteSchema(_ old: String, _ new: String) throws {
        try connection.execute(
            "UPDATE sqlite_schema SET sql = replace(sql, '\(old)', '\(new)') WHERE name = 'entry'")
        try reread()
    }

    /// Runs while a table named `imposter` stands on the pages of an index.
    private func asTable(_ index: String, _ use: () throws -> Void) throws {
        let root = try connection.integer("SELECT rootpage FROM sqlite_schema WHERE name = '\(index)'")
        try connection.execute(
            """
            INSERT INTO sqlite_schema VALUES('table', 'imposter', 'imposter', \(root),
                'CREATE TABLE imposter(key TEXT, id INTEGER, PRIMARY KEY(key, id)) WITHOUT ROWID')
            """)
        try reread()
        try use()
        try connection.execute("DELETE FROM sqlite_schema WHERE name = 'imposter'")
        try reread()
    }

    /// Changes rows behind the back of some indexes.
    func change(_ sql: String, key: String, hiding indexes: [String]) throws {
        let names = indexes.map { "'\($0)'" }.joined(separator: ", ")
        try connection.execute(
            """
            CREATE TEMP TABLE hidden AS SELECT * FROM sqlite_schema WHERE name IN (\(names));
            DELETE FROM sqlite_schema WHERE name IN (\(names))
            """)
        try reread()
        let statement = try connection.prepare(sql)
        statement.bind(1, key)
        try statement.run()
        try connection.execute("INSERT INTO sqlite_schema SELECT * FROM hidden; DROP TABLE hidden")
        try reread()
    }

    /// Makes every connection look at the schema again.
    private func reread() throws {
        let version = try connection.integer("PRAGMA schema_version")
        try connection.execute("PRAGMA schema_version = \(version + 1)")
    }
}
