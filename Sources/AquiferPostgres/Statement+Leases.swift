import Aquifer

/// The statements of leases, and of machines that live or have gone. None is a write of a session: each may be repeated.
extension Statement {
    func leasing(_ schema: String) -> String {
        switch self {
        case .takeLease:
            """
            INSERT INTO \(schema).lease AS l (id, token, number, holder, until)
            SELECT \(Self.id("$1")), $2, nextval('\(schema.replacingExactly("'", with: "''")).lease_number'), $3, \(Self.end("$4"))
            WHERE NOT EXISTS (SELECT FROM \(schema).lease o WHERE o.id = \(Self.id("$1")) AND NOT (\(Self.isFree("o"))))
            ON CONFLICT (id) DO UPDATE SET
                token = excluded.token, number = excluded.number, holder = excluded.holder, until = excluded.until
                WHERE \(Self.isFree("l"))
            """
        case .lookAtLease:
            "SELECT (token = $2)::int, number, saved FROM \(schema).lease WHERE id = \(Self.id("$1"))"
        case .renewLease:
            """
            UPDATE \(schema).lease SET until = \(Self.end("$4")), holder = $3
            WHERE id = \(Self.id("$1")) AND number = $2 AND until > '-infinity' RETURNING 1
            """
        case .endLease:
            """
            WITH ended AS (
                UPDATE \(schema).lease SET until = '-infinity', token = '',
                    saved = CASE WHEN $3 = 1 THEN number ELSE saved END
                WHERE id = \(Self.id("$1")) AND number = $2 AND until > '-infinity' RETURNING pg_notify($4, $5))
            SELECT count(*) FROM ended
            """
        default:
            """
            SELECT n::text FROM unnest(string_to_array($1, ',')::bigint[]) n
            WHERE pg_try_advisory_xact_lock_shared(n)
            """
        }
    }

    private static func end(_ milliseconds: String) -> String {
        "clock_timestamp() + \(milliseconds) * interval '1 millisecond'"
    }

    /// True for a lease that the caller may have: it is his already, its time has passed, or its holder has gone; and nobody has
    /// saved what would be as good.
    private static func isFree(_ lease: String) -> String {
        """
        ($5::bigint IS NULL OR \(lease).saved < $5) AND (\(lease).token = $2 OR \(lease).until <= clock_timestamp()
            OR ($6 = 1 AND \(lease).holder <> 0 AND pg_try_advisory_xact_lock_shared(\(lease).holder)))
        """
    }
}
