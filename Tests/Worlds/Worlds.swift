import AquiferTesting

/// The worlds in which machines look for what nobody thought of: `make simulate`. A toy runs only when it is named.
@main
struct Worlds {
    static func main() {
        let worlds: [String: Simulation.World] = [
            "clips": ClipsWorld.run, "downloads": DownloadsWorld.run, "drive": ChainWorld.run,
            "loading": LoadingWorld.run,
            "loading-sqlite": LoadingWorld.runOverSQLite, "outbox-sqlite": OutboxWorld.runOverSQLite,
            "outbox": OutboxWorld.run, "payments": PaymentsWorld.run,
        ]
        let isOneNamed = CommandLine.arguments.contains("--world")
        Simulation.main(isOneNamed ? worlds.merging(Toys.all) { world, _ in world } : worlds)
    }
}
