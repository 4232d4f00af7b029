import Aquifer
import EveryBit
import Foundation
import Testing

@testable import ReferenceAPIs

/// Every bit and every length of the files of the reference servers.
@Suite("Each bit flipped and each length cut, in what the reference servers keep", .timeLimit(.minutes(60)))
struct EveryBitOfReferencesTests {
    private func order(_ value: String) throws -> PaymentOrder {
        try PaymentOrder(
            json: Data(
                """
                {"card_number":"4242424242424242","cvv":937,"value":\(value),"expiry_date":"01/29",
                "destination_user_id":1002}
                """.utf8))
    }

    @Test("the ledger of payments, and its end: each payment is what it was or the ledger says that it cannot be used")
    func ledger() async throws {
        try await Fixture.withFolder { folder in
            var booked: [String: LedgerTransaction] = [:]
            let ledger = TransactionLedger(folder: folder)
            for key in ["a", "b", "c"] {
                booked[key] = try await ledger.transaction(
                    for: order(key == "b" ? "5.00" : "79.90"), key: key, at: Date(timeIntervalSince1970: 1_780_000_000))
            }
            let (transactions, fixture, last) = (booked, try Fixture(folder), try order("79.90"))
            for path in fixture.paths {
                let sweep = try await Sweep("Reference payments: \(path)", path, of: fixture) { _ in
                    let ledger = TransactionLedger(folder: folder)
                    do throws(TransactionLedger.Failure) {
                        for (key, transaction) in transactions {
                            guard let found = try await ledger.transaction(key: key) else {
                                return .wrong("\(key) is missing")
                            }
                            if found != transaction { return .wrong("\(key) is another transaction") }
                        }
                        return .unchanged
                    } catch {
                        // Nothing may be booked in a ledger that cannot be read.
                        do throws(TransactionLedger.Failure) {
                            _ = try await ledger.transaction(for: last, key: "c", at: .now)
                            return .wrong("a payment was booked")
                        } catch { return .told("unusable") }
                    }
                }
                #expect(sweep.wrong.isEmpty, "\(sweep)")
            }
        }
    }

    @Test("the clips that were posted: each is what it was, or the error is told")
    func clips() async throws {
        try await AudioWorld.withFolder { folder in
            try await AudioWorld.run(.inProcess, folder: folder) { world in _ = try await world.post() }
            let fixture = try Fixture(folder)
            let form = Self.form(folder)
            let path = try #require(fixture.paths.first { $0.hasSuffix("clip.json") })
            let sweep = try await Sweep("Reference clips: clip.json", path, of: fixture, limit: 200) { _ in
                let found = Self.form(folder)
                if found == nil { return .told("cannot be read") }
                return found == form ? .unchanged : .wrong("another clip")
            }
            #expect(form != nil && sweep.wrong.isEmpty, "\(sweep)")
        }
    }

    /// Everything that the clips tell; `nil` if they cannot be read.
    private static func form(_ folder: URL) -> String? {
        // Each error is told by the server.
        guard let clips = try? ClipStore(folder: folder, now: { Date(timeIntervalSince1970: 0) }).clips() else {
            return nil
        }
        return clips.map { "\($0)" }.joined()
    }

    @Test("accounts, owners, blockhashes and height of the drive: each is what it was, or the error is told")
    func drive() async throws {
        try await Fixture.withFolder { folder in
            try await DriveWorld.run(.inProcess, in: folder) { world in
                let account = try await world.account()
                _ = try await world.upload("note.txt", "hello", to: account)
            }
            let root = folder.appending(path: "state/drive")
            let fixture = try Fixture(root)
            let whole = try Dictionary(
                uniqueKeysWithValues: fixture.paths.filter { $0.hasSuffix(".json") }.map {
                    ($0, try Self.value(root.appending(path: $0)))
                })
            #expect(whole.count == 4)
            for (path, value) in whole {
                let file = root.appending(path: path)
                let name = path.split(separator: "/").count > 1 ? "\(path.split(separator: "/")[0])/…" : path
                let sweep = try await Sweep("Reference drive: \(name)", path, of: fixture, limit: 200) { _ in
                    do {
                        return try Self.value(file) == value ? .unchanged : .wrong("another value")
                    } catch is SealedJSON.Damaged { return .told("damaged") }
                }
                #expect(sweep.wrong.isEmpty, "\(sweep)")
            }
        }
    }

    /// The value of a file, as the store reads it.
    private static func value(_ file: URL) throws -> String {
        switch file.lastPathComponent {
        case "account.json":
            return String(decoding: try Self.canonical(SealedJSON.read(DriveAccount.self, from: file)), as: UTF8.self)
        case "height.json": return "\(try SealedJSON.read(UInt64.self, from: file))"
        case "blockhashes.json": return "\(try SealedJSON.read([String].self, from: file))"
        default:
            return String(
                decoding: try Self.canonical(SealedJSON.read(DriveStore.Owner.self, from: file)), as: UTF8.self)
        }
    }

    private static func canonical(_ value: some Encodable) throws -> Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        return try encoder.encode(value)
    }
}
