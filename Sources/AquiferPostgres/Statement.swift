/// The statements of a store. Each connection prepares them once.
///
/// A statement that writes does so for the *session* of its connection, a row of its own: the first two parameters are the
/// session's id and the number of the write. The write and the note that it was made are one transaction. If the
/// connection breaks, the next one ends the session and learns from its row what was made; whatever of the old connection may
/// still be on its way to the server finds no session, and writes nothing.
enum Statement: String, CaseIterable, Sendable {
    case read, pieces, list
    case begin, end, ended
    case insert, insertAll, create, replace, delete, deleteSeen, deletePrefix, piece
    case takeLease, lookAtLease, renewLease, endLease, gone, time
    case changeMany
    case readSeen, readRange, commit

    /// The types of the parameters.
    var parameters: [Parameter.Kind] {
        switch self {
        case .read: [.bytes]
        case .pieces: [.bytes, .bytes]
        case .list: [.bytes, .bytes, .bytes, .bytes]
        case .begin, .end, .ended: [.bytes]
        // session, number, channel, told, key, mark, head, bytes, pieces
        case .insert, .create: [.bytes, .integer, .text, .text, .bytes, .bytes, .bytes, .bytes, .integer]
        // session, number, channel, and the lists: told, key, mark, head, bytes
        case .insertAll:
            [.bytes, .integer, .text, .listOfTexts, .listOfBytes, .listOfBytes, .listOfBytes, .listOfBytes]
        // and the mark that was seen
        case .replace: [.bytes, .integer, .text, .text, .bytes, .bytes, .bytes, .bytes, .integer, .bytes]
        case .delete: [.bytes, .integer, .text, .text, .bytes]
        case .deleteSeen: [.bytes, .integer, .text, .text, .bytes, .bytes]
        // …, the first id, the first id after the last, the prefix
        case .deletePrefix: [.bytes, .integer, .text, .text, .bytes, .bytes, .bytes]
        // key, mark, number, bytes
        case .piece: [.bytes, .bytes, .integer, .bytes]
        // key, token, holder, milliseconds, the first number that is as good, true if missing holders are gone
        case .takeLease: [.bytes, .bytes, .integer, .integer, .integer, .integer]
        case .lookAtLease: [.bytes, .bytes]
        // key, number, holder, milliseconds
        case .renewLease: [.bytes, .integer, .integer, .integer]
        // key, number, saved, channel, told
        case .endLease: [.bytes, .integer, .integer, .text, .text]
        // numbers, separated by commas
        case .gone: [.text]
        case .time: []
        // keys
        // channel, told; and of each row its key, the mark that was seen, the new mark, head and bytes
        case .changeMany: [.text, .text, .listOfBytes, .listOfBytes, .listOfBytes, .listOfBytes, .listOfBytes]
        // keys
        case .readSeen: [.listOfBytes]
        // the prefix, the first id, the first id after the last, the id before the first, the number of entries
        case .readRange: [.bytes, .bytes, .bytes, .bytes, .integer]
        // session, number, channel, the lists told, locks; and of each write its key, the mark that is asked for, the new mark, head, bytes and
        // number of pieces
        case .commit:
            [
                .bytes, .integer, .text, .listOfTexts, .listOfIntegers, .listOfBytes, .listOfBytes, .listOfBytes,
                .listOfBytes,
                .listOfBytes, .listOfIntegers,
            ]
        }
    }

    /// True if it changes nothing.
    var onlyReads: Bool {
        switch self {
        case .read, .pieces, .list, .lookAtLease, .gone, .time, .readSeen, .readRange: true
        default: false
        }
    }

    func sql(_ schema: String) -> String {
        switch self {
        case .read:
            "SELECT mark, head, bytes, pieces FROM \(schema).entry WHERE id = \(Self.id("$1"))"
        case .pieces:
            "SELECT bytes FROM \(schema).piece WHERE id = \(Self.id("$1")) AND mark = $2 ORDER BY number"
        case .list:
            """
            SELECT id, head, CASE WHEN pieces <= 0 THEN octet_length(bytes)
                ELSE (SELECT sum(octet_length(p.bytes)) FROM \(schema).piece p WHERE p.id = e.id AND p.mark = e.mark) END::bigint
            FROM \(schema).entry e WHERE e.id > $4 AND \(Self.range("$1", "$2", "$3")) ORDER BY e.id LIMIT \(Self.page)
            """
        // A session that was not used for a week is over. If its connection still lives, its next write finds no session, and
        // is made again with another one. A replica that stands still holds up a write, and not the beginning of its session: others could
        // not see then that it has begun, and would make the write once more.
        case .begin:
            """
            WITH old AS (SELECT id FROM \(schema).session WHERE used_at < now() - interval '7 days' FOR UPDATE SKIP LOCKED),
            gone AS (DELETE FROM \(schema).session s USING old WHERE s.id = old.id)
            INSERT INTO \(schema).session(id)
            SELECT $1 FROM (SELECT set_config('synchronous_commit', 'local', true)) AS here
            """
        // The row gets another id, under which no write looks for it, and is kept: who loses this answer asks again.
        case .end: "UPDATE \(schema).session SET id = id || '\\x00' WHERE id = $1 RETURNING done, ran, hits"
        // It is a write, so that its answer is as durable as what it tells of.
        case .ended:
            "UPDATE \(schema).session SET used_at = now() WHERE id = $1 || '\\x00'::bytea RETURNING done, ran, hits"
        case .insert:
            """
            WITH session AS (\(Self.noting(schema)))
            \(Self.inserting(schema)) \(Self.replacing) RETURNING 1, pg_notify($3, $4)
            """
        case .insertAll: Self.insertingAll(schema)
        case .create: writing("\(Self.inserting(schema)) ON CONFLICT (id) DO NOTHING", schema)
        case .replace:
            writing(
                """
                UPDATE \(schema).entry e SET mark = $6, head = $7, bytes = $8, pieces = $9::int
                FROM session WHERE e.id = \(Self.id("$5")) AND e.mark = $10
                """, schema)
        case .delete: writing("DELETE FROM \(schema).entry e USING session WHERE e.id = \(Self.id("$5"))", schema)
        case .deleteSeen:
            writing(
                "DELETE FROM \(schema).entry e USING session WHERE e.id = \(Self.id("$5")) AND e.mark = $6", schema)
        case .deletePrefix:
            writing(
                "DELETE FROM \(schema).entry e USING session WHERE \(Self.range("$7", "$5", "$6"))", schema,
                tellsOnce: true)
        case .piece:
            """
            INSERT INTO \(schema).piece(id, mark, number, bytes)
            SELECT e.id, e.mark, $3::int, $4 FROM \(schema).entry e WHERE e.id = \(Self.id("$1")) AND e.mark = $2
            """
        case .takeLease, .lookAtLease, .renewLease, .endLease, .gone: leasing(schema)
        case .time: "SELECT (extract(epoch FROM clock_timestamp()) * 1000000)::bigint"
        case .changeMany: batch(schema)
        case .readSeen, .readRange, .commit: transaction(schema)
        }
    }

