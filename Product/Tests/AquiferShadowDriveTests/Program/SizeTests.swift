import Foundation
import Testing

@testable import AquiferShadowDrive

@Suite("Sizes and limits")
struct SizeTests {
    @Test(
        "say what is wrong with a size",
        arguments: [
            ("0KB", StorageSizeError.zero), ("0.0GB", .zero), ("1TB", .notASize), (".5MB", .notASize),
            ("5.MB", .notASize),
            ("1.2.3MB", .notASize), (" 1MB", .notASize), ("1MB ", .notASize), ("+1MB", .notASize), ("１MB", .notASize),
            ("999999999999999999GB", .notASize), ("9999999999999999999KB", .notASize), ("KB", .notASize),
            ("B", .notASize),
        ])
    func wrong(text: String, error: StorageSizeError) {
        #expect(throws: error) { try StorageSize.parse(text) }
    }

    @Test("are exact, however many digits follow the point")
    func exact() throws {
        #expect(try StorageSize.parse("0.000000001GB") == 2)
        #expect(try StorageSize.parse("1.0000000000GB") == 1 << 30)
        #expect(try StorageSize.parse("0.1KB") == 103)
    }

    @Test("an account has between 1 KB and 1024 GB")
    func range() throws {
        #expect(try StorageSize.parseAccount("1kb") == 1024)
        #expect(try StorageSize.parseAccount("1024 GB") == 1 << 40)
        #expect(throws: StorageSizeError.outOfRange) { try StorageSize.parseAccount("0.99KB") }
        #expect(throws: StorageSizeError.outOfRange) { try StorageSize.parseAccount("1024.1GB") }
    }

    @Test(
        "are written as people read them",
        arguments: [
            (0, "0 B"), (1023, "1023 B"), (1024, "1 KB"), (1536, "1.5 KB"), (1_048_575, "1 MB"), (10_485_760, "10 MB"),
            (1 << 30, "1 GB"), (1 << 40, "1 TB"), (5 << 40, "5 TB"), (1_572_864, "1.5 MB"),
        ] as [(UInt64, String)])
    func written(bytes: UInt64, text: String) {
        #expect(StorageSize.text(bytes) == text)
    }

    @Test("names have 1 to 64 bytes, whatever their letters")
    func names() throws {
        try LimitError.check(name: String(repeating: "n", count: 64))
        try LimitError.check(name: String(repeating: "☃", count: 21))
        #expect(throws: LimitError.noName) { try LimitError.check(name: "") }
        #expect(throws: LimitError.nameTooLong(bytes: 66)) {
            try LimitError.check(name: String(repeating: "☃", count: 22))
        }
    }
}
