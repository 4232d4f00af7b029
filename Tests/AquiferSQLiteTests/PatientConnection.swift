@testable import AquiferSQLite

extension Connection {
    /// A connection that waits for others, as each reader and writer of a store does.
    ///
    /// A store that has just gone out of use may still be closing its file on a thread of its own. Until it has, SQLite
    /// answers everybody else that the file is busy.
    static func patient(_ path: String, _ mode: Mode) throws -> Connection {
        let connection = try Connection(path, mode)
        connection.wait(upTo: .seconds(30))
        return connection
    }
}