    /// The number of entries of one answer to ``list``.
    static let page = 5_000
    /// The number of bytes up to which a key is its entry's id.
    static let longest = 1_000
    /// The number of bytes of a longer key that its entry's id begins with.
    static let beginning = 968

    /// The id of a key.
    static func id(_ key: String) -> String {
        """
        (CASE WHEN octet_length(\(key)) <= \(longest) THEN \(key)
            ELSE substring(\(key) FROM 1 FOR \(beginning)) || sha256(\(key)) END)
        """
    }

    /// The rows whose keys begin so.
    static func range(_ prefix: String, _ first: String, _ end: String) -> String {
        """
        e.id >= \(first) AND (\(end) IS NULL OR e.id < \(end))
            AND substring(coalesce(e.long_key, e.id) FROM 1 FOR octet_length(\(prefix))) = \(prefix)
        """
    }

    private static func inserting(_ schema: String) -> String {
        """
        INSERT INTO \(schema).entry AS e (id, long_key, mark, head, bytes, pieces)
        SELECT \(id("$5")), CASE WHEN octet_length($5) > \(longest) THEN $5 END, $6, $7, $8, $9::int FROM session
        """
    }

    /// The same for the elements of lists.
    private static func insertingAll(_ schema: String) -> String {
        """
        WITH session AS (\(noting(schema))), written AS (
            INSERT INTO \(schema).entry AS e (id, long_key, mark, head, bytes, pieces)
            SELECT \(id("n.key")), CASE WHEN octet_length(n.key) > \(longest) THEN n.key END, n.mark, n.head, n.bytes, 0
            FROM session, unnest($5, $6, $7, $8) AS n(key, mark, head, bytes) \(replacing) RETURNING 1),
        told AS MATERIALIZED (SELECT pg_notify($3, t) FROM session, unnest($4) t)
        SELECT (SELECT count(*) FROM written), (SELECT count(*) FROM told) FROM session
        """
    }

    private static let replacing = """
        ON CONFLICT (id) DO UPDATE SET
            mark = excluded.mark, head = excluded.head, bytes = excluded.bytes, pieces = excluded.pieces
        """

    /// The note that a write was made which always changes something. It comes first, since nothing of the write is to be counted.
    private static func noting(_ schema: String) -> String {
        """
        UPDATE \(schema).session SET done = $2, used_at = now(),
            ran = CASE WHEN $2 - done > 62 THEN 0 ELSE ran << ($2 - done)::int END | 1,
            hits = CASE WHEN $2 - done > 62 THEN 0 ELSE hits << ($2 - done)::int END | 1
        WHERE id = $1 RETURNING 1
        """
    }

    /// A write, with the note that it was made and the message to others.
    private func writing(_ change: String, _ schema: String, tellsOnce: Bool = false) -> String {
        let told = "pg_notify($3, $4)"
        return """
            WITH session AS MATERIALIZED (SELECT id, done, ran, hits FROM \(schema).session WHERE id = $1 FOR UPDATE),
            written AS (\(change) RETURNING \(tellsOnce ? "1" : told)),
            \(tellsOnce ? "told AS MATERIALIZED (SELECT \(told) WHERE EXISTS (SELECT FROM written))," : "")
            answer AS MATERIALIZED (SELECT count(*) AS hits \(tellsOnce ? ", (SELECT count(*) FROM told)" : "") FROM written)
            UPDATE \(schema).session s SET done = $2, used_at = now(),
                ran = CASE WHEN $2 - session.done > 62 THEN 0 ELSE session.ran << ($2 - session.done)::int END | 1,
                hits = CASE WHEN $2 - session.done > 62 THEN 0 ELSE session.hits << ($2 - session.done)::int END
                    | least(answer.hits, 1)
            FROM session, answer WHERE s.id = session.id
            RETURNING answer.hits
            """
    }
}
