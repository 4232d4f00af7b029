// swift-tools-version: 6.2
import PackageDescription

// The products are the libraries that an app adds. Each target that a product reaches has a name that begins with
// Aquifer, because SwiftPM refuses a graph in which two packages have targets of one name. The folder Product/ holds
// what runs on one machine: the server, the reference remotes, the pages and the command line. No product reaches it.

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
func system(
    _ name: String, in folder: String = "Sources", pkgConfig: String, apt: String, lazy: Bool = false
) -> Target {
    #if os(Linux)
        let pkgConfig = lazy ? nil : pkgConfig
    #else
        let pkgConfig: String? = nil
    #endif
    return .systemLibrary(
        name: name, path: "\(folder)/\(name)", pkgConfig: pkgConfig, providers: [.apt([apt])])
}

// libsodium, libmicrohttpd, and what Apple's stores ask of a library. Linux has both libraries, and fetches no package. Apple's systems have neither: there libsodium comes
// as an xcframework, which the drive and the payments need on all of them, and libmicrohttpd from Homebrew, for the
// server on a Mac. The linter, which runs on Linux, never sees the first branch: Scripts/check-apple does.
#if os(macOS)
    let dependencies: [Package.Dependency] = [
        .package(url: "https://github.com/jedisct1/swift-sodium.git", .upToNextMinor(from: "0.11.0"))
    ]
    let sodium = Target.target(
        name: "AquiferCSodium", dependencies: [.product(name: "Clibsodium", package: "swift-sodium")],
        path: "Sources/AquiferCSodiumApple", swiftSettings: strict)
    let redis = Target.systemLibrary(
        name: "AquiferCRedis", path: "Sources/AquiferCRedis", pkgConfig: "hiredis", providers: [.brew(["hiredis"])])
    // From Homebrew, for servers and tools on a Mac.
    let postgres = Target.systemLibrary(
        name: "AquiferCPostgres", path: "Sources/AquiferCPostgres", pkgConfig: "libpq", providers: [.brew(["libpq"])])
    let microhttpd = Target.systemLibrary(
        name: "CMicrohttpd", path: "Product/Sources/CMicrohttpd", pkgConfig: "libmicrohttpd",
        providers: [.brew(["libmicrohttpd"])])
    let privacy: [Resource] = [.process("PrivacyInfo.xcprivacy")]
    let onlyOnApple: [String] = []
#else
    let dependencies: [Package.Dependency] = []
    // Debian's description of hiredis has a flag that SwiftPM warns of, and no place to look for.
    let redis = Target.systemLibrary(
        name: "AquiferCRedis", path: "Sources/AquiferCRedis", providers: [.apt(["libhiredis-dev"])])
    let postgres = system("AquiferCPostgres", pkgConfig: "libpq", apt: "libpq-dev", lazy: true)
    let sodium = system("AquiferCSodium", pkgConfig: "libsodium", apt: "libsodium-dev")
    let microhttpd = system(
        "CMicrohttpd", in: "Product/Sources", pkgConfig: "libmicrohttpd", apt: "libmicrohttpd-dev", lazy: true)
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

/// A part of what runs on one machine.
func part(_ name: String, _ dependencies: [Target.Dependency], resources: [Resource]? = nil) -> Target {
    .target(
        name: name, dependencies: dependencies, path: "Product/Sources/\(name)", resources: resources,
        swiftSettings: strict)
}

func tests(
    _ target: String, in folder: String = "Tests", _ dependencies: [Target.Dependency], resources: [Resource]? = nil
) -> Target {
    .testTarget(
        name: "\(target)Tests", dependencies: [.init(stringLiteral: target)] + dependencies,
        path: "\(folder)/\(target)Tests", resources: resources, swiftSettings: strict)
}

/// The command line depends on these.
let commandLine: [Target.Dependency] = [
    "App", "Aquifer", "AquiferConcurrency", "AquiferWording", "AquiferAudioFeed", "AquiferFoaas", "HTTPServer",
    "AquiferImageFeed", "AquiferPayments", "ReferenceAPIs", "AquiferShadowDrive",
]

