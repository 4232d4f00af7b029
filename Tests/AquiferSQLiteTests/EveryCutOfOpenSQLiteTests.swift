#if os(macOS) || os(Linux)
    import AquiferTesting
    import EveryBit
    import Foundation
    import Testing

    /// Each length of a database, while it is open. Here every so many of them; all with `AQUIFER_EVERY_BIT=1`, which
    /// `make lab` sets.
    @Suite("A database is cut to each length while it is open", .timeLimit(.minutes(20)))
    struct EveryCutOfOpenSQLiteTests {
        @Test("and each entry is what it was, or its error is told; the process goes on")
        func cut() async throws {
            try await TemporaryFolder.with { folder in
                let program = try #require(BuiltProgram.named("StoreHammer"), "StoreHammer is not built")
                let step = Damage.areAll ? 1 : 331
                let (status, output) = try await Child.run(
                    program.path, ["--store", "sqlite", "--path", folder.path, "--cut-each", "\(step)"])
                #expect(status == 0, "128 and the signal that ended it, if more: \(output)")
                #expect(output.contains(" told, "), "\(output)")
            }
        }
    }
#endif
