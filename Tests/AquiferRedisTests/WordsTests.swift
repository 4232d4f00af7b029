import Aquifer
import AquiferCRedis
import AquiferTesting
import Foundation
import Testing

@testable import AquiferRedis

@Suite("The commands and the replies of Redis")
struct WordsTests {
    @Test("A command has the bytes that hiredis would send")
    func command() {
        let words: [Command.Word] = [
            .text("SET"), .name("a:", key: "🦊"), .data(Data(repeating: 7, count: 1_234)),
            .parts(Data("head".utf8), Data([0, 13, 10])), .text(""), .data(Data()),
        ]
        let parts = [
            Data("SET".utf8), Data("a:🦊".utf8), Data(repeating: 7, count: 1_234), Data("head".utf8) + [0, 13, 10],
            Data(), Data(),
        ]
        #expect(Command(words).bytes == Self.hiredis(parts))
        #expect(Command(parts).bytes == Self.hiredis(parts))
    }

    @Test("Replies are read as the server means them, however they arrive in pieces", arguments: [1, 2, 7, 1_000])
    func replies(size: Int) throws {
        let text =
            ":-7\r\n$-1\r\n+OK\r\n-ERR no\r\n$2\r\nhi\r\n*0\r\n*3\r\n*2\r\n:1\r\n*1\r\n$0\r\n\r\n$1\r\nx\r\n*-1\r\n"
        let expected: [Reply] = [
            .integer(-7), .nothing, .status("OK"), .error("ERR no"), .bytes(Data("hi".utf8)), .list([]),
            .list([.list([.integer(1), .list([.bytes(Data())])]), .bytes(Data("x".utf8)), .nothing]),
        ]
        let reader = try #require(redisReaderCreate())
        defer { redisReaderFree(reader) }
        ReplyMaking.begin(reader)
        let bytes = Array(text.utf8)
        var found: [Reply] = []
        for start in stride(from: 0, to: bytes.count, by: size) {
            let piece = bytes[start..<min(start + size, bytes.count)]
            piece.withUnsafeBytes {
                #expect(redisReaderFeed(reader, $0.bindMemory(to: CChar.self).baseAddress, $0.count) == REDIS_OK)
            }
            while let reply = try ReplyMaking.next(reader) { found.append(reply) }
        }
        #expect(found == expected)
    }

    @Test("What is no reply is told, and what was read before it is given back")
    func strange() throws {
        let reader = try #require(redisReaderCreate())
        defer { redisReaderFree(reader) }
        ReplyMaking.begin(reader)
        #expect(redisReaderFeed(reader, "*2\r\n$2\r\nhi\r\n?", 14) == REDIS_OK)
        #expect(throws: ReplyMaking.Strange.self) { _ = try ReplyMaking.next(reader) }
    }

    @Test("An entry's bytes are apart from what is before them, and whole values are the same in one piece")
    func value() throws {
        let value = try Value.make(entry("text"), "key", generation: Value.token(), mark: Value.token())
        let length = try #require(value.withUnsafeBytes(Value.lengthBeforeBytes))
        #expect(value[length...] == Data("text".utf8))
        #expect(value.dropLast().withUnsafeBytes(Value.lengthBeforeBytes) == nil)
        let generation = value.prefix(Value.generationLength)
        let apart = Reply.value(head: value.prefix(length), bytes: Data(value.dropFirst(length)))
        for reply in [apart, .bytes(value)] {
            #expect(try Value.read(reply, "key", generation: Data(generation))?.entry.get() == entry("text"))
            #expect(Value.read(reply, "key", generation: nil) == nil)
            #expect(throws: StoreError.self) {
                try Value.read(reply, "other", generation: Data(generation))?.entry.get()
            }
        }
        #expect(apart.data == value)
    }

    @Test("The head of a value has a known form, and each of its bits counts")
    func golden() throws {
        let names = Data(0..<32)
        let (generation, mark) = (names.prefix(16), Data(names.suffix(16)))
        // Calculated by a program of its own.
        let head = names + Data([0x27, 0xd0, 0xfd, 0x8e, 0x4b, 0x2b, 0x97, 0x0f])
        let value = try head + EntryCoding.head(of: entry("text"), key: "key") + Data("text".utf8)
        #expect(try Value.make(entry("text"), "key", generation: generation, mark: mark) == value)

        let reader = try #require(redisReaderCreate())
        defer { redisReaderFree(reader) }
        ReplyMaking.begin(reader)
        let answer = Data("$\(value.count)\r\n".utf8) + value + Data("\r\n".utf8)
        answer.withUnsafeBytes {
            #expect(redisReaderFeed(reader, $0.bindMemory(to: CChar.self).baseAddress, $0.count) == REDIS_OK)
        }
        let reply = try #require(try ReplyMaking.next(reader))
        #expect(reply == .value(head: value.dropLast(4), bytes: Data("text".utf8)))
        #expect(try Value.read(reply, "key", generation: generation)?.entry.get() == entry("text"))
        for bit in 0..<Value.headLength * 8 {
            var damaged = value
            damaged[bit / 8] ^= 1 << UInt8(bit % 8)
            for reply in [.bytes(damaged), .value(head: damaged.dropLast(4), bytes: Data("text".utf8))] as [Reply] {
                #expect(throws: StoreError.self, "bit \(bit)") {
                    try Value.read(reply, "key", generation: generation)?.entry.get()
                }
            }
        }
        // Nothing replaces what was written before the first release.
        for form in 1...3 {
            var earlier = value
            earlier[Value.headLength + 4] = UInt8(form)
            let error = StoreError.otherVersion(path: "what is saved as \"key\"", found: form, supported: 4)
            for reply in [.bytes(earlier), .value(head: earlier.dropLast(4), bytes: Data("text".utf8))] as [Reply] {
                #expect(throws: error) { try Value.read(reply, "key", generation: generation)?.entry.get() }
            }
        }
    }

    @Test("A call that comes alone is carried out by its caller", .timeLimit(.minutes(1)))
    func alone() async throws {
        let store = try PlacedStore()
        try await store.insert(entry("a"), for: "a")
        #expect(
            await eventually {
                let found = try? await store.retrieve("a")  // nil is not what is expected
                return found == entry("a") && store.redis.owner.loop.carriedOut > 0
            })
    }

    private static func hiredis(_ words: [Data]) -> [UInt8] {
        let places = words.map { word in
            let place = UnsafeMutablePointer<CChar>.allocate(capacity: max(word.count, 1))
            word.withUnsafeBytes {
                $0.withMemoryRebound(to: CChar.self) {
                    place.update(from: $0.baseAddress ?? UnsafePointer(place), count: $0.count)
                }
            }
            return place
        }
        defer { for place in places { place.deallocate() } }
        var pointers = places.map { UnsafePointer<CChar>?($0) }
        var text: UnsafeMutablePointer<CChar>?
        let length = redisFormatCommandArgv(&text, Int32(words.count), &pointers, words.map(\.count))
        defer { redisFreeCommand(text) }
        return UnsafeRawBufferPointer(start: text, count: Int(length)).map { $0 }
    }
}
