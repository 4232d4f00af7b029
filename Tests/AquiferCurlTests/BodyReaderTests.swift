import Aquifer
import Foundation
import Testing

@testable import AquiferCurl

@Suite struct BodyReaderTests {
    @Test("A body is read again from anywhere", arguments: 0...12)
    func seek(_ start: Int) throws {
        let file = FileManager.default.temporaryDirectory.appending(path: "aquifer-\(UUID().uuidString)")
        try Data("0123456789".utf8).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        let reader = BodyReader(
            HTTPBody(parts: [
                .bytes(Data("abcd".utf8).dropFirst()), .file(file, offset: 2, length: 5), .bytes(Data()),
                .bytes(Data("wxyz".utf8)),
            ]))
        #expect(try all(reader) == Data("bcd23456wxyz".utf8))
        reader.seek(to: UInt64(start))
        #expect(try all(reader) == Data("bcd23456wxyz".utf8).dropFirst(start))
    }

    private func all(_ reader: BodyReader) throws -> Data {
        var data = Data()
        var buffer = [UInt8](repeating: 0, count: 2)
        while true {
            let count = try buffer.withUnsafeMutableBytes { try reader.read(into: $0) }
            if count == 0 { return data }
            data += buffer[..<count]
        }
    }
}
