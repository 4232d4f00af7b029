import Aquifer
import AquiferCrypto
import AquiferShadowDrive
import Foundation
import ReferenceAPIs
import Testing

@Suite("The reference drive", .timeLimit(.minutes(10)))
struct ReferenceDriveTests {
    @Test("From an account's making to its immutability, by the library", arguments: Way.allCases)
    func wholeLife(way: Way) async throws {
        try await DriveWorld.run(way) { world in
            let made = try await world.service.createStorageAccount(name: "My bücket", size: 10_000)
            let account = made.account.address
            #expect(account == world.program.storageAccount(of: world.owner.publicKey, counter: 0))
            var info = try await world.api.storageAccountInfo(account)
            #expect(info.identifier == "My bücket" && info.reservedBytes == 10_000 && info.currentUsage == 0)
            #expect(info.owner1 == world.owner.publicKey && info.counterSeed == 0 && info.version == .v2)
            #expect(info.creationTime == 1_795_000_000 && !info.isImmutable && !info.isToBeDeleted)

            let names = ["a.txt", "half #1?.txt", "50%25.txt", "ü \"x\".txt"]
            let files = try names.map { try world.file($0, "content of \($0)") }
            let results = try await world.service.upload(files, to: account)
            #expect(results.allSatisfy { $0.error == nil } && results.map(\.name) == names)
            #expect(try await world.api.listObjects(in: account) == names)
            let listed = try await world.api.listFiles(in: account)
            #expect(listed.map(\.size) == names.map { UInt64("content of \($0)".utf8.count) })
            for result in results {
                #expect(try await world.content(try #require(result.location)) == "content of \(result.name)")
            }
            let used = listed.reduce(0) { $0 + $1.size }
            #expect(try await world.api.storageUsed(account) == used)

            let first = try #require(results[0].location)
            let ownership = try await world.api.objectData(at: first.text)
            #expect(ownership.owner == world.owner.publicKey && ownership.account == account)
            let edited = try await world.service.editFile(first, with: world.file("other", "changed"))
            #expect(edited == first.text)
            #expect(try await world.content(first) == "changed")
            _ = try await world.service.deleteFile(try #require(results[1].location))
            #expect(try await world.api.listObjects(in: account) == ["a.txt", "50%25.txt", "ü \"x\".txt"])
            await #expect(throws: DriveError.noSuchFile(results[1].location!.text)) {
                _ = try await world.api.objectData(at: results[1].location!.text)
            }

            let added = try await world.service.addStorage(5000, to: account)
            #expect(added.transactionSignature != nil)
            _ = try await world.service.reduceStorage(1000, of: account)
            #expect(try await world.api.storageAccountInfo(account).reservedBytes == 14_000)
            _ = try await world.service.makeImmutable(account)
            info = try await world.api.storageAccountInfo(account)
            #expect(info.isImmutable)
            _ = try await world.service.addStorage(1000, to: account)
            #expect(try await world.api.storageAccountInfo(account).reservedBytes == 15_000)
        }
    }

    @Test(
        "An immutable account takes new files, and refuses to delete, edit, replace and reduce", arguments: Way.allCases
    )
    func immutable(way: Way) async throws {
        try await DriveWorld.run(way) { world in
            let account = try await world.account()
            let location = try #require(try await world.upload("a", "1", to: account).location)
            _ = try await world.service.makeImmutable(account)
            #expect(try await world.upload("b", "2", to: account).error == nil)
            #expect(try await world.upload("a", "3", to: account, overwrite: true).error != nil)
            let words = "The storage account is immutable"
            var refusal = await world.refusal { _ = try await world.service.deleteFile(location) }
            #expect(refusal?.status == 400 && refusal?.words == words)
            refusal = await world.refusal {
                _ = try await world.service.editFile(location, with: world.file("c", "4"))
            }
            #expect(refusal?.words == words)
            let reduce = try await world.service.signed(.decrease(bytes: 1, used: 2), account)
            refusal = await world.refusal { _ = try await world.api.reduceStorage(reduce) }
            #expect(refusal?.words == words)
            let increase = try await world.service.signed(.increase(bytes: 1), account)
            #expect(await world.refusal { _ = try await world.api.addStorage(increase) }?.status == 400)
            #expect(await world.refusal { _ = try await world.service.send(.requestDeletion, for: account) } != nil)
            #expect(try await world.content(location) == "1")
        }
    }

