// swift-tools-version: 6.2
import PackageDescription

/// Aquifer, by path: under this name, whatever the folder is called.
let byPath: [Package.Dependency] = [
    .package(name: "aquifer", path: "../..")
]
/// Aquifer, by the address of its repository.
let byAddress: [Package.Dependency] = [
    .package(url: "https://github.com/OWNER/aquifer.git", branch: "main")
]

let package = Package(
    name: "Notes",
    platforms: [.macOS(.v15), .iOS(.v18), .tvOS(.v18), .watchOS(.v11), .visionOS(.v2)],
    dependencies: byPath,
    targets: [
        .target(
            name: "Notes",
            dependencies: [
                .product(name: "Aquifer", package: "aquifer"),
                .product(name: "AquiferSQLite", package: "aquifer"),
                .product(name: "AquiferCurl", package: "aquifer", condition: .when(platforms: [.linux])),
                .product(
                    name: "AquiferURLSession", package: "aquifer",
                    condition: .when(platforms: [.macOS, .iOS, .tvOS, .watchOS, .visionOS])),
            ])
    ])
