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

    /// Starts a server. If it ends before it is ready, it is started once more, with another port: somebody else may have taken the first.
    ///
    /// - Parameters:
    ///   - script: the path of its script.
    ///   - options: words for the script after folder and port.
    ///   - verb: the first word for the script.
    ///   - patience: the seconds in which the server must be ready.
    public init(_ script: String, _ options: [String] = [], verb: String = "run", patience: Int32 = 60) throws {
        self.script = script
        let name = script.split(separator: "/").last ?? "server"
        var attempts = 2
        while true {
            attempts -= 1
            let folder = "/tmp/aquifer-\(name)-\(getpid())-\(UInt32.random(in: 0 ... .max))"
            let port = try Self.freePort()
            let (life, said) = try Self.launch([script, verb, folder, "\(port)"] + options)
            let answer = Self.answer(said, patience)
            close(said)
            if answer == .ready {
                (self.folder, self.port, self.life) = (folder, port, life)
                return
            }
            close(life)
            if attempts == 0 || answer == .silent {
                let reason = answer == .silent ? "was not ready in \(patience) s" : "did not start"
                throw Failure(description: "the server \(reason); see the messages of \(script) above")
            }
        }
    }

    /// Starts the script.
    ///
    /// - Returns: the end of the pipe that keeps it alive, and that of the one through which it says that it is ready.
    private static func launch(_ words: [String]) throws -> (life: Int32, said: Int32) {
        var (input, output): ([Int32], [Int32]) = ([-1, -1], [-1, -1])
        guard pipe(&input) == 0, pipe(&output) == 0 else { throw Failure(description: "there is no pipe left") }
        // Another program that is started meanwhile must not hold the ends that tell of this process's end.
        for end in [input[1], output[0]] { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        let child = start(words, input: input[0], output: output[1])
        for end in [input[0], output[1]] { close(end) }
        guard child > 0 else {
            for end in [input[1], output[0]] { close(end) }
            throw Failure(description: "\(words[0]) cannot be started")
        }
        collect(child)
        return (input[1], output[0])
    }

    private enum Answer { case ready, ended, silent }

    /// Waits until a script has said "ready" and a newline.
    private static func answer(_ said: Int32, _ patience: Int32) -> Answer {
        let end = ContinuousClock.now + .seconds(Int64(patience))
        var (bytes, count) = ([UInt8](repeating: 0, count: 6), 0)
        while count < bytes.count {
            let left = (end - .now).components.seconds
            guard left >= 0 else { return .silent }
            var entry = pollfd(fd: said, events: Int16(POLLIN), revents: 0)
            // Up to a second too long.
            guard poll(&entry, 1, Int32(left + 1) * 1000) > 0 else { continue }
            let more = read(said, &bytes, bytes.count - count)
            if more == 0 || more < 0 && errno != EINTR { return .ended }
            count += max(more, 0)
        }
        return .ready
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

    /// Runs the script with another verb, and waits for its end.
    public func run(_ verb: String, _ rest: [String] = []) throws {
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
