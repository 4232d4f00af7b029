// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "Benchmarks",
    platforms: [.macOS(.v15)],
    dependencies: [.package(name: "Aquifer", path: "..")],
    targets: [
        .executableTarget(
            name: "Worker",
            dependencies: [
                "Aquifer", "AquiferSQLite", "AquiferCurl", "AquiferURLSession", "AquiferImageFeed", "AquiferPostgres",
                "AquiferRedis", "AquiferTesting",
            ].map { .product(name: $0, package: "Aquifer") },
            swiftSettings: [
                .swiftLanguageMode(.v6), .treatAllWarnings(as: .error), .enableUpcomingFeature("ExistentialAny"),
            ]),
        .executableTarget(
            name: "HotPaths",
            dependencies: ["Aquifer", "AquiferSQLite", "AquiferImageFeed"].map {
                .product(name: $0, package: "Aquifer")
            },
            swiftSettings: [
                .swiftLanguageMode(.v6), .treatAllWarnings(as: .error), .enableUpcomingFeature("ExistentialAny"),
            ]),
        .executableTarget(
            name: "Bare", dependencies: ["CServers"],
            linkerSettings: [.linkedLibrary("pq"), .linkedLibrary("hiredis")]),
        .systemLibrary(name: "CServers", pkgConfig: "libpq", providers: [.apt(["libpq-dev", "libhiredis-dev"])]),
    ])
