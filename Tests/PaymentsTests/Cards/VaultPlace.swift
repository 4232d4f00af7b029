import Foundation
import Payments

/// A place for a vault, removed after the test.
struct VaultPlace {
    let root: URL
    var folder: URL { root.appendingPathComponent("vault") }
    var keys: URL { root.appendingPathComponent("keys") }
    var file: URL { folder.appendingPathComponent("cards.vault") }

    static func with<Value>(_ use: (VaultPlace) async throws -> Value) async throws -> Value {
        let root = FileManager.default.temporaryDirectory.appendingPathComponent("aquifer-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: root, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: root) }  // what a test leaves behind is not what it tests
        return try await use(VaultPlace(root: root))
    }

    func open() -> CardVault { CardVault(directory: folder, keys: keys) }

    /// The one key file.
    func keyFile() throws -> URL {
        let names = try names(keys).filter { $0.hasSuffix(".key") }
        guard names.count == 1 else { throw CocoaError(.fileNoSuchFile) }
        return keys.appendingPathComponent(names[0])
    }

    func names(_ folder: URL) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
    }

    func mode(_ url: URL) throws -> Int? {
        try FileManager.default.attributesOfItem(atPath: url.path)[.posixPermissions] as? Int
    }

    func setMode(_ mode: Int, _ url: URL) throws {
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: url.path)
    }

    /// Every byte of every file.
    func everything() throws -> Data {
        var all = Data()
        for path in try FileManager.default.subpathsOfDirectory(atPath: root.path) {
            // Folders have no content to read.
            all.append((try? Data(contentsOf: root.appendingPathComponent(path))) ?? Data())
        }
        return all
    }

    /// Puts bytes into a file that is there already, keeping its mode.
    func overwrite(_ url: URL, _ bytes: Data) throws {
        try bytes.write(to: url)
        try setMode(0o600, url)
    }
}

enum Cards {
    static func visa() throws -> Card {
        Card(number: try CardNumber(Numbers.visa), holder: "Ana Souza", expiry: Expiry(month: 1, year: 2030))
    }

    static func mastercard() throws -> Card {
        Card(number: try CardNumber("5555555555554444"), holder: "José D’Ávila", expiry: Expiry(month: 12, year: 2031))
    }

    static func test() throws -> Card {
        Card(
            number: try CardNumber(Numbers.testCard, allowsTestCard: true), holder: "Teste",
            expiry: Expiry(month: 1, year: 2018))
    }
}
