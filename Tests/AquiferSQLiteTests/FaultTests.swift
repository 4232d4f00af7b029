#if os(macOS) || os(Linux)
    import AquiferTesting
    import EveryBit
    import Foundation
    import Testing

    /// Each allocation and each call on a file that SQLite makes fails once, in turn (`Tests/SQLiteFaults`). Here every so
    /// many of them; all with `AQUIFER_EVERY_BIT=1`, which `make lab` sets.
    @Suite("Each call of SQLite fails once", .timeLimit(.minutes(20)))
    struct FaultTests {
        @Test(
            "and a session has the right value or a typed error, goes on, and has lost nothing",
            arguments: ["process", "power"])
        func faults(durability: String) async throws {
            let program = try #require(BuiltProgram.named("SQLiteFaults"), "SQLiteFaults is not built")
            let every = Damage.areAll ? 1 : durability == "process" ? 47 : 97
            let (status, output) = try await Child.run(
                program.path, ["--every", "\(every)", "--durability", durability])
            #expect(status == 0, "\(output)")
        }
    }
#endif
