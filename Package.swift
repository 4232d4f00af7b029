// swift-tools-version: 6.2
import PackageDescription

/// The settings of every target: Swift 6, strict concurrency, warnings are errors.
let strict: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .treatAllWarnings(as: .error),
    .enableUpcomingFeature("ExistentialAny"),
]

/// A C library of the system, installed by `make setup`.
///
/// Only Linux asks pkg-config for it. Apple's systems bring SQLite, curl and zlib; Xcode does not have pkg-config.
///
/// - Parameter lazy: on Linux it is loaded when first called (see its `lazy.h`), and must therefore not be linked,
///   which pkg-config would have done. Its header is where the compiler looks anyway.
func system(_ name: String, pkgConfig: String, apt: String, lazy: Bool = false) -> Target {
    #if os(Linux)
        let pkgConfig = lazy ? nil : pkgConfig
    #else
        let pkgConfig: String? = nil
    #endif
    return .systemLibrary(
        name: name, path: "Sources/\(name)", pkgConfig: pkgConfig, providers: [.apt([apt])])
}

// libsodium, libmicrohttpd, and what Apple's stores ask of a library. Linux has both libraries, and fetches no package. Apple's systems have neither: there libsodium comes
// as an xcframework, which `ShadowDrive` and `Payments` need on all of them, and libmicrohttpd from Homebrew, for the
// server on a Mac. The linter, which runs on Linux, never sees the first branch: Scripts/check-apple does.
#if os(macOS)
    let dependencies: [Package.Dependency] = [
        .package(url: "https://github.com/jedisct1/swift-sodium.git", .upToNextMinor(from: "0.11.0"))
    ]
    let sodium = Target.target(
        name: "CSodium", dependencies: [.product(name: "Clibsodium", package: "swift-sodium")],
        path: "Sources/CSodiumApple", swiftSettings: strict)
    let microhttpd = Target.systemLibrary(
        name: "CMicrohttpd", path: "Sources/CMicrohttpd", pkgConfig: "libmicrohttpd",
        providers: [.brew(["libmicrohttpd"])])
    let privacy: [Resource] = [.process("PrivacyInfo.xcprivacy")]
    let onlyOnApple: [String] = []
#else
    let dependencies: [Package.Dependency] = []
    let sodium = system("CSodium", pkgConfig: "libsodium", apt: "libsodium-dev")
    let microhttpd = system("CMicrohttpd", pkgConfig: "libmicrohttpd", apt: "libmicrohttpd-dev", lazy: true)
    // A resource would bring Foundation's bundles into the engine.
    let privacy: [Resource]? = nil
    let onlyOnApple = ["PrivacyInfo.xcprivacy"]
#endif

func library(
    _ name: String, _ dependencies: [Target.Dependency] = [], resources: [Resource]? = nil,
    exclude: [String] = [], linkerSettings: [LinkerSetting]? = nil
) -> Target {
    .target(
        name: name, dependencies: dependencies, exclude: exclude, resources: resources, swiftSettings: strict,
        linkerSettings: linkerSettings)
}

func tests(_ target: String, _ dependencies: [Target.Dependency], resources: [Resource]? = nil) -> Target {
    .testTarget(
        name: "\(target)Tests", dependencies: [.init(stringLiteral: target)] + dependencies,
        resources: resources, swiftSettings: strict)
}

