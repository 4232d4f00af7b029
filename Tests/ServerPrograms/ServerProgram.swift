import Dispatch

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#endif

/// A server for tests, run by a script of `Scripts` in a temporary folder. It ends with this process, however that ends.
public final class ServerProgram: @unchecked Sendable {
    /// The port on loopback.
    public let port: UInt16
    /// The folder of its files.
    public let folder: String
    private let script: String
    /// The end of a pipe: the script stops the server when this end is closed.
    private let life: Int32

    /// The reason why there is no server.
    public struct Failure: Error, CustomStringConvertible {
        /// One line.
        public let description: String
    }

    /// Starts a server.
    ///
    /// - Parameters:
    ///   - script: the path of its script.
    ///   - options: words for the script after folder and port.
    public init(_ script: String, _ options: [String] = []) throws {
        self.script = script
        let name = script.split(separator: "/").last ?? "server"
        folder = "/tmp/aquifer-\(name)-\(getpid())-\(UInt32.random(in: 0 ... .max))"
        port = try Self.freePort()
        var (input, output): ([Int32], [Int32]) = ([-1, -1], [-1, -1])
        guard pipe(&input) == 0, pipe(&output) == 0 else { throw Failure(description: "there is no pipe left") }
        // Another program that is started meanwhile must not hold the ends that tell of this process's end.
        for end in [input[1], output[0]] { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        life = input[1]
        let child = Self.start([script, "run", folder, "\(port)"] + options, input: input[0], output: output[1])
        for end in [input[0], output[1]] { close(end) }
        guard child > 0 else { throw Failure(description: "\(script) cannot be started") }
        Self.collect(child)
        var bytes = [UInt8](repeating: 0, count: 6)
        let count = read(output[0], &bytes, bytes.count)
        close(output[0])
        guard count == 6 else {
            throw Failure(description: "the server did not start; see the messages of \(script) above")
        }
    }

    deinit { close(life) }

    /// Waits for a process, whenever it ends. The exit tests of Swift Testing look at the first process that has ended, and for
    /// ever at one for which nobody waits.
    private static func collect(_ child: pid_t) {
        DispatchQueue(label: "aquifer.server-program").async {
            var status: Int32 = 0
            while waitpid(child, &status, 0) < 0 && errno == EINTR {}
        }
    }

    /// Ends all processes of the server at once.
    public func kill() throws { try run("kill") }

    /// Starts it after ``kill()``.
    public func start(_ options: [String] = []) throws { try run("start", ["\(port)"] + options) }

    private func run(_ verb: String, _ rest: [String] = []) throws {
        let child = Self.start([script, verb, folder] + rest, input: 0, output: 1)
        var status: Int32 = 0
        while waitpid(child, &status, 0) < 0 && errno == EINTR {}
        guard status == 0 else { throw Failure(description: "\(script) \(verb) failed") }
    }

    private static func freePort() throws -> UInt16 {
        #if canImport(Darwin)
            let kind = SOCK_STREAM
        #else
            let kind = Int32(SOCK_STREAM.rawValue)
        #endif
        let socket = socket(AF_INET, kind, 0)
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
        guard isBound else { throw Failure(description: "there is no port left") }
        return UInt16(bigEndian: address.sin_port)
    }

    /// Starts a program with these descriptors as its input and output.
    private static func start(_ words: [String], input: Int32, output: Int32) -> pid_t {
        #if canImport(Darwin)
            var (actions, attributes): (posix_spawn_file_actions_t?, posix_spawnattr_t?) = (nil, nil)
        #else
            var (actions, attributes) = (posix_spawn_file_actions_t(), posix_spawnattr_t())
        #endif
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_adddup2(&actions, input, 0)
        posix_spawn_file_actions_adddup2(&actions, output, 1)
        // A group of its own: Ctrl-C ends the tests, and the server's script after them.
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        posix_spawnattr_setpgroup(&attributes, 0)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETPGROUP))
        var arguments = words.map { strdup($0) } + [nil]
        defer { for argument in arguments { free(argument) } }
        var child: pid_t = 0
        return posix_spawn(&child, words[0], &actions, &attributes, &arguments, environ) == 0 ? child : -1
    }
}
