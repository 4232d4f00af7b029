import Aquifer
import AquiferTesting
import Foundation
import Testing

@testable import AquiferShadowDrive

/// A server's numbers may be anything that fits: no computation with them traps.
@Suite("Numbers of a drive server", .timeLimit(.minutes(10)))
struct ForeignNumbersTests {
    static let extremes: [UInt64] = [
        0, 1, 1023, 1024, 1 << 40, .max / 100, .max / 100 + 1, 1 << 53, UInt64(Int64.max), 1 << 63, .max - 1, .max,
    ]

    private func world(used: UInt64, reserved: UInt64, size: UInt64) -> DriveWorld {
        DriveWorld(
            client: ScriptedHTTPClient { request in
                let name = DriveWorld.name(of: request)
                let asked = request.json["storage_account"] as? String ?? ""
                return switch name {
                case "getAccountInfo": .chain(UserInfo(accountCounter: 2))
                case "storage-account-size": .json(#"{"storage_used":\#(used)}"#)
                case "storage-account-info":
                    .json(
                        """
                        {"storage_account":"\(asked)","reserved_bytes":\(reserved),"current_usage":\(used),\
                        "immutable":false,"owner1":"\(Vectors.owner.publicKey)","creation_time":\(used),\
                        "identifier":"odd","version":"V2"}
                        """)
                case "list-objects-and-sizes":
                    .json(#"{"files":[{"file_name":"a","size":\#(size)},{"file_name":"b","size":\#(size)}]}"#)
                case "upload": .stored(request)
                case "delete-file": .json(#"{"message":"gone"}"#)
                default: DriveWorld.usual(name, request)
                }
            })
    }

    @MainActor
    @Test("Account, list, files and every change live with any usage, size and reservation", arguments: extremes)
    func everything(used: UInt64) async throws {
        for reserved in [0, 1 << 40, UInt64(Int64.max), .max] as [UInt64] {
            for size in [0, .max] as [UInt64] {
                let world = world(used: used, reserved: reserved, size: size)
                let list = AccountsModel(world.service)
                await list.appear()
                #expect(list.reservedBytes == reserved.saturatingAdding(reserved))
                #expect(list.usedBytes == used.saturatingAdding(used))
                let model = AccountModel(world.service, account: world.account)
                await model.appear()
                #expect(model.account?.freeBytes == (reserved > used ? reserved - used : 0))
                await model.upload([try world.file("c")])
                await model.upload([try world.file("a")], replacing: true)
                await model.delete("b")
                for text in ["1KB", "18446744073709551615KB"] {
                    await model.addStorage(text, at: .unknown)
                    await model.reduceStorage(text)
                    _ = model.cost(of: text)
                }
                #expect(model.action == nil)
            }
        }
    }

    @Test("What is saved follows changes without a trap, and never beyond the largest number", arguments: extremes)
    func contents(size: UInt64) {
        for used in Self.extremes {
            var account = StorageAccount(
                address: Vectors.account, identifier: "n", reservedBytes: size, owner: Vectors.owner.publicKey,
                counterSeed: 0, creationTime: 0)
            account.currentUsage = used
            let twice = AccountContents(
                account: account, files: [StoredFile(name: "a", size: size), StoredFile(name: "a", size: size)])
            #expect(
                twice.storing(StoredFile(name: "b", size: size)).account.currentUsage == used.saturatingAdding(size))
            #expect(twice.removing("a").account.currentUsage == used - min(used, size.saturatingAdding(size)))
            #expect(StorageSize.text(used).contains(" "))
            #expect(Shades.text(used).hasSuffix("SHDW") && Lamports.text(used).hasSuffix("SOL"))
        }
    }

    @Test("A price of the chain, whatever it is, gives a cost", arguments: extremes)
    func prices(price: UInt64) {
        let key = Vectors.owner.publicKey
        let config = StorageConfig(
            shadesPerGib: price, storageAvailable: .max, tokenAccount: key, admin: key, uploader: key)
        for bytes in Self.extremes {
            #expect(config.cost(ofBytes: bytes) >= config.cost(ofBytes: 0))
        }
    }

    @Test(
        "Numbers that no account can have are invalid data",
        arguments: ["-1", "18446744073709551616", "1e300", "1.5", "\"1\"", "null", "[]"])
    func none(number: String) async throws {
        let world = DriveWorld(["storage-account-size": [.json(#"{"storage_used":\#(number)}"#)]])
        guard
            case .invalidData? = await failure(of: { () async throws(DriveError) in
                try await world.service.api.storageUsed(world.account)
            })
        else {
            Issue.record("\(number) was taken")
            return
        }
    }

    @Test(
        "A length that a file server announces may be anything",
        arguments: ["-1", "18446744073709551615", "9223372036854775807", "x", "", "+3", "3, 3"])
    func announced(length: String) async throws {
        let world = DriveWorld(["a": [.stream(headers: ["Content-Length": length], chunks: [Data("abc".utf8)])]])
        let target = try world.file("target")
        #expect(try await world.service.api.download(world.location("a"), to: target) { _, _ in } == 3)
    }

    @Test("A wallet may hold any amount; what is no amount is invalid data, and no account is nothing")
    func wallets() async throws {
        for amount in Self.extremes {
            let world = DriveWorld([
                "getTokenAccountBalance": [.json(#"{"result":{"value":{"amount":"\#(amount)","decimals":9}}}"#)],
                "getBalance": [.json(#"{"result":{"value":\#(amount)}}"#)],
            ])
            #expect(try await world.service.wallet() == Wallet(shades: amount, lamports: amount))
        }
        let odd = DriveWorld([
            "getTokenAccountBalance": [.json(#"{"result":{"value":{"amount":"-1","decimals":9}}}"#)]
        ])
        guard case .invalidData? = await failure(of: { () async throws(DriveError) in try await odd.service.wallet() })
        else {
            Issue.record("an amount below nothing was taken")
            return
        }
        let missing = #"{"error":{"code":-32602,"message":"Invalid param: could not find account"}}"#
        let none = DriveWorld([
            "getTokenAccountBalance": [.json(missing)], "getBalance": [.json(#"{"result":{"value":0}}"#)],
        ])
        #expect(try await none.service.wallet() == Wallet(shades: 0, lamports: 0))
    }
}
