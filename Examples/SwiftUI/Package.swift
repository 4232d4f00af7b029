// swift-tools-version: 6.2
import PackageDescription

// For Apple systems. `make check` compiles it on Linux against signatures of SwiftUI.
let package = Package(
    name: "FeedApp",
    platforms: [.macOS(.v15), .iOS(.v18), .tvOS(.v18), .watchOS(.v11), .visionOS(.v2)],
    dependencies: [
        .package(name: "aquifer", path: "../..")
    ],
    targets: [
        .executableTarget(
            name: "FeedApp",
            dependencies: [
                .product(name: "Aquifer", package: "aquifer"),
                .product(name: "AquiferSQLite", package: "aquifer"),
                .product(name: "AquiferURLSession", package: "aquifer"),
                .product(name: "ImageFeed", package: "aquifer"),
                .product(name: "ShadowDrive", package: "aquifer"),
                .product(name: "AquiferCrypto", package: "aquifer"),
            ])
    ])
