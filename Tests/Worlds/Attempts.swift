import AquiferTesting

extension SimulatedProcess {
    /// Tries until the disk lets it, a second apart: what a user does.
    func untilDone<Value>(_ attempt: () async throws -> Value) async throws -> Value {
        while true {
            do { return try await attempt() } catch {
                world.note("\(error)")
                try await world.clock.sleep(for: .seconds(1))
            }
        }
    }
}
