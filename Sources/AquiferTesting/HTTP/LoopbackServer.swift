import Aquifer
import Foundation

/// A server on 127.0.0.1 for tests, as raw as sockets are: each connection runs a script on a thread of its own.
///
/// ```swift
/// let server = try LoopbackServer { connection in
///     while let request = try connection.readRequest() {
///         try connection.respond(body: Data("you asked for \(request.target)".utf8))
///     }
/// }
/// ```
///
/// It is no server for apps: it listens on a free port that nobody can choose, and takes a thread for each connection.
///
/// When the script returns or throws, the connection is closed. Nothing waits for longer than `patience`.
public final class LoopbackServer: Sendable {
    /// The course of a connection.
    public typealias Script = @Sendable (_ connection: LoopbackConnection) throws -> Void

    /// The port it listens on.
    public let port: Int
    private let state = Watched((connections: 0, isStopped: false))

    /// Listens on a free port.
    ///
    /// - Parameters:
    ///   - patience: long enough for a machine that is busy with other tests; only a failing one waits that long.
    ///   - script: answers the connections.
    /// - Throws: `POSIXError` when there is none.
    public init(patience: Duration = .seconds(60), _ script: @escaping Script) throws {
        let (listener, port) = try Socket.listen()
        self.port = port
        let state = state
        let thread = Thread {
            defer { close(listener) }
            while true {
                let socket = accept(listener, nil, nil)
                guard !state.update({ $0.isStopped }) else {
                    if socket >= 0 { close(socket) }
                    return
                }
                guard socket >= 0 else {
                    if errno == EINTR || errno == ECONNABORTED { continue }
                    return
                }
                state.update { $0.connections += 1 }
                Thread.detachNewThread {
                    let connection = LoopbackConnection(socket, patience: patience)
                    // A script that throws has said what it wanted to by ending the connection.
                    do { try script(connection) } catch {}
                    connection.end()
                }
            }
        }
        thread.stackSize = 512 << 10
        thread.start()
    }

    deinit { stop() }

    /// The URL of a path of this server; the path is percent-encoded, with its query.
    public func url(_ path: String = "/") -> URL {
        // Only a path that is no path could fail here; the request for it then says so.
        URL(string: "http://127.0.0.1:\(port)\(path)") ?? URL(filePath: path)
    }

    /// The number of connections so far.
    public var connections: Int { state.update { $0.connections } }

    /// Takes no more connections. Those that are open go on until their script ends.
    public func stop() {
        let wasStopped = state.update { state in
            defer { state.isStopped = true }
            return state.isStopped
        }
        // A last connection wakes the thread out of `accept`, which then closes the socket: no one else may, the number is
        // used again. (Shutting the socket down would do on Linux only.)
        if !wasStopped { Socket.knock(port: port) }
    }
}
