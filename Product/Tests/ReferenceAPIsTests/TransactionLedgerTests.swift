import Foundation
import Testing

@testable import ReferenceAPIs

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

@Suite("The reference payments' ledger on disk", .timeLimit(.minutes(10)))
struct TransactionLedgerTests {
    private func with<Value>(_ use: (URL) async throws -> Value) async throws -> Value {
        let folder = FileManager.default.temporaryDirectory.appending(path: "aquifer-ledger-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }  // what a test leaves behind is not what it tests
        return try await use(folder)
    }

    private func file(_ folder: URL) -> URL { folder.appending(path: "transactions.jsonl") }

    private func order(_ card: String = "4242424242424242", _ value: String = "79.90", to receiver: Int = 1002) throws
        -> PaymentOrder
    {
        try PaymentOrder(
            json: Data(
                """
                {"card_number":"\(card)","cvv":937,"value":\(value),"expiry_date":"01/29","destination_user_id":\(receiver)}
                """.utf8))
    }

    @Test("finds a transaction by its key after a restart, decides nothing twice, and numbers go on")
    func restart() async throws {
        try await with { folder in
            let first = try await TransactionLedger(folder: folder).transaction(for: order(), key: "a", at: .now)
            let again = TransactionLedger(folder: folder)
            #expect(try await again.transaction(key: "a")?.id == first.id)
            #expect(try await again.transaction(for: order(), key: "a", at: .now).id == first.id)
            let second = try await again.transaction(for: order(), key: "b", at: .now)
            let third = try await again.transaction(for: order(), key: nil, at: .now)
            #expect(second.id == first.id + 1 && third.id == first.id + 2)
            #expect(try await TransactionLedger(folder: folder).transaction(key: "c")?.id == nil)
        }
    }

    @Test("of a version before the first release, without checksums, is told as such and left as it is")
    func earlierVersion() async throws {
        try await with { folder in
            _ = try await TransactionLedger(folder: folder).transaction(for: order(), key: "a", at: .now)
            let line = try String(contentsOf: file(folder), encoding: .utf8).prefix { $0 != "\t" } + "\n"
            try Data(line.utf8).write(to: file(folder))
            do {
                _ = try await TransactionLedger(folder: folder).transaction(for: order(), key: "b", at: .now)
                Issue.record("it was used")
            } catch TransactionLedger.Failure.unusable(let words) {
                #expect(words == SealedJSON.OtherVersion(path: file(folder).path).description)
            }
            #expect(try Data(contentsOf: file(folder)) == Data(line.utf8))
        }
    }

    @Test(
        "JSON that another version wrote, without a checksum or with other contents, is told as such and left as it is")
    func otherJSON() async throws {
        try await with { folder in
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            let file = folder.appending(path: "owner.json")
            for bytes in [Data(#"{"accounts":1}"#.utf8), Data("7".utf8), try SealedJSON.encode(["accounts": 1])] {
                try bytes.write(to: file)
                #expect(throws: SealedJSON.OtherVersion.self) { try SealedJSON.read([String].self, from: file) }
                #expect(try Data(contentsOf: file) == bytes)
            }
            try Data("{\"accounts\":".utf8).write(to: file)
            #expect(throws: SealedJSON.Damaged.self) { try SealedJSON.read([String].self, from: file) }
        }
    }

    @Test("keeps neither the card's number nor its code")
    func secrets() async throws {
        try await with { folder in
            _ = try await TransactionLedger(folder: folder).transaction(
                for: order(), key: "a", at: Date(timeIntervalSince1970: 0))
            let text = try String(contentsOf: file(folder), encoding: .utf8)
            #expect(text.contains("4242") && !text.contains("42424"))
            // Behind the tab of a line is its checksum, which has digits of its own.
            #expect(!text.split(separator: "\n").contains { $0.prefix { $0 != "\t" }.contains("937") })
        }
    }

    @Test("tells an order from another by receiver, cents and last four, also after a restart")
    func conflict() async throws {
        try await with { folder in
            _ = try await TransactionLedger(folder: folder).transaction(for: order(), key: "a", at: .now)
            let ledger = TransactionLedger(folder: folder)
            for other in [try order("4111111111111111"), try order(to: 1003), try order("4242424242424242", "79.91")] {
                await #expect(throws: TransactionLedger.Failure.self) {
                    try await ledger.transaction(for: other, key: "a", at: .now)
                }
            }
        }
    }

    @Test("is one for many processes: each key is decided once, each number is given once")
    func shared() async throws {
        try await with { folder in
            let ledgers = [TransactionLedger(folder: folder), TransactionLedger(folder: folder)]
            let order = try order()
            let numbers = try await withThrowingTaskGroup(of: (String, Int).self) { group in
                for at in 0..<100 {
                    group.addTask {
                        let key = "\(at % 25)"
                        return (key, try await ledgers[at % 2].transaction(for: order, key: key, at: .now).id)
                    }
                }
                return try await group.reduce(into: [(String, Int)]()) { $0.append($1) }
            }
            #expect(Set(numbers.map(\.1)).count == 25)
            #expect(Set(numbers.map { "\($0.0) \($0.1)" }).count == 25)
        }
    }

    @Test("says that it has lost what was answered, and that a transaction is not the one that was written")
    func shorter() async throws {
        try await with { folder in
            for key in ["a", "b"] {
                _ = try await TransactionLedger(folder: folder).transaction(for: order(), key: key, at: .now)
            }
            let whole = try Data(contentsOf: file(folder))
            let changed = Data(String(decoding: whole, as: UTF8.self).replacing("7990", with: "7991").utf8)
            for damaged in [Data(), whole.dropLast(), whole.prefix(while: { $0 != 10 }) + [10], changed] {
                try damaged.write(to: file(folder))
                await #expect(throws: TransactionLedger.Failure.self) {
                    try await TransactionLedger(folder: folder).transaction(key: "b")
                }
                await #expect(throws: TransactionLedger.Failure.self) {
                    try await TransactionLedger(folder: folder).transaction(for: order(), key: "b", at: .now)
                }
                #expect(try Data(contentsOf: file(folder)) == damaged)
            }
            try FileManager.default.removeItem(at: file(folder))
            await #expect(throws: TransactionLedger.Failure.self) {
                try await TransactionLedger(folder: folder).transaction(key: "b")
            }
            // Without the file that knows of the answers, a new ledger begins.
            try FileManager.default.removeItem(at: folder.appending(path: "transactions.jsonl.end"))
            #expect(try await TransactionLedger(folder: folder).transaction(key: "b") == nil)
        }
    }

    @Test("cuts off the torn line of a process that was killed, which nobody was told of")
    func torn() async throws {
        try await with { folder in
            let first = try await TransactionLedger(folder: folder).transaction(for: order(), key: "a", at: .now)
            let whole = try Data(contentsOf: file(folder))
            try (whole + whole.prefix(30)).write(to: file(folder))
            let ledger = TransactionLedger(folder: folder)
            #expect(try await ledger.transaction(key: "a")?.id == first.id)
            #expect(try await ledger.transaction(for: order(), key: "b", at: .now).id == first.id + 1)
            #expect(try await TransactionLedger(folder: folder).transaction(key: "b")?.id == first.id + 1)
        }
    }

    @Test("says that it is held by another process, in time, and decides nothing then")
    func held() async throws {
        try await with { folder in
            _ = try await TransactionLedger(folder: folder).transaction(for: order(), key: "a", at: .now)
            let other = open(file(folder).path, O_RDWR)
            defer { _ = close(other) }
            #expect(flock(other, LOCK_EX) == 0)
            let impatient = TransactionLedger(folder: folder, patience: .zero)
            await #expect(throws: TransactionLedger.Failure.self) {
                try await impatient.transaction(for: order(), key: "b", at: .now)
            }
            #expect(flock(other, LOCK_UN) == 0)
            #expect(try await impatient.transaction(key: "b") == nil)
        }
    }

    @Test("decides nothing for a request that leaves while it waits for another process")
    func left() async throws {
        try await with { folder in
            _ = try await TransactionLedger(folder: folder).transaction(for: order(), key: "a", at: .now)
            let other = open(file(folder).path, O_RDWR)
            defer { _ = close(other) }
            #expect(flock(other, LOCK_EX) == 0)
            let patient = TransactionLedger(folder: folder, patience: .seconds(3600))
            let order = try order()
            let waiting = Task { try await patient.transaction(for: order, key: "b", at: .now) }
            waiting.cancel()
            await #expect(throws: TransactionLedger.Failure.self) { try await waiting.value }
            #expect(flock(other, LOCK_UN) == 0)
            #expect(try await patient.transaction(key: "b") == nil)
        }
    }

    @Test("says that it is damaged, and never that a key is not there")
    func damaged() async throws {
        try await with { folder in
            _ = try await TransactionLedger(folder: folder).transaction(for: order(), key: "a", at: .now)
            try (Data("{}\n".utf8) + Data(contentsOf: file(folder))).write(to: file(folder))
            let ledger = TransactionLedger(folder: folder)
            await #expect(throws: TransactionLedger.Failure.self) { try await ledger.transaction(key: "a") }
            await #expect(throws: TransactionLedger.Failure.self) { try await ledger.transaction(key: "b") }
            await #expect(throws: TransactionLedger.Failure.self) {
                try await ledger.transaction(for: order(), key: "b", at: .now)
            }
        }
    }
}
