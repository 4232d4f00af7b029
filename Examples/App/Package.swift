// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "Notes",
    platforms: [.macOS(.v15), .iOS(.v18)],
    dependencies: [
        .package(name: "aquifer", path: "../..")
    ],
    targets: [
        .target(
            name: "Notes",
            dependencies: [
                .product(name: "Aquifer", package: "aquifer"),
                .product(name: "AquiferSQLite", package: "aquifer"),
                .product(name: "AquiferCurl", package: "aquifer", condition: .when(platforms: [.linux])),
                .product(name: "AquiferURLSession", package: "aquifer", condition: .when(platforms: [.macOS, .iOS])),
            ])
    ])