/// The modules with decoders of foreign bytes.
let decoders = [
    "Aquifer", "AquiferAudioFeed", "AquiferCLI", "AquiferCrypto", "AquiferCurl", "AquiferFoaas", "AquiferHTTP",
    "AquiferImageFeed", "AquiferPayments", "AquiferShadowDrive", "AquiferSolana", "HTTPServer", "ReferenceAPIs",
]

/// The targets of fuzzing depend on these.
let fuzzed: [Target.Dependency] = decoders.map { .init(stringLiteral: $0) } + ["AquiferConcurrency", "AquiferWording"]

let package = Package(
    name: "Aquifer",
    defaultLocalization: "en",
    platforms: [.macOS(.v15), .iOS(.v18), .tvOS(.v18), .watchOS(.v11), .visionOS(.v2)],
    products: [
        .library(name: "Aquifer", targets: ["Aquifer"]),
        .library(name: "AquiferSQLite", targets: ["AquiferSQLite"]),
        .library(name: "AquiferPostgres", targets: ["AquiferPostgres"]),
        .library(name: "AquiferRedis", targets: ["AquiferRedis"]),
        .library(name: "AquiferCurl", targets: ["AquiferCurl"]),
        .library(name: "AquiferURLSession", targets: ["AquiferURLSession"]),
        .library(name: "AquiferUserDefaults", targets: ["AquiferUserDefaults"]),
        .library(name: "AquiferCrypto", targets: ["AquiferCrypto"]),
        .library(name: "AquiferTesting", targets: ["AquiferTesting"]),
        .library(name: "AquiferWording", targets: ["AquiferWording"]),
        .library(name: "AquiferSolana", targets: ["AquiferSolana"]),
        .library(name: "AquiferImageFeed", targets: ["AquiferImageFeed"]),
        .library(name: "AquiferPayments", targets: ["AquiferPayments"]),
        .library(name: "AquiferFoaas", targets: ["AquiferFoaas"]),
        .library(name: "AquiferAudioFeed", targets: ["AquiferAudioFeed"]),
        .library(name: "AquiferShadowDrive", targets: ["AquiferShadowDrive"]),
    ],
    dependencies: dependencies,
    targets: [
        // C libraries of the system
        system("AquiferCSQLite", pkgConfig: "sqlite3", apt: "libsqlite3-dev"),
        postgres,
        redis,
        system("AquiferCCurl", pkgConfig: "libcurl", apt: "libcurl4-openssl-dev", lazy: true),
        system("AquiferCZlib", pkgConfig: "zlib", apt: "zlib1g-dev", lazy: true),
        sodium,
        microhttpd,
        // A header of our own over the system's threads.
        .systemLibrary(name: "AquiferCThreads", path: "Sources/AquiferCThreads"),

        // The engine and the modules around it
        library("AquiferFoundation"),
        library("AquiferConcurrency", ["AquiferCThreads"]),
        library("AquiferHTTP", ["AquiferFoundation"]),
        library(
            "Aquifer", ["AquiferConcurrency", "AquiferFoundation", "AquiferHTTP"], resources: privacy,
            exclude: onlyOnApple),
        library("AquiferSQLite", ["Aquifer", "AquiferConcurrency", "AquiferFoundation", "AquiferCSQLite"]),
        library("AquiferPostgres", ["Aquifer", "AquiferConcurrency", "AquiferFoundation", "AquiferCPostgres"]),
        library("AquiferRedis", ["Aquifer", "AquiferConcurrency", "AquiferFoundation", "AquiferCRedis"]),
        // For macOS and Linux: other systems have no headers of curl's.
        library(
            "AquiferCurl", ["Aquifer", "AquiferConcurrency", "AquiferFoundation", "AquiferCCurl", "AquiferCZlib"],
            linkerSettings: [
                .linkedLibrary("curl", .when(platforms: [.macOS])), .linkedLibrary("z", .when(platforms: [.macOS])),
            ]),
        library("AquiferURLSession", ["Aquifer", "AquiferConcurrency"]),
        library(
            "AquiferUserDefaults", ["Aquifer", "AquiferConcurrency", "AquiferHTTP"], resources: privacy,
            exclude: onlyOnApple),
        library("AquiferCrypto", ["AquiferFoundation", "AquiferCSodium"]),
        library("AquiferTesting", ["Aquifer", "AquiferConcurrency"]),
        library("AquiferWording", ["Aquifer", "AquiferConcurrency", "AquiferFoundation"]),

        // Solana's keys and transactions, and the program of the drive: shared by the client and the reference remote
        library("AquiferSolana", ["Aquifer", "AquiferCrypto", "AquiferFoundation", "AquiferHTTP"]),

        // Features
        library("AquiferImageFeed", ["Aquifer", "AquiferFoundation"]),
        library(
            "AquiferPayments",
            ["Aquifer", "AquiferConcurrency", "AquiferCrypto", "AquiferFoundation", "AquiferWording"]),
        library(
            "AquiferFoaas",
            [
                "Aquifer", "AquiferConcurrency", "AquiferFoundation", "AquiferUserDefaults", "AquiferWording",
                "AquiferHTTP",
            ]),
        library("AquiferAudioFeed", ["Aquifer", "AquiferFoundation", "AquiferWording"]),
        library(
            "AquiferShadowDrive",
            [
                "Aquifer", "AquiferConcurrency", "AquiferCrypto", "AquiferFoundation", "AquiferHTTP", "AquiferSolana",
                "AquiferWording",
            ]),

        // The targets that run on one machine
        part("HTTPServer", ["CMicrohttpd", "AquiferConcurrency", "AquiferHTTP"]),
        part(
            "ReferenceAPIs", ["AquiferConcurrency", "AquiferCrypto", "AquiferSolana", "HTTPServer"],
            resources: [.copy("Media")]),
        part(
            "App",
            [
                "Aquifer", "AquiferConcurrency", "AquiferCrypto", "AquiferSQLite", "AquiferPostgres", "AquiferRedis",
                "AquiferCurl", "AquiferCZlib",
                "AquiferUserDefaults", "AquiferWording",
                "AquiferAudioFeed", "AquiferFoaas", "AquiferImageFeed", "AquiferPayments", "AquiferShadowDrive",
                "HTTPServer", "ReferenceAPIs",
            ],
            resources: [.copy("Public")]),
        .executableTarget(
            name: "AquiferCLI", dependencies: commandLine, path: "Product/Sources/AquiferCLI", swiftSettings: strict),

        // The examples of README and the documentation
        .executableTarget(
            name: "Quickstart", dependencies: ["Aquifer", "AquiferSQLite", "AquiferCurl", "AquiferWording"],
            path: "Examples/Quickstart", exclude: ["notes.json"], swiftSettings: strict),
        .executableTarget(
            name: "News", dependencies: ["Aquifer", "AquiferSQLite", "AquiferCurl", "AquiferWording"],
            path: "Examples/News", swiftSettings: strict),
        .executableTarget(
            name: "TwoScreens", dependencies: ["Aquifer", "AquiferSQLite", "AquiferCurl", "AquiferWording"],
            path: "Examples/TwoScreens", swiftSettings: strict),
        .executableTarget(
            name: "UserServer", dependencies: ["Aquifer", "AquiferSQLite", "AquiferCurl"],
            path: "Examples/UserServer", swiftSettings: strict),
        .executableTarget(
            name: "Notes", dependencies: ["Aquifer", "AquiferSQLite", "AquiferCurl"], path: "Examples/Notes",
            swiftSettings: strict),
        .executableTarget(
            name: "NotesServer", dependencies: ["AquiferTesting"], path: "Examples/NotesServer", swiftSettings: strict),
        .executableTarget(
            name: "NotesSimulation", dependencies: ["Aquifer", "AquiferTesting"], path: "Examples/Simulation",
            swiftSettings: strict),
        .testTarget(
            name: "ExamplesTests",
            dependencies: [
                "Aquifer", "AquiferConcurrency", "AquiferCurl", "AquiferPostgres", "AquiferRedis", "AquiferShadowDrive",
                "AquiferSQLite", "AquiferTesting", "AquiferWording", "Notes", "NotesServer", "ServerPrograms",
            ],
            path: "Examples/Snippets", swiftSettings: strict),

        // Tests
        .target(name: "Hammer", path: "Tests/Hammer", swiftSettings: strict),
        .target(name: "ServerPrograms", path: "Tests/ServerPrograms", swiftSettings: strict),
        .target(name: "EveryBit", dependencies: ["Aquifer"], path: "Tests/EveryBit", swiftSettings: strict),
        .executableTarget(
            name: "StoreHammer",
            dependencies: ["Aquifer", "AquiferConcurrency", "AquiferSQLite", "AquiferTesting", "Hammer"],
            path: "Tests/StoreHammer",
            swiftSettings: strict),
        .executableTarget(
            name: "OutboxHammer",
            dependencies: [
                "Aquifer", "AquiferConcurrency", "AquiferSQLite", "AquiferCurl", "AquiferTesting", "Hammer",
            ],
            path: "Tests/OutboxHammer", swiftSettings: strict),
        .executableTarget(
            name: "VaultHammer", dependencies: ["AquiferConcurrency", "AquiferTesting", "AquiferPayments", "Hammer"],
            path: "Tests/VaultHammer",
            swiftSettings: strict),
        .target(name: "CHeap", path: "Tests/CHeap"),
        .target(name: "CSQLiteFaults", dependencies: ["AquiferCSQLite"], path: "Tests/CSQLiteFaults"),
        .executableTarget(
            name: "SQLiteFaults", dependencies: ["Aquifer", "AquiferSQLite", "CSQLiteFaults", "Hammer"],
            path: "Tests/SQLiteFaults", swiftSettings: strict),
        .executableTarget(
            name: "Worlds",
            dependencies: [
                "Aquifer", "AquiferAudioFeed", "AquiferCSQLite", "AquiferPayments", "AquiferSQLite",
                "AquiferShadowDrive", "AquiferSolana", "AquiferTesting",
            ], path: "Tests/Worlds", swiftSettings: strict),
        .executableTarget(
            name: "FeedLoad", dependencies: ["Aquifer", "AquiferCurl", "AquiferSQLite", "AquiferImageFeed"],
            path: "Tests/FeedLoad", swiftSettings: strict),
        tests("AquiferHTTP", []),
        tests("AquiferConcurrency", ["AquiferTesting"]),
        tests(
            "Aquifer", ["AquiferConcurrency", "AquiferTesting", "AquiferUserDefaults", "AquiferWording", "EveryBit"]),
        tests("AquiferTesting", ["AquiferConcurrency"]),
        tests(
            "AquiferPostgres",
            ["Aquifer", "AquiferCPostgres", "AquiferConcurrency", "AquiferTesting", "ServerPrograms"]),
        tests(
            "AquiferRedis", ["Aquifer", "AquiferCRedis", "AquiferConcurrency", "AquiferTesting", "ServerPrograms"]),
        tests("AquiferSQLite", ["AquiferConcurrency", "AquiferTesting", "EveryBit"]),
        tests("AquiferCurl", ["AquiferConcurrency", "AquiferURLSession", "AquiferTesting"]),
        tests("AquiferCrypto", []),
        tests("AquiferWording", ["Aquifer"]),
        tests("HTTPServer", in: "Product/Tests", ["AquiferConcurrency", "AquiferTesting"]),
        tests("AquiferImageFeed", ["AquiferTesting", "AquiferWording"]),
        tests("AquiferPayments", ["AquiferConcurrency", "AquiferTesting", "AquiferWording", "EveryBit"]),
        tests(
            "AquiferShadowDrive", in: "Product/Tests",
            [
                "AquiferConcurrency", "AquiferCurl", "AquiferSolana", "AquiferTesting", "AquiferWording", "EveryBit",
                "HTTPServer",
            ],
            resources: [.copy("shadow-drive-vectors.json")]),
        tests("AquiferFoaas", ["AquiferConcurrency", "AquiferTesting", "AquiferUserDefaults", "AquiferWording"]),
        tests("AquiferAudioFeed", ["AquiferConcurrency", "AquiferTesting", "AquiferWording"]),
        tests(
            "ReferenceAPIs", in: "Product/Tests",
            [
                "Aquifer", "AquiferConcurrency", "AquiferCrypto", "AquiferCurl", "AquiferTesting", "EveryBit",
                "HTTPServer", "AquiferImageFeed", "AquiferShadowDrive",
            ]),
        tests(
            "App", in: "Product/Tests",
            ["AquiferCurl", "AquiferTesting", "AquiferWording", "CHeap", "EveryBit", "HTTPServer", "ReferenceAPIs"]),
        tests("AquiferCLI", in: "Product/Tests", ["App", "AquiferPayments", "AquiferShadowDrive", "ReferenceAPIs"]),
        // The sources of fuzzing, over its kept inputs.
        .testTarget(
            name: "FuzzTests", dependencies: fuzzed, path: "Tests/Fuzz", exclude: ["Corpora", "Entry", "tokens.dict"],
            sources: ["Targets", "Kept"], swiftSettings: strict),
    ])

