import Aquifer
import Foundation
import Testing

@Suite("A sealed entry")
struct SealedEntryTests {
    private let entry = StoredEntry(
        bytes: Data("hello".utf8), savedAt: Date(timeIntervalSinceReferenceDate: 700_000_000.125),
        validators: Validators(etag: "\"1\"", lastModified: "Sun, 06 Nov 1994 08:49:37 GMT"), kind: .data,
        origin: .init(
            sentAt: Date(timeIntervalSinceReferenceDate: 699_999_999),
            answeredAt: Date(timeIntervalSinceReferenceDate: 700_000_000)),
        asking: .init(
            askAt: Date(timeIntervalSinceReferenceDate: 700_000_060),
            staleUntil: Date(timeIntervalSinceReferenceDate: 700_000_120), isImmutable: true))

    @Test("is opened as it was sealed, under its key, wherever its bytes lie")
    func roundTrip() throws {
        let plain = StoredEntry(bytes: Data(), savedAt: .distantPast)
        for (key, entry) in [("key", entry), ("é", plain), (String(repeating: "long", count: 2000), entry)] {
            let data = try SealedEntry(entry, key: key).data
            #expect(try SealedEntry(data: data).entry(for: key) == entry)
            #expect(try SealedEntry(data: (Data([7]) + data).dropFirst()).entry(for: key) == entry)
            #expect(try SealedEntry(data: data).summary() == StoredEntry.Summary(entry, key: key))
        }
    }

    @Test("is not opened under another key, also if Swift takes the two for equal")
    func otherKey() throws {
        let sealed = try SealedEntry(entry, key: "\u{E9}")
        for key in ["e\u{301}", "key"] {
            #expect(throws: StoreError.unreadable(key: key, reason: "it is another key's")) {
                try sealed.entry(for: key)
            }
        }
        #expect(throws: StoreError.invalidKey("")) { try sealed.entry(for: "") }
        #expect(throws: StoreError.invalidKey("")) { try SealedEntry(entry, key: "") }
    }

    @Test("is not opened once a bit of it is flipped, it is cut, or something follows it")
    func damage() throws {
        let data = try SealedEntry(entry, key: "key").data
        func isWhole(_ data: Data) -> Bool { (try? SealedEntry(data: data).entry(for: "key")) != nil }
        #expect(isWhole(data))
        for bit in 0..<(data.count * 8) {
            var damaged = data
            damaged[bit / 8] ^= 1 << (bit % 8)
            #expect(!isWhole(damaged), "bit \(bit)")
        }
        for length in 0..<data.count { #expect(!isWhole(data.prefix(length)), "\(length) bytes") }
        #expect(!isWhole(data + [0]))
    }

    @Test("without some of the dates is opened as it was sealed or not at all, whichever bit of it is flipped")
    func damageOfLess() throws {
        var less = entry
        let (sent, asked) = (StoredEntry.Origin(sentAt: .distantPast), StoredEntry.Asking(askAt: .distantPast))
        let last = StoredEntry.Asking(staleUntil: .distantPast)
        for (origin, asking) in [
            (entry.origin, .unsaid), (sent, .unsaid), (nil, .unsaid), (sent, asked), (nil, asked), (nil, last),
            (sent, .init(isImmutable: true)),
        ] {
            (less.origin, less.asking) = (origin, asking)
            let data = try SealedEntry(less, key: "key").data
            for bit in 0..<(data.count * 8) {
                var damaged = data
                damaged[bit / 8] ^= 1 << (bit % 8)
                let opened = try? SealedEntry(data: damaged).entry(for: "key")
                #expect(opened == nil || opened == less, "bit \(bit)")
            }
        }
    }

    @Test("has a summary of which each bit of the header is verified")
    func summary() throws {
        let data = try SealedEntry(entry, key: "key").data
        for place in 0..<(data.count - entry.bytes.count) where !(48..<56).contains(place) {
            var damaged = data
            damaged[place] ^= 1
            #expect(throws: SealedEntry.Damage.self, "byte \(place)") { try SealedEntry(data: damaged).summary() }
        }
        #expect(throws: SealedEntry.Damage.self) { try SealedEntry(data: Data("foreign".utf8)).summary() }
    }

    @Test("has one form, with or without dates")
    func forms() throws {
        var less = entry
        #expect(try SealedEntry(less, key: "key").data[4] == 4)
        less.asking = .unsaid
        #expect(try SealedEntry(less, key: "key").data[4] == 4)
        (less.origin, less.askAt) = (nil, .distantPast)
        let data = try SealedEntry(less, key: "key").data
        #expect(data[4] == 4 && data.count == 56 + 8 + 3 + 3 + 29 + 5)
    }

    @Test("of a form that is not known is damage, and no entry", arguments: [UInt8(0), 5, 255])
    func laterForm(_ form: UInt8) throws {
        var data = try SealedEntry(entry, key: "key").data
        data[4] = form
        #expect(throws: StoreError.unreadable(key: "key", reason: "unknown form")) {
            try SealedEntry(data: data).entry(for: "key")
        }
    }

    @Test("of a form before the first release is told as such, and is not damaged", arguments: [UInt8(1), 2, 3])
    func earlierForm(_ form: UInt8) throws {
        var data = try SealedEntry(entry, key: "key").data
        data[4] = form
        let error = StoreError.otherVersion(path: "what is saved as \"key\"", found: Int(form), supported: 4)
        #expect(throws: error) { try SealedEntry(data: data).entry(for: "key") }
    }

    @Test("is the form that the store in files has")
    func form() async throws {
        try await TemporaryFolder.with { folder in
            let store = try FileStore(directory: folder)
            try await store.insert(entry, for: "key")
            let files = try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
            let contents = try files.filter { $0.lastPathComponent.hasPrefix("key") }.map { try Data(contentsOf: $0) }
            #expect(contents == [try SealedEntry(entry, key: "key").data])
        }
    }
}
