#if os(macOS) || os(Linux)
    import Foundation

    #if canImport(Darwin)
        import Darwin
    #elseif canImport(Glibc)
        import Glibc
    #endif

    /// A program run to its end, on a thread of its own: the pool has as many as the machine has cores.
    ///
    /// Foundation's `Process` is not used: with a thousand descriptors open, as amid other tests, its `run` can read
    /// past the end of a list of them and crash (Linux, Swift 6.3.1).
    enum Child {
        static func run(_ program: String, _ arguments: [String]) async throws -> (status: Int32, output: String) {
            try await withCheckedThrowingContinuation { continuation in
                Thread.detachNewThread {
                    continuation.resume(with: Result { try runHere(program, arguments) })
                }
            }
        }

        private static func runHere(
            _ program: String, _ arguments: [String]
        ) throws -> (status: Int32, output: String) {
            let pipe = Pipe()
            let child = try spawn(program, arguments, output: pipe.fileHandleForWriting.fileDescriptor)
            try pipe.fileHandleForWriting.close()
            let output = try pipe.fileHandleForReading.readToEnd() ?? Data()
            var status: Int32 = 0
            while waitpid(child, &status, 0) < 0 && errno == EINTR {}
            // The status is that of a shell: the exit code, or 128 and the signal.
            let signal = status & 0x7F
            return (signal == 0 ? (status >> 8) & 0xFF : 128 + signal, String(decoding: output, as: UTF8.self))
        }

        private static func spawn(_ program: String, _ arguments: [String], output: Int32) throws -> pid_t {
            #if canImport(Darwin)
                var actions: posix_spawn_file_actions_t?
                var attributes: posix_spawnattr_t?
            #else
                var actions = posix_spawn_file_actions_t()
                var attributes = posix_spawnattr_t()
            #endif
            posix_spawn_file_actions_init(&actions)
            posix_spawnattr_init(&attributes)
            defer {
                posix_spawn_file_actions_destroy(&actions)
                posix_spawnattr_destroy(&attributes)
            }
            posix_spawn_file_actions_adddup2(&actions, output, 1)
            // A child that kept other tests' sockets would keep their connections open.
            #if canImport(Darwin)
                posix_spawn_file_actions_addinherit_np(&actions, 2)
                posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_CLOEXEC_DEFAULT))
            #else
                // The function is not in the headers that Swift sees; it is in glibc since 2.34.
                typealias CloseFrom = @convention(c) (UnsafeMutablePointer<posix_spawn_file_actions_t>, Int32) -> Int32
                if let symbol = dlsym(nil, "posix_spawn_file_actions_addclosefrom_np") {
                    _ = unsafeBitCast(symbol, to: CloseFrom.self)(&actions, 3)
                }
            #endif
            var words: [UnsafeMutablePointer<CChar>?] = ([program] + arguments).map { strdup($0) } + [nil]
            defer { for word in words { free(word) } }
            var child: pid_t = 0
            let code = posix_spawn(&child, program, &actions, &attributes, &words, environ)
            guard code == 0 else { throw POSIXError(POSIXErrorCode(rawValue: code) ?? .EIO) }
            return child
        }
    }
#endif
