import Foundation
import Testing

@testable import Aquifer

@Suite("The calls on files")
struct POSIXTests {
    @Test("say that a file could not be written to, or not be protected")
    func failures() async throws {
        try await TemporaryFolder.with { folder in
            let path = folder.appending(path: "a").path
            #expect(throws: StoreError.self) { try POSIX.makePrivate(path) }
            try Data("old".utf8).write(to: URL(filePath: path))
            let file = try #require(try POSIX.openToRead(path))
            let bytes: [UInt8] = [1, 2, 3]
            #expect(throws: StoreError.self) { try bytes.withUnsafeBytes { try POSIX.write(file, $0) } }
            #expect(throws: StoreError.self) { try bytes.withUnsafeBytes { try POSIX.write(file, $0, at: 0) } }
            #expect(try Data(contentsOf: URL(filePath: path)) == Data("old".utf8))
        }
    }
}
