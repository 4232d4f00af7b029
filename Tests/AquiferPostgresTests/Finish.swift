import AquiferCPostgres

extension PostgresServer {
    static func finish(_ connection: OpaquePointer) { PQfinish(connection) }
}
