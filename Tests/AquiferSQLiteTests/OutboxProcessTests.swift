#if os(macOS) || os(Linux)
    import AquiferTesting
    import Foundation
    import Testing

    /// The properties of an outbox in a SQLite store that only whole processes can show.
    @Suite("Outboxes and processes", .timeLimit(.minutes(10)))
    struct OutboxProcessTests {
        @Test("have each item at the server once, in order, when two senders and the server are killed at random")
        func killed() async throws {
            let (status, output) = try await hammer("--parent", "--kills", "25", "--seed", "7")
            #expect(status == 0)
            #expect(
                output.hasPrefix("25 kills, ") && output.hasSuffix(" 0 lost, 0 twice, 0 out of order\n"), "\(output)")
        }

        @Test("say that the disk is full, leave nothing half queued, keep what is queued, and go on")
        func full() async throws {
            try await TemporaryFolder.with { folder in
                let (status, output) = try await hammer("--full", "--path", folder.path)
                #expect(status == 0)
                #expect(output == "attachment: full\nbody: full\nsmall: queued\nitems: 2, files: 0\n")
            }
        }

        /// Runs the helper, which is built beside the tests.
        private func hammer(_ arguments: String...) async throws -> (status: Int32, output: String) {
            let program = try #require(BuiltProgram.named("OutboxHammer"), "OutboxHammer is not built")
            return try await Child.run(program.path, arguments)
        }
    }
#endif
