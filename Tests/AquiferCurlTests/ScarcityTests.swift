#if os(Linux)
    import Aquifer
    import AquiferConcurrency
    import AquiferTesting
    import Foundation
    import Testing

    @testable import AquiferCurl

    /// Each test runs in a process of its own: its scarcity touches no other test.
    @Suite("When the system has nothing left", .timeLimit(.minutes(10)))
    struct ScarcityTests {
        @Test("a client without a descriptor for its loop fails its requests, and works once there is one")
        func descriptorsForTheLoop() async {
            await Self.unlessLibdispatchTraps {
                await #expect(processExitsWith: .success) { try await Self.sendWithoutDescriptors() }
            }
        }

        @Test("a client without a descriptor for a socket says so, and not that nobody answers")
        func descriptorsForSockets() async {
            await Self.unlessLibdispatchTraps {
                await #expect(processExitsWith: .success) { try await Self.sendWithoutSockets() }
            }
        }

        /// libdispatch takes a descriptor once a second, and traps if there is none at that moment. A fault of the client would end every try.
        private static func unlessLibdispatchTraps(_ test: () async -> Void) async {
            for isLast in [false, false, true] {
                let hasFailed = Locked(false)
                await withKnownIssue("libdispatch had no descriptor", isIntermittent: true) {
                    await test()
                } matching: { _ in
                    hasFailed.withLock { $0 = true }
                    return !isLast
                }
                if !hasFailed.withLock({ $0 }) { return }
            }
        }

        private static func sendWithoutSockets() async throws {
            let server = try LoopbackServer { try $0.answerEverything() }
            let client = CurlHTTPClient()
            // The loop runs, and has its own.
            _ = try await client.send(HTTPRequest(.get, server.url())).data(upTo: 2)
            let named = try #require(URL(string: "http://aquifer.test:\(server.port)/"))
            let limit = try exhaustDescriptors()
            let last = open("/dev/null", O_RDONLY | O_CLOEXEC)
            var errors: [TransportError?] = []
            for url in [server.url(), named] {
                errors.append(
                    await #expect(throws: TransportError.self) { try await client.send(HTTPRequest(.post, url)) })
            }
            close(last)
            try restoreDescriptors(limit)
            for error in errors {
                try #require(error?.kind == .cannotConnect, "\(error as Any)")
                try #require(error?.detail.contains("Too many open files") == true, "\(error as Any)")
            }
        }

        private static func sendWithoutDescriptors() async throws {
            let server = try LoopbackServer { try $0.answerEverything() }
            try #require(EventLoop.obstacle == nil)  // libcurl is loaded
            let client = CurlHTTPClient()
            let limit = try exhaustDescriptors()
            for _ in 0..<3 {
                let error = await #expect(throws: TransportError.self) {
                    try await client.send(HTTPRequest(.get, server.url()))
                }
                try #require(error?.kind == .cannotConnect)
                try #require(error?.detail.contains("Too many open files") == true)
            }
            try restoreDescriptors(limit)
            let answer = try await client.send(HTTPRequest(.get, server.url())).data(upTo: 2)
            try #require(answer == Data("ok".utf8))
        }

        @Test(
            "a client without a thread for its loop fails its requests, and works once there is one",
            .enabled(if: canBoundAddressSpace, "a sanitizer maps the address space, so that it cannot be bounded"))
        func threads() async throws {
            await #expect(processExitsWith: .success) {
                let server = try LoopbackServer { try $0.answerEverything() }
                try #require(EventLoop.obstacle == nil)  // libcurl is loaded
                let client = CurlHTTPClient()
                let limit = try exhaustThreads()
                let error = await #expect(throws: TransportError.self) {
                    try await client.send(HTTPRequest(.get, server.url()))
                }
                try restoreThreads(limit)
                try #require(error?.kind == .cannotConnect)
                let answer = try await client.send(HTTPRequest(.get, server.url())).data(upTo: 2)
                try #require(answer == Data("ok".utf8))
            }
        }
    }

    extension LoopbackConnection {
        fileprivate func answerEverything() throws {
            while try readRequest() != nil { try respond(body: Data("ok".utf8)) }
        }
    }
#endif
