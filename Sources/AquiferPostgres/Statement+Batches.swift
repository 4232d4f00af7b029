import Aquifer
import AquiferFoundation

/// The statement that changes several entries at once. It is no write of a session: a row is changed only from the mark that was seen to
/// another one that nobody else draws, so that it may be repeated.
extension Statement {
    func batch(_ schema: String) -> String {
        // A row that somebody else is changing is skipped: he was quicker. A row with its new mark was changed before, by a
        // statement whose answer was lost.
        """
        WITH wanted AS (
            SELECT place, \(Self.id("key")) AS id, seen, mark, head, bytes
            FROM unnest($3::bytea[], $4::bytea[], $5::bytea[], $6::bytea[], $7::bytea[])
                WITH ORDINALITY w(key, seen, mark, head, bytes, place) WHERE \(Self.few)),
        claimed AS MATERIALIZED (
            SELECT w.*, e.mark = w.mark AS is_done FROM wanted w JOIN \(schema).entry e
                ON e.id = w.id AND (e.mark = w.seen OR e.mark = w.mark)
            ORDER BY e.id FOR UPDATE OF e SKIP LOCKED),
        replaced AS (
            UPDATE \(schema).entry e SET mark = c.mark, head = c.head, bytes = c.bytes, pieces = 0
            FROM claimed c WHERE e.id = c.id AND c.head IS NOT NULL AND NOT c.is_done RETURNING c.place),
        deleted AS (
            DELETE FROM \(schema).entry e USING claimed c WHERE e.id = c.id AND c.head IS NULL RETURNING c.place),
        told AS MATERIALIZED (SELECT pg_notify($1, $2) WHERE EXISTS (SELECT FROM claimed))
        SELECT made.place, (SELECT count(*) FROM told)
        FROM (
            SELECT place FROM replaced UNION ALL SELECT place FROM deleted
            UNION ALL SELECT place FROM claimed WHERE is_done AND head IS NOT NULL) made
        """
    }
}

extension Parameter {
    /// A list of bytes or nulls, as the server's arrays are on their way (`array_recv`).
    static func list(_ items: [Data?], of kind: Kind = .bytes) -> Parameter {
        var bytes = Data(capacity: 20 + items.reduce(0) { $0 + 4 + ($1?.count ?? 0) })
        func add(_ number: Int) {
            withUnsafeBytes(of: Int32(clamping: number).bigEndian) { bytes.append(contentsOf: $0) }
        }
        add(items.isEmpty ? 0 : 1)
        add(items.contains(nil) ? 1 : 0)
        add(Int(kind.rawValue))
        if items.isEmpty { return .bytes(bytes) }
        add(items.count)
        add(1)
        for item in items {
            add(item?.count ?? -1)
            if let item { bytes.append(item) }
        }
        return .bytes(bytes)
    }
}
