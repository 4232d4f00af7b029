// swift-tools-version: 6.2
import PackageDescription

// One program twice: as it is, and with one more import, of full Foundation. `Scripts/binary-size` compares the two.
let package = Package(
    name: "Start",
    platforms: [.macOS(.v15)],
    dependencies: [.package(name: "Aquifer", path: "../..")],
    targets: ["Light", "Full"].map { name in
        .executableTarget(
            name: name,
            dependencies: ["Aquifer", "AquiferSQLite", "AquiferCurl", "AquiferWording"].map {
                .product(name: $0, package: "Aquifer")
            },
            path: name,
            swiftSettings: [.swiftLanguageMode(.v6), .treatAllWarnings(as: .error)])
    })
