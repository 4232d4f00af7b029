// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "Benchmarks",
    platforms: [.macOS(.v15)],
    dependencies: [.package(name: "Aquifer", path: "..")],
    targets: [
        .executableTarget(
            name: "Worker",
            dependencies: ["Aquifer", "AquiferSQLite", "AquiferCurl", "AquiferURLSession", "AquiferImageFeed"].map {
                .product(name: $0, package: "Aquifer")
            },
            swiftSettings: [
                .swiftLanguageMode(.v6), .treatAllWarnings(as: .error), .enableUpcomingFeature("ExistentialAny"),
            ])
    ])