// Fuzzing builds the sources of FuzzTests as a static library, which libFuzzer's `main` is linked to (see Scripts/fuzz).
// A library cannot reach a program, so the command line is a library there, without its `main`. Only the modules with
// decoders count what they cover: libFuzzer reads all counters after each input.
if Context.environment["AQUIFER_FUZZ"] == "1" {
    package.products = [.library(name: "FuzzTargets", type: .static, targets: ["FuzzTargets"])]
    package.targets.removeAll { $0.name == "AquiferCLI" || $0.type == .test }
    package.targets += [
        .target(
            name: "AquiferCLI", dependencies: commandLine, path: "Product/Sources/AquiferCLI", exclude: ["Main.swift"]),
        .target(
            name: "FuzzTargets", dependencies: fuzzed, path: "Tests/Fuzz", exclude: ["Corpora", "Kept", "tokens.dict"],
            sources: ["Targets", "Entry"]),
    ]
    for target in package.targets where (decoders + ["FuzzTargets"]).contains(target.name) {
        target.swiftSettings = strict + [.unsafeFlags(["-enable-testing", "-sanitize=fuzzer,address"])]
    }
}

// Scripts/test builds and runs each half of the tests once: those of the engine, and of what lies under every program, under
// the thread sanitizer; the others without. What a half does not need is left out. Instead of a half, names of test targets
// build these alone: AQUIFER_TESTS=AquiferOutboxTests,AppTests.
if let half = Context.environment["AQUIFER_TESTS"] {
    let engine: Set = [
        "AquiferHTTPTests", "AquiferConcurrencyTests", "AquiferTests", "AquiferSQLiteTests", "AquiferCurlTests",
        "HTTPServerTests", "StoreHammer", "OutboxHammer", "SQLiteFaults",
    ]
    var needed = package.targets.map(\.name).filter { engine.contains($0) == (half == "engine") }
    if !["engine", "others"].contains(half) {
        needed = half.split(separator: ",").map(String.init)
    }
    var kept: Set<String> = []
    while let name = needed.popLast() {
        guard kept.insert(name).inserted else { continue }
        for case .byNameItem(let name, _) in package.targets.first(where: { $0.name == name })?.dependencies ?? [] {
            needed.append(name)
        }
    }
    package.targets.removeAll { !kept.contains($0.name) }
    package.products.removeAll { !kept.contains($0.name) }
}
