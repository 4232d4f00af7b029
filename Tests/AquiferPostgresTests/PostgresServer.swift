import Dispatch
import Foundation
import Testing

@testable import AquiferPostgres

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#endif

/// A PostgreSQL server for tests, in a temporary folder (`Scripts/postgres`). It ends with this process, however that ends.
final class PostgresServer: @unchecked Sendable {
    /// The server of all tests that leave it alone. Each test has a schema of its own.
    static let shared = Result { try PostgresServer() }

    let port: UInt16
    let folder: String
    private let script: String
    /// The end of a pipe: the server's script stops it when this end is closed.
    private let life: Int32
    private let child: pid_t

    /// - Parameters:
    ///   - primary: the server whose synchronous replica it is to be; `nil` for a server of its own.
    ///   - small: the megabytes of a file system of its own in the folder `small`; `nil` for none.
    init(replicaOf primary: PostgresServer? = nil, small: Int? = nil) throws {
        script =
            URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../Scripts/postgres")
            .standardizedFileURL.path
        folder = "/tmp/aquifer-postgres-\(getpid())-\(UInt32.random(in: 0 ... .max))"
        port = try Self.freePort()
        var (input, output): ([Int32], [Int32]) = ([-1, -1], [-1, -1])
        try #require(pipe(&input) == 0 && pipe(&output) == 0)
        // Another program that is started meanwhile must not hold the ends that tell of this process's end.
        for end in [input[1], output[0]] { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        life = input[1]
        let verb = primary == nil ? "run" : "replica"
        let rest = primary.map { [$0.folder, "\($0.port)"] } ?? small.map { ["\($0)"] } ?? []
        child = fork_exec([script, verb, folder, "\(port)"] + rest, input: input[0], output: output[1])
        for end in [input[0], output[1]] { close(end) }
        try #require(child > 0)
        var bytes = [UInt8](repeating: 0, count: 6)
        let count = read(output[0], &bytes, bytes.count)
        close(output[0])
        try #require(count == 6, "the server did not start; see the messages of \(script) above")
    }

    deinit {
        close(life)
        // Nobody else waits for the script. The exit tests of Swift Testing look at each process that has ended, and would not get
        // past this one.
        DispatchQueue.global().async { [child] in
            var status: Int32 = 0
            while waitpid(child, &status, 0) < 0 && errno == EINTR {}
        }
    }

    /// The address of the server for libpq.
    var address: String { "postgresql://postgres@127.0.0.1:\(port)/postgres" }

    /// Ends all processes of the server at once.
    func kill() throws { try run("kill") }

    /// Starts it after ``kill()``.
    func start() throws { try run("start", "\(port)") }

    /// Makes a replica the primary.
    func promote() throws { try run("promote") }

    /// The address of two servers, of which libpq takes the one that may be written to.
    func address(or other: PostgresServer) -> String {
        "postgresql://postgres@127.0.0.1:\(port),127.0.0.1:\(other.port)/postgres?target_session_attrs=read-write"
    }

    /// Runs statements as another program would.
    func run(sql: String) throws {
        let connection = try Connecting(address, Schema("none"), .seconds(30)).connect()
        defer { PostgresServer.finish(connection) }
        try Connecting.run(sql, on: connection)
    }

    /// Ends the connections of this name.
    ///
    /// - Returns: how many there were.
    @discardableResult
    func cutConnections(named name: String) throws -> Int64 {
        try number("SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE application_name = '\(name)'")
    }

    /// The number that a query answers.
    func number(_ query: String) throws -> Int64 {
        let connection = try Connecting(address, Schema("none"), .seconds(30)).connect("counter")
        defer { PostgresServer.finish(connection) }
        return try Connecting.rows(query, on: connection).integer(0, 0) ?? 0
    }

    private func run(_ verb: String, _ rest: String...) throws {
        let child = fork_exec([script, verb, folder] + rest, input: 0, output: 1)
        var status: Int32 = 0
        while waitpid(child, &status, 0) < 0 && errno == EINTR {}
        try #require(status == 0, "\(script) \(verb) failed")
    }

    private static func freePort() throws -> UInt16 {
        let socket = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(socket) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isBound = withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(socket, $0, length) == 0 && getsockname(socket, $0, &length) == 0
            }
        }
        try #require(isBound)
        return UInt16(bigEndian: address.sin_port)
    }
}

/// Starts a program with these descriptors as its input and output.
private func fork_exec(_ words: [String], input: Int32, output: Int32) -> pid_t {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_adddup2(&actions, input, 0)
    posix_spawn_file_actions_adddup2(&actions, output, 1)
    // A group of its own: Ctrl-C ends the tests, and the server's script after them.
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    posix_spawnattr_setpgroup(&attributes, 0)
    posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETPGROUP))
    var arguments = words.map { strdup($0) } + [nil]
    defer { for argument in arguments { free(argument) } }
    var child: pid_t = 0
    return posix_spawn(&child, words[0], &actions, &attributes, &arguments, environ) == 0 ? child : -1
}
