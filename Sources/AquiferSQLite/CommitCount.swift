import Aquifer
import AquiferFoundation

/// The number of commits of a database whose contents cannot be loaded again.
///
/// SQLite reads a log up to its first damaged part, and takes the rest for changes that were never committed. So a log
/// that was cut, or in which a bit has flipped, silently takes acknowledged changes away. Therefore each commit counts
/// itself in a table of its own, and the ``BirthMark`` has the number of the last acknowledged one.
///
/// Only stores whose writes survive a loss of power count. For others such a loss may take acknowledged changes away.
/// Versions without the count leave table and mark as they are. Their commits are not guarded.
enum CommitCount {
    /// Counts the commit that is under way.
    static func next(_ connection: Connection) throws(StoreError) -> Statement {
        try connection.execute(
            "CREATE TABLE IF NOT EXISTS commits (id INTEGER PRIMARY KEY, number INTEGER NOT NULL)", to: "count a change"
        )
        return try connection.prepare(
            """
            INSERT INTO commits(id, number) VALUES(1, 1) ON CONFLICT(id) DO UPDATE SET number = number + 1
            RETURNING number
            """, to: "count a change")
    }

    /// Counts with that statement, and returns the number of the commit.
    static func number(_ count: Statement, _ connection: Connection) throws(StoreError) -> UInt64 {
        defer { count.reset() }
        guard try count.step() else { throw connection.damage("its commits cannot be counted") }
        let number = UInt64(clamping: count.integer(0))
        // The statement is done only after its last row.
        _ = try count.step()
        return number
    }

    /// - Throws: ``StoreError/lost(path:)`` if the database has fewer commits than were acknowledged. The log is then kept
    ///   when the connection closes.
    static func check(_ connection: Connection, _ mark: BirthMark) throws(StoreError) {
        // The mark is read first: other processes count in the database before they count in the mark.
        let acknowledged = mark.acknowledged()
        guard acknowledged > 0 else { return }
        var count: UInt64 = 0
        do throws(StoreError) {
            let isCounted = "SELECT count(*) FROM sqlite_schema WHERE type = 'table' AND name = 'commits'"
            if try connection.integer(isCounted) > 0 {
                count = UInt64(clamping: try connection.integer("SELECT number FROM commits WHERE id = 1"))
            }
        } catch {
            // Damage of these tables tells nothing about the entries, which tell their damage themselves.
            guard case .damaged = error else { throw error }
            return
        }
        guard count < acknowledged else { return }
        connection.keepLog()
        throw .lost(path: connection.path)
    }
}
