import AquiferTesting

/// The worlds in which machines look for what nobody thought of: `make simulate`. A toy, and the
/// loading over SQLite, runs only when it is named.
@main
struct Worlds {
    static func main() {
        let worlds: [String: Simulation.World] = [
            "changes": ChangesWorld.run, "clips": ClipsWorld.run, "credentials": CredentialsWorld.run,
            "downloads": DownloadsWorld.run,
            "drive": ChainWorld.run, "lists": ListWorld.run, "live": LiveWorld.run, "loading": LoadingWorld.run,
            "machines": MachinesWorld.run,
            "outbox": OutboxWorld.run, "outbox-batches": OutboxWorld.runInBatches,
            "outbox-sqlite": OutboxWorld.runOverSQLite, "payments": PaymentsWorld.run,
            "power": PowerWorld.run, "users": UsersWorld.run,
        ]
        let isOneNamed = CommandLine.arguments.contains("--world")
        // In some seeds its database stays damaged, and nobody moves it away (docs/reference/lab.md).
        let overSQLite: [String: Simulation.World] = [
            "loading-sqlite": LoadingWorld.runOverSQLite, "users-sqlite": UsersWorld.runOverSQLite,
        ]
        let named = worlds.merging(overSQLite) { world, _ in world }.merging(Toys.all) { world, _ in world }
        Simulation.main(isOneNamed ? named : worlds)
    }
}
