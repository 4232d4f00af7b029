import Foundation

/// A folder for one test, removed after it.
enum TemporaryFolder {
    static func with<Value>(_ use: (URL) async throws -> Value) async throws -> Value {
        let folder = FileManager.default.temporaryDirectory.fresh()
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }  // what a test leaves behind is not what it tests
        return try await use(folder)
    }
}

extension URL {
    /// A place in this folder that is not there yet.
    func fresh() -> URL { appendingPathComponent("aquifer-\(UUID().uuidString)") }
}
