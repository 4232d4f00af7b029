import Aquifer
import AquiferFoundation

/// The tables of a ``PostgresStore``, and the statements that make them.
///
/// | table | what |
/// |---|---|
/// | `version` | one row: the version of these tables |
/// | `entry` | one row for each entry: its key, its header (`EntryCoding`) and, up to 1 MB, its bytes |
/// | `piece` | the bytes of larger entries, in pieces of 1 MB |
/// | `session` | one row for each connection that writes: which of its last writes were made |
/// | `lease` | one row for each key that was loaded under a lease: who loads it now, and which load was saved last |
///
/// An entry is found by `id`: its key, or for a key of more than 1 000 bytes the beginning and the SHA-256 of it, because
/// an index has no room for more. Each write gives the entry another `mark`, so that a later one knows whether
/// somebody has changed it meanwhile.
struct Schema: Sendable {
    /// Versions 1 and 2 were written before the first release.
    static let version = 3
    /// The name, quoted for statements.
    var name: String { Self.quoted(plain) }
    private let plain: String

    init(_ name: String) {
        plain = name
    }

    /// The statements that make the tables, in order.
    var creation: [String] {
        [
            "CREATE SCHEMA IF NOT EXISTS \(name)",
            "CREATE TABLE \(name).version (number integer NOT NULL)",
            """
            CREATE TABLE \(name).entry (
                id bytea PRIMARY KEY,
                long_key bytea,
                mark bytea NOT NULL,
                head bytea NOT NULL,
                bytes bytea,
                pieces integer NOT NULL DEFAULT 0
            )
            """,
            // Entries are not worth the time of a second compression: most are compressed already, or small.
            "ALTER TABLE \(name).entry ALTER COLUMN bytes SET STORAGE EXTERNAL",
            """
            CREATE TABLE \(name).piece (
                id bytea NOT NULL,
                mark bytea NOT NULL,
                number integer NOT NULL,
                bytes bytea NOT NULL,
                PRIMARY KEY (id, mark, number)
            )
            """,
            "ALTER TABLE \(name).piece ALTER COLUMN bytes SET STORAGE EXTERNAL",
            """
            CREATE TABLE \(name).session (
                id bytea PRIMARY KEY,
                done bigint NOT NULL DEFAULT 0,
                ran bigint NOT NULL DEFAULT 0,
                hits bigint NOT NULL DEFAULT 0,
                used_at timestamptz NOT NULL DEFAULT now()
            ) WITH (fillfactor = 20)
            """,
            """
            CREATE FUNCTION \(name).forget_pieces() RETURNS trigger LANGUAGE plpgsql AS $aquifer_body$
            BEGIN
                DELETE FROM \(name).piece WHERE id = OLD.id AND mark = OLD.mark;
                RETURN NULL;
            END $aquifer_body$
            """,
            """
            CREATE TRIGGER forget_pieces AFTER UPDATE OR DELETE ON \(name).entry
                FOR EACH ROW WHEN (OLD.pieces > 0) EXECUTE FUNCTION \(name).forget_pieces()
            """,
            "INSERT INTO \(name).version VALUES (\(Self.version))", committing,
        ] + leaseTable
    }

    private var leaseTable: [String] {
        [
            // Nothing is lost with a lease: a crash of the server may take them all.
            """
            CREATE UNLOGGED TABLE \(name).lease (
                id bytea PRIMARY KEY,
                token bytea NOT NULL,
                number bigint NOT NULL,
                holder bigint NOT NULL,
                until timestamptz NOT NULL,
                saved bigint NOT NULL DEFAULT 0
            )
            """,
            "CREATE SEQUENCE \(name).lease_number",
        ]
    }

    /// The statements that give a user all rights that a store needs once the tables are there.
    func grants(to role: String) -> [String] {
        let role = Self.quoted(role)
        return [
            "GRANT USAGE ON SCHEMA \(name) TO \(role)",
            "GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA \(name) TO \(role)",
            "GRANT USAGE ON ALL SEQUENCES IN SCHEMA \(name) TO \(role)",
        ]
    }

    /// The version that is there, in one row; no row if there is none.
    var found: String { "SELECT number FROM \(name).version" }

    /// The names of all tables and sequences in the schema's place.
    var look: String {
        """
        SELECT c.relname::text FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
        WHERE n.nspname = '\(plain.replacingExactly("'", with: "''"))' AND c.relkind IN ('r', 'v', 'm', 'p', 'f', 'S')
        """
    }

    /// The names of ours.
    static let parts = ["version", "entry", "piece", "session", "lease", "lease_number"]

    /// The name of the channel on which changes are told. A channel's name has at most 63 bytes.
    var channel: String { "aquifer:" + ending }
    /// The same, for the ends of leases.
    var leases: String { "aquifer-l:" + ending }
    private var ending: String { (plain.utf8.count <= 50 ? plain : Data(plain.utf8).suffix(25).hexadecimal) }
    /// Both, for statements.
    var quotedChannels: [String] { [channel, leases].map(Self.quoted) }

    private static func quoted(_ name: String) -> String { "\"" + name.replacingExactly("\"", with: "\"\"") + "\"" }
}
