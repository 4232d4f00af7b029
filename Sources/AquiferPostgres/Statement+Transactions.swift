import Aquifer
import AquiferFoundation

/// The statements for several entries at one moment.
extension Statement {
    func transaction(_ schema: String) -> String {
        switch self {
        case .readSeen:
            """
            SELECT k.place, e.mark, e.head, \(Self.whole(schema))
            FROM unnest($1::bytea[]) WITH ORDINALITY k(key, place) JOIN \(schema).entry e ON e.id = \(Self.id("k.key"))
            WHERE \(Self.few)
            """
        case .readRange:
            """
            SELECT e.id, e.mark, e.head, \(Self.whole(schema))
            FROM \(schema).entry e WHERE e.id > $4 AND \(Self.range("$1", "$2", "$3")) ORDER BY e.id LIMIT $5
            """
        default: "SELECT hits, refused FROM \(schema).change_all($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)"
        }
    }

    /// The bytes of an entry, whether in its row or in pieces. A piece that is missing makes them shorter than its head says.
    private static func whole(_ schema: String) -> String {
        """
        CASE WHEN e.pieces <= 0 THEN e.bytes ELSE (
            SELECT string_agg(p.bytes, ''::bytea ORDER BY p.number) FROM \(schema).piece p WHERE p.id = e.id AND p.mark = e.mark) END
        """
    }

    /// True for each place. The planner takes it for a filter that leaves one row, and looks for each row by its key, however
    /// small the table was when it planned the statement.
    static let few = "place > 0 AND place < 1000000"
}

extension Schema {
    /// The function that makes several writes or none, and notes that in the session.
    ///
    /// A row that was seen is locked, in the order of all, until the transaction ends. A row that is not there cannot be locked: whoever writes
    /// or asks for a key that may be absent takes the lock of its number first. Each statement of a function sees what was committed before it
    /// began, and so what was written while it waited for a lock. Another store's `insert` takes no such lock. It decides nothing by what it
    /// has read, and so comes before or after.
    ///
    /// In the list `seen`, null asks nothing, no bytes ask that there is no entry, and a mark asks that the entry has it. In the list `marks`, null
    /// keeps the entry, no bytes delete it, and a mark is that of the new one.
    var committing: String {
        """
        CREATE FUNCTION \(name).change_all(
            session bytea, number bigint, channel text, told text[], locks bigint[], keys bytea[], seen bytea[], marks bytea[],
            heads bytea[], bodies bytea[], parts bigint[], OUT hits bigint, OUT refused text
        ) RETURNS SETOF record LANGUAGE plpgsql AS $aquifer_body$
        #variable_conflict use_column
        DECLARE
            held bigint;
            wanted bigint;
            written bigint;
        BEGIN
            PERFORM FROM \(name).session s WHERE s.id = change_all.session FOR UPDATE;
            IF NOT FOUND THEN RETURN; END IF;
            FOREACH held IN ARRAY change_all.locks LOOP
                PERFORM pg_advisory_xact_lock(\(Self.lockClass), held::int);
            END LOOP;
            PERFORM FROM \(name).entry e JOIN unnest(change_all.keys) WITH ORDINALITY k(key, place) ON e.id = \(Statement.id("k.key"))
                WHERE \(Statement.few) ORDER BY e.id FOR UPDATE OF e;
            SELECT string_agg(place::text, ',') INTO refused
                FROM unnest(change_all.keys, change_all.seen) WITH ORDINALITY w(key, seen, place)
                LEFT JOIN \(name).entry e ON e.id = \(Statement.id("w.key"))
                WHERE \(Statement.few) AND (octet_length(w.seen) = 0 AND e.id IS NOT NULL
                    OR octet_length(w.seen) > 0 AND e.mark IS DISTINCT FROM w.seen);
            hits := 0;
            IF refused IS NULL THEN
                hits := 1;
                DELETE FROM \(name).entry e USING unnest(change_all.keys, change_all.marks) WITH ORDINALITY w(key, mark, place)
                    WHERE e.id = \(Statement.id("w.key")) AND octet_length(w.mark) = 0 AND \(Statement.few);
                SELECT count(*) INTO wanted FROM unnest(change_all.heads) h WHERE h IS NOT NULL;
                INSERT INTO \(name).entry AS e (id, long_key, mark, head, bytes, pieces)
                    SELECT \(Statement.id("w.key")), CASE WHEN octet_length(w.key) > \(Statement.longest) THEN w.key END,
                        w.mark, w.head, w.bytes, w.parts::int
                    FROM unnest(change_all.keys, change_all.seen, change_all.marks, change_all.heads, change_all.bodies, change_all.parts)
                        AS w(key, seen, mark, head, bytes, parts)
                    WHERE w.head IS NOT NULL AND octet_length(w.seen) = 0 ORDER BY w.key
                    ON CONFLICT (id) DO NOTHING;
                GET DIAGNOSTICS written = ROW_COUNT;
                INSERT INTO \(name).entry AS e (id, long_key, mark, head, bytes, pieces)
                    SELECT \(Statement.id("w.key")), CASE WHEN octet_length(w.key) > \(Statement.longest) THEN w.key END,
                        w.mark, w.head, w.bytes, w.parts::int
                    FROM unnest(change_all.keys, change_all.seen, change_all.marks, change_all.heads, change_all.bodies, change_all.parts)
                        AS w(key, seen, mark, head, bytes, parts)
                    WHERE w.head IS NOT NULL AND octet_length(w.seen) IS DISTINCT FROM 0 ORDER BY w.key
                    ON CONFLICT (id) DO UPDATE SET
                        mark = excluded.mark, head = excluded.head, bytes = excluded.bytes, pieces = excluded.pieces;
                GET DIAGNOSTICS held = ROW_COUNT;
                IF written + held <> wanted THEN
                    RAISE EXCEPTION 'another store has inserted an entry meanwhile' USING ERRCODE = 'serialization_failure';
                END IF;
                PERFORM pg_notify(change_all.channel, t) FROM unnest(change_all.told) t;
            END IF;
            UPDATE \(name).session s SET done = change_all.number, used_at = now(),
                ran = CASE WHEN change_all.number - s.done > 62 THEN 0 ELSE s.ran << (change_all.number - s.done)::int END | 1,
                hits = CASE WHEN change_all.number - s.done > 62 THEN 0 ELSE s.hits << (change_all.number - s.done)::int END | change_all.hits
                WHERE s.id = change_all.session;
            RETURN NEXT;
        END $aquifer_body$
        """
    }

    /// Tells the locks of keys from other locks of two numbers: the first bytes of "aqui".
    private static let lockClass = 1_634_825_577

    /// The number of the lock of a key. Two keys may share one.
    static func lock(_ key: String) -> Int64 { Int64(Int32(truncatingIfNeeded: Checksum.xxh64(key))) }
}