    @Test("Accounts made at once have numbers of their own", arguments: Way.allCases)
    func together(way: Way) async throws {
        try await DriveWorld.run(way) { world in
            let service = world.service
            let made = try await withThrowingTaskGroup(of: PublicKey.self, returning: [PublicKey].self) { group in
                for number in 0..<5 {
                    group.addTask {
                        try await service.createStorageAccount(name: "n\(number)", size: 1024).account.address
                    }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            let owner = world.owner.publicKey
            #expect(Set(made) == Set((0..<5).map { world.program.storageAccount(of: owner, counter: $0) }))
            #expect(try await service.accounts?.saved()?.value.accounts.count == 5)
        }
    }

    @Test("What the owner alone signs goes through the node", arguments: Way.allCases)
    func node(way: Way) async throws {
        try await DriveWorld.run(way) { world in
            #expect(try await world.service.accountCounter(of: world.owner.publicKey) == 0)
            #expect(try await world.service.storageConfig()?.uploader == ReferenceAPIs.driveUploader)
            let account = try await world.account("one")
            #expect(try await world.service.accountCounter(of: world.owner.publicKey) == 1)
            func chain() async throws -> StorageAccountV2? {
                try await world.rpc.account(account, of: world.program.id)
            }
            #expect(try await chain()?.identifier == "one")
            _ = try await world.service.send(.requestDeletion, for: account)
            #expect(try await chain()?.toBeDeleted == true)
            #expect(try await world.api.storageAccountInfo(account).isToBeDeleted)
            _ = try await world.service.send(.cancelDeletion, for: account)
            #expect(try await chain()?.toBeDeleted == false)
            #expect(await world.refusal { _ = try await world.service.send(.claimStake, for: account) } != nil)
            _ = try await world.service.reduceStorage(1, of: account)
            _ = try await world.service.send(.claimStake, for: account)
            _ = try await world.service.send(.refreshStake, for: account)
            let nobody = try await world.rpc.account(world.program.userInfo(of: DriveWorld.stranger.publicKey))
            #expect(nobody == nil)
            #expect(try await world.post("rpc", ["method": "getSlot", "id": 9]).json["error"] != nil)
        }
    }

    @Test("Storage is paid from the owner's purse, and what was given back can be claimed", arguments: Way.allCases)
    func purse(way: Way) async throws {
        try await DriveWorld.run(way) { world in
            let gift: UInt64 = 10_000_000_000_000
            #expect(try await world.service.wallet() == Wallet(shades: gift, lamports: 1_000_000_000))
            let account = try await world.account(size: 1 << 30)
            #expect(try await world.service.wallet().shades == gift - 250_000_000)
            _ = try await world.service.addStorage(1 << 30, to: account)
            #expect(try await world.service.wallet().shades == gift - 500_000_000)
            #expect(try await world.service.unstaked(of: account) == nil)
            _ = try await world.service.reduceStorage(1 << 30, of: account)
            #expect(try await world.service.unstaked(of: account)?.unstaker == world.owner.publicKey)
            #expect(try await world.service.wallet().shades == gift - 500_000_000, "not claimed yet")
            _ = try await world.service.send(.claimStake, for: account)
            #expect(try await world.service.unstaked(of: account) == nil)
            #expect(try await world.service.wallet().shades == gift - 250_000_000)
        }
    }

    @Test("A stale blockhash: the chain has gone past it, does not know the transaction, and takes the next one")
    func stale() async throws {
        try await DriveWorld.run(.inProcess) { world in
            let account = try await world.account()
            let recent = try await world.rpc.recentBlockhash()
            #expect(try await world.rpc.progress().blockHeight <= recent.lastValidBlockHeight ?? 0)
            let late = try await world.service.signed(.increase(bytes: 1), account)
            world.apis.set(.staleBlockhash, of: .drive)
            _ = try await world.service.addStorage(1024, to: account)
            #expect(try await world.api.storageAccountInfo(account).reservedBytes == 1 << 20 + 1024)
            #expect(try await world.rpc.progress().isPast(recent))
            #expect(try await world.rpc.outcome(of: #require(late.signature)) == .unknown)
            #expect(await world.refusal { _ = try await world.api.addStorage(late) }?.reason == .staleBlockhash)
            let good = try await world.service.signed(.increase(bytes: 1), account)
            _ = try await world.api.addStorage(good)
            #expect(try await world.rpc.outcome(of: #require(good.signature)) == .carriedOut)
        }
    }

    @Test("An account without files: no names but a 500, no sizes, and nothing used", arguments: Way.allCases)
    func empty(way: Way) async throws {
        try await DriveWorld.run(way) { world in
            let account = try await world.account()
            let refusal = await world.refusal { _ = try await world.api.listObjects(in: account) }
            #expect(refusal?.status == 500 && refusal?.reason == .emptyAccount)
            #expect(try await world.api.listFiles(in: account).isEmpty)
            #expect(try await world.api.storageUsed(account) == 0)
            let object = try await world.post(
                "get-object-data", ["location": world.api.location(of: "x", in: account).text])
            #expect(object.status == 200 && object.json.isEmpty)
            let missing = try #require(world.api.location(of: "x", in: account).url)
            #expect(try await world.client.send(HTTPRequest(.get, missing)).head.status == 404)
        }
    }

    @Test("Each file of an upload is judged by itself", arguments: Way.allCases)
    func perFile(way: Way) async throws {
        try await DriveWorld.run(way) { world in
            let account = try await world.account(size: 1024)
            #expect(try await world.upload("old", "1", to: account).error == nil)
            let files = try [
                world.file("old", "2"), world.file("large", String(repeating: "x", count: 2000)),
                world.file("good", "3"),
            ]
            let results = try await world.service.upload(files, to: account)
            #expect(results.map { $0.error == nil } == [false, false, true])
            #expect("\(results[0].error!)".contains("a file called old is stored already"))
            #expect("\(results[1].error!)".contains("not enough storage"))
            #expect(try await world.content(world.api.location(of: "old", in: account)) == "1")
            #expect(try await world.upload("old", "2", to: account, overwrite: true).error == nil)
            #expect(try await world.content(world.api.location(of: "old", in: account)) == "2")
            #expect(try await world.api.listFiles(in: account).map(\.name) == ["old", "good"])
        }
    }

    @Test("The state is there for the next process, and nothing that was sent lies about")
    func restart() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "drive-restart-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        var prepared: SolanaTransaction?
        var account: PublicKey?
        try await DriveWorld.run(.inProcess, in: folder) { world in
            account = try await world.account("kept")
            _ = try await world.upload("a", "1", to: account!)
            _ = try await world.upload("a", "22", to: account!, overwrite: true)
            prepared = try await world.service.signed(.increase(bytes: 1), account!)
        }
        try await DriveWorld.run(.socket, in: folder) { world in
            let account = try #require(account)
            #expect(try await world.service.accountCounter(of: world.owner.publicKey) == 1)
            #expect(try await world.api.listFiles(in: account) == [StoredFile(name: "a", size: 2)])
            #expect(try await world.content(world.api.location(of: "a", in: account)) == "22")
            // Its blockhash is still good, once.
            _ = try await world.api.addStorage(prepared!)
            #expect(try await world.api.storageAccountInfo(account).reservedBytes == 1 << 20 + 1)
            let again = await world.refusal { _ = try await world.api.addStorage(prepared!) }
            #expect(again?.status == 400 && again?.words.contains("already been processed") == true)
            #expect(
                try await world.account("second") == world.program.storageAccount(of: world.owner.publicKey, counter: 1)
            )
            let state = folder.appending(path: "state/drive")
            let left = try FileManager.default.contentsOfDirectory(atPath: state.appending(path: "arriving").path)
            #expect(left.isEmpty)
            let kept = try FileManager.default.contentsOfDirectory(
                atPath: state.appending(path: "accounts/\(account)").path)
            #expect(kept.count == 2 && kept.contains("account.json"))
        }
    }
}