let package = Package(
    name: "Aquifer",
    defaultLocalization: "en",
    platforms: [.macOS(.v15), .iOS(.v18), .tvOS(.v18), .watchOS(.v11), .visionOS(.v2)],
    products: [
        .library(name: "Aquifer", targets: ["Aquifer"]),
        .library(name: "AquiferSQLite", targets: ["AquiferSQLite"]),
        .library(name: "AquiferCurl", targets: ["AquiferCurl"]),
        .library(name: "AquiferURLSession", targets: ["AquiferURLSession"]),
        .library(name: "AquiferUserDefaults", targets: ["AquiferUserDefaults"]),
        .library(name: "AquiferCrypto", targets: ["AquiferCrypto"]),
        .library(name: "AquiferTesting", targets: ["AquiferTesting"]),
        .library(name: "AquiferWording", targets: ["AquiferWording"]),
        .library(name: "ImageFeed", targets: ["ImageFeed"]),
        .library(name: "Payments", targets: ["Payments"]),
        .library(name: "Foaas", targets: ["Foaas"]),
        .library(name: "AudioFeed", targets: ["AudioFeed"]),
        .library(name: "ShadowDrive", targets: ["ShadowDrive"]),
        .executable(name: "aquifer", targets: ["AquiferCLI"]),
    ],
    dependencies: dependencies,
    targets: [
        // C libraries of the system
        system("CSQLite", pkgConfig: "sqlite3", apt: "libsqlite3-dev"),
        system("CCurl", pkgConfig: "libcurl", apt: "libcurl4-openssl-dev", lazy: true),
        system("CZlib", pkgConfig: "zlib", apt: "zlib1g-dev", lazy: true),
        sodium,
        microhttpd,

        // The engine and the modules around it
        library("AquiferFoundation"),
        library("HTTPMessages", ["AquiferFoundation"]),
        library("Aquifer", ["AquiferFoundation", "HTTPMessages"], resources: privacy, exclude: onlyOnApple),
        library("AquiferSQLite", ["Aquifer", "AquiferFoundation", "CSQLite"]),
        // For macOS and Linux: other systems have no headers of curl's.
        library(
            "AquiferCurl", ["Aquifer", "AquiferFoundation", "CCurl", "CZlib"],
            linkerSettings: [
                .linkedLibrary("curl", .when(platforms: [.macOS])), .linkedLibrary("z", .when(platforms: [.macOS])),
            ]),
        library("AquiferURLSession", ["Aquifer"]),
        library("AquiferUserDefaults", ["Aquifer", "HTTPMessages"], resources: privacy, exclude: onlyOnApple),
        library("AquiferCrypto", ["AquiferFoundation", "CSodium"]),
        library("AquiferTesting", ["Aquifer"]),
        library(
            "AquiferWording", ["Aquifer", "AquiferFoundation"],
            resources: [.embedInCode("Languages/en.json"), .embedInCode("Languages/pt-BR.json")]),

        // Features
        library("ImageFeed", ["Aquifer", "AquiferFoundation"]),
        library("Payments", ["Aquifer", "AquiferCrypto", "AquiferFoundation", "AquiferWording"]),
        library("Foaas", ["Aquifer", "AquiferFoundation", "AquiferUserDefaults", "AquiferWording", "HTTPMessages"]),
        library("AudioFeed", ["Aquifer", "AquiferFoundation", "AquiferWording"]),
        library(
            "ShadowDrive", ["Aquifer", "AquiferCrypto", "AquiferFoundation", "AquiferWording", "HTTPMessages"]),

        // The product on one machine
        library("HTTPServer", ["CMicrohttpd", "HTTPMessages"]),
        library(
            "ReferenceAPIs", ["AquiferCrypto", "HTTPServer", "ShadowDrive"], resources: [.copy("Media")]),
        library(
            "App",
            [
                "Aquifer", "AquiferCrypto", "AquiferSQLite", "AquiferCurl", "AquiferUserDefaults", "AquiferWording",
                "AudioFeed", "Foaas", "ImageFeed", "Payments", "ShadowDrive", "HTTPServer", "ReferenceAPIs",
            ],
            resources: [.copy("Public")]),
        .executableTarget(
            name: "AquiferCLI",
            dependencies: [
                "App", "Aquifer", "AquiferWording", "AudioFeed", "Foaas", "HTTPServer", "ImageFeed", "Payments",
                "ReferenceAPIs", "ShadowDrive",
            ],
            swiftSettings: strict),

        // The examples of README and the documentation
        .executableTarget(
            name: "Quickstart", dependencies: ["Aquifer", "AquiferSQLite", "AquiferCurl", "AquiferWording"],
            path: "Examples/Quickstart", exclude: ["notes.json"], swiftSettings: strict),
        .testTarget(
            name: "ExamplesTests",
            dependencies: ["Aquifer", "AquiferCurl", "AquiferTesting", "AquiferWording", "ShadowDrive"],
            path: "Examples/Snippets", swiftSettings: strict),

        // Tests
        .target(name: "Hammer", path: "Tests/Hammer", swiftSettings: strict),
        .executableTarget(
            name: "StoreHammer", dependencies: ["Aquifer", "AquiferSQLite", "AquiferTesting", "Hammer"],
            path: "Tests/StoreHammer",
            swiftSettings: strict),
        .executableTarget(
            name: "OutboxHammer",
            dependencies: ["Aquifer", "AquiferSQLite", "AquiferCurl", "AquiferTesting", "Hammer"],
            path: "Tests/OutboxHammer", swiftSettings: strict),
        .executableTarget(
            name: "VaultHammer", dependencies: ["AquiferTesting", "Payments", "Hammer"], path: "Tests/VaultHammer",
            swiftSettings: strict),
        .executableTarget(
            name: "FeedLoad", dependencies: ["Aquifer", "AquiferCurl", "AquiferSQLite", "ImageFeed"],
            path: "Tests/FeedLoad", swiftSettings: strict),
        tests("HTTPMessages", []),
        tests("Aquifer", ["AquiferTesting", "AquiferUserDefaults", "AquiferWording"]),
        tests("AquiferTesting", []),
        tests("AquiferSQLite", ["AquiferTesting"]),
        tests("AquiferCurl", ["AquiferURLSession", "AquiferTesting"]),
        tests("AquiferCrypto", []),
        tests("AquiferWording", ["Aquifer"]),
        tests("HTTPServer", ["AquiferTesting"]),
        tests("ImageFeed", ["AquiferTesting", "AquiferWording"]),
        tests("Payments", ["AquiferTesting", "AquiferWording"]),
        tests(
            "ShadowDrive", ["AquiferCurl", "AquiferTesting", "AquiferWording", "HTTPServer"],
            resources: [.copy("shadow-drive-vectors.json")]),
        tests("Foaas", ["AquiferTesting", "AquiferUserDefaults", "AquiferWording"]),
        tests("AudioFeed", ["AquiferTesting", "AquiferWording"]),
        tests(
            "ReferenceAPIs",
            ["Aquifer", "AquiferCrypto", "AquiferCurl", "AquiferTesting", "HTTPServer", "ImageFeed", "ShadowDrive"]),
        tests("App", ["AquiferCurl", "AquiferTesting", "AquiferWording", "HTTPServer", "ReferenceAPIs"]),
        tests("AquiferCLI", ["App", "ReferenceAPIs"]),
    ])
