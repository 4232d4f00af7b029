import Aquifer
import AquiferConcurrency
import AquiferTesting
import Foundation
import Testing

@testable import AquiferShadowDrive

@Suite("Changes of accounts and files", .timeLimit(.minutes(10)))
struct ChangeTests {
    private func sent(_ world: DriveWorld, _ path: String) throws -> [StorageInstruction] {
        try world.requests(path).map { request in
            let transaction = try SolanaTransaction(base64: try #require(request.json["transaction"] as? String))
            try transaction.verify(allowingMissing: [world.service.program.uploader])
            return try world.service.program.parse(transaction).instruction
        }
    }

    @Test("more storage: by the instruction that goes with immutable or not", arguments: [false, true])
    func add(immutable: Bool) async throws {
        let world = DriveWorld(["storage-account-info": [.info("\(Vectors.account)", immutable: immutable)]])
        _ = try await world.service.addStorage(2_097_152, to: world.account)
        let expected: StorageInstruction =
            immutable ? .increaseImmutable(bytes: 2_097_152) : .increase(bytes: 2_097_152)
        #expect(try sent(world, "add-storage") == [expected])
        let vector = Vectors.all.transactions[expected.kind.rawValue]!.rust_order.no_compute_budget
        #expect(world.requests("add-storage").first?.json["transaction"] as? String == vector.transaction_base64)
    }

    @Test("less storage: with what is taken, asked for first")
    func reduce() async throws {
        let world = DriveWorld(budget: Vectors.budget)
        _ = try await world.service.reduceStorage(524_288, of: world.account)
        let vector = Vectors.all.transactions["decrease_storage2"]!.rust_order.with_compute_budget
        #expect(world.requests("reduce-storage").first?.json["transaction"] as? String == vector.transaction_base64)
    }

    @Test("immutable: with what is taken")
    func immutable() async throws {
        let world = DriveWorld()
        _ = try await world.service.makeImmutable(world.account)
        #expect(try sent(world, "make-immutable") == [.makeImmutable(used: 12345)])
    }

    @Test("what cannot be is refused before it is signed")
    func refused() async throws {
        let world = DriveWorld()
        func add(_ bytes: UInt64) async -> DriveError? {
            await failure { () async throws(DriveError) in try await world.service.addStorage(bytes, to: world.account)
            }
        }
        func reduce(_ bytes: UInt64, _ world: DriveWorld) async -> DriveError? {
            await failure { () async throws(DriveError) in
                try await world.service.reduceStorage(bytes, of: world.account)
            }
        }
        #expect(await add(0) == .limit(.size(.zero)))
        #expect(await add(1 << 40) == .limit(.size(.outOfRange)))
        #expect(await add(.max) == .limit(.size(.outOfRange)))
        #expect(await reduce(0, world) == .limit(.size(.zero)))
        #expect(await reduce(10_485_760 - 12344, world) == .limit(.tooMuch(free: 10_485_760 - 12345)))
        let empty = DriveWorld(["storage-account-size": [.json(#"{"storage_used":0}"#)]])
        #expect(await reduce(10_485_760 - 1023, empty) == .limit(.size(.outOfRange)))
        let immutable = DriveWorld(["storage-account-info": [.info("\(Vectors.account)", immutable: true)]])
        #expect(await reduce(1, immutable) == .limit(.immutable))
        for world in [world, empty, immutable] {
            #expect(world.requests("getLatestBlockhash").isEmpty && world.requests("reduce-storage").isEmpty)
        }
    }

    @Test(
        "what goes straight to Solana is signed by the owner alone",
        arguments: [
            StorageInstruction.requestDeletion, .cancelDeletion, .claimStake, .refreshStake, .rename("renamed"),
            .rename(nil),
        ])
    func straight(instruction: StorageInstruction) async throws {
        let world = DriveWorld(["getSignatureStatuses": [.confirmed]])
        _ = try await world.service.send(instruction, for: world.account)
        let text = (world.requests("sendTransaction").first?.json["params"] as? [Any])?.first as? String
        let transaction = try SolanaTransaction(base64: try #require(text))
        try transaction.verify()
        #expect(try world.service.program.parse(transaction).instruction == instruction)
    }

    /// A storage account as the chain has it.
    private func onChain(_ name: String) -> DriveWorld.Reply {
        .chain(
            StorageAccountV2(
                storage: 1, owner1: Vectors.owner.publicKey, accountCounterSeed: 0, creationTime: 0, creationEpoch: 0,
                lastFeeEpoch: 0, identifier: name))
    }

    /// One of the first version, with zeros before its name.
    private func ofFirstVersion(_ name: String) -> DriveWorld.Reply {
        var data = StorageAccountV1.discriminator + Data(count: 159)
        data += Data([UInt8(name.utf8.count), 0, 0, 0]) + Data(name.utf8)
        return .json(
            #"{"result":{"value":{"data":["\#(data.base64EncodedString())","base64"],"owner":"\#(Vectors.program.id)"}}}"#
        )
    }

    /// The errors of what cannot be undone, for an account of the name "shown".
    private func ends(_ world: DriveWorld) async -> [DriveError?] {
        let immutable = await failure { () async throws(DriveError) in
            try await world.service.makeImmutable(world.account, named: "shown")
        }
        let deletion = await failure { () async throws(DriveError) in
            try await world.service.send(.requestDeletion, for: world.account, named: "shown")
        }
        return [immutable, deletion]
    }

    @Test("an account that the chain has under another name is neither made immutable nor deleted: nothing is signed")
    func swapped() async throws {
        let foreign = DriveWorld.Reply.chain(UserInfo(accountCounter: 1), owner: SolanaPrograms.token)
        for reply in [onChain("precious"), ofFirstVersion("precious"), .chain(UserInfo(accountCounter: 1)), foreign] {
            let world = DriveWorld(["getAccountInfo": [reply]])
            for error in await ends(world) {
                guard case .invalidData? = error else {
                    Issue.record("is \(String(describing: error))")
                    continue
                }
            }
            #expect(world.requests("getLatestBlockhash").isEmpty && world.requests("make-immutable").isEmpty)
            #expect(world.requests("sendTransaction").isEmpty)
        }
    }

    @Test("an account that the chain has under the name that was shown, or does not have, is ended")
    func notSwapped() async throws {
        for reply in [onChain("shown"), ofFirstVersion("shown"), .usually] {
            let world = DriveWorld(["getAccountInfo": [reply], "getSignatureStatuses": [.confirmed]])
            #expect(await ends(world) == [nil, nil])
            #expect(world.requests("make-immutable").count == 1 && world.requests("sendTransaction").count == 1)
        }
    }

    @Test("what the server has to sign does not go straight to Solana")
    func notStraight() async {
        let world = DriveWorld()
        guard
            case .transaction(.unexpected)? = await failure(of: { () async throws(DriveError) in
                try await world.service.send(.increase(bytes: 1), for: world.account)
            })
        else {
            Issue.record("it was sent")
            return
        }
        #expect(world.client.requests.isEmpty)
    }

    @Test("a file is deleted by the address that is signed, byte for byte")
    func delete() async throws {
        for name in ["delete", "delete_percent_encoded_url"] {
            let vector = Vectors.all.signed_messages[name]!
            let world = DriveWorld(["delete-file": [.json(#"{"message":"gone"}"#)]])
            let location = try #require(FileLocation(vector.location!))
            _ = try await world.service.deleteFile(location)
            #expect(
                world.requests("delete-file").first?.json as? [String: String] == [
                    "signer": "\(world.owner.publicKey)", "message": vector.signature_base58,
                    "location": vector.location!,
                ])
        }
    }

    // MARK: Saved copies

    private func loaded(used: [Int] = [150]) async throws -> DriveWorld {
        let world = DriveWorld([
            "getAccountInfo": [.chain(UserInfo(accountCounter: 1))],
            "list-objects-and-sizes": [
                .json(#"{"files":[{"file_name":"a","size":100},{"file_name":"b","size":50}]}"#)
            ],
            "storage-account-info": used.map { .info("\(Vectors.account)", used: $0) },
            "delete-file": [.json(#"{"message":"gone"}"#)],
        ])
        _ = try await world.service.accounts!.load()
        _ = try await world.service.contents(of: world.account).load()
        return world
    }

    @Test("files are listed offline too, for seven days")
    func contentsOffline() async throws {
        let world = try await loaded()
        let offline = ShadowDriveService(
            api: ShadowDriveAPI(
                base: DriveWorld.base, files: DriveWorld.files, client: ScriptedHTTPClient { _ in .offline }),
            rpc: world.service.rpc, keypair: nil, store: world.store, now: world.date.read)
        let loaded = try await offline.contents(of: world.account).load()
        #expect(loaded.value.files.map(\.name) == ["a", "b"] && loaded.value.account.currentUsage == 150)
        world.date.advance(by: 7 * 86_400)
        let error = await failure { () async throws(LoadError) in
            try await offline.contents(of: world.account).load()
        }
        #expect(error == .connectivity(TransportError(.cannotConnect)))
    }

    @Test("after a change, what is saved has it; its age stays")
    func follows() async throws {
        let world = try await loaded()
        let stamp = world.date.read()
        world.date.advance(by: 60)
        func saved() async throws -> AccountContents {
            let saved = try #require(try await world.service.contents(of: world.account).saved())
            #expect(saved.savedAt == stamp)
            return saved.value
        }
        _ = try await world.service.deleteFile(world.location("a"))
        #expect(try await saved().files == [StoredFile(name: "b", size: 50)])
        #expect(try await saved().account.currentUsage == 50)
        #expect(try await listed(world)?.currentUsage == 50)
        _ = try await world.service.upload([world.file("c"), world.file("b")], to: world.account, overwrite: true)
        #expect(try await saved().files == [StoredFile(name: "b", size: 7), StoredFile(name: "c", size: 7)])
        #expect(try await saved().account.currentUsage == 14)
        #expect(try await listed(world)?.currentUsage == 14)
        _ = try await world.service.addStorage(1024, to: world.account)
        #expect(try await saved().account.reservedBytes == 10_485_760 + 1024)
        _ = try await world.service.makeImmutable(world.account)
        let account = try await listed(world)
        #expect(account?.isImmutable == true && account?.reservedBytes == 10_485_760 + 1024)
    }

    /// The account as the saved list has it.
    private func listed(_ world: DriveWorld) async throws -> StorageAccount? {
        try await world.service.accounts!.saved()?.value.accounts.first { $0.address == world.account }
    }

    @Test("the saved list and the saved contents of an account agree, whichever was loaded last; its age stays")
    func agreement() async throws {
        let world = try await loaded(used: [0, 150, 150, 160])
        let stamp = world.date.read()
        #expect(try await listed(world)?.currentUsage == 150)
        world.date.advance(by: 60)
        _ = try await world.service.contents(of: world.account).load()
        #expect(try await world.service.accounts!.saved()?.savedAt == stamp)
        world.date.advance(by: 60)
        _ = try await world.service.accounts!.load()
        #expect(try await listed(world)?.currentUsage == 160)
        let contents = try #require(try await world.service.contents(of: world.account).saved())
        #expect(contents.value.account.currentUsage == 160 && contents.savedAt == stamp + 60)
    }

    @Test("a change that failed leaves what is saved as it was")
    func failedChange() async throws {
        let world = try await loaded()
        let broken = ShadowDriveService(
            api: ShadowDriveAPI(
                base: DriveWorld.base, files: DriveWorld.files, client: ScriptedHTTPClient { _ in .error("no") }),
            rpc: world.service.rpc, keypair: world.owner, store: world.store, now: world.date.read)
        #expect(
            await failure(of: { () async throws(DriveError) in
                try await broken.deleteFile(world.location("a"))
            }) == .refused(DriveRefusal(status: 400, words: "no")))
        #expect(try await broken.contents(of: world.account).saved()?.value.files.count == 2)
    }

    @Test("accounts are found by address, or by name: all that have it")
    func find() {
        func account(_ counter: UInt32, _ name: String) -> StorageAccount {
            StorageAccount(
                address: Vectors.program.storageAccount(of: Vectors.owner.publicKey, counter: counter),
                identifier: name,
                reservedBytes: 1, owner: Vectors.owner.publicKey, counterSeed: counter, creationTime: 0)
        }
        let list = AccountList([account(0, "a"), account(1, "b"), account(2, "b")])
        #expect(list.accounts(called: "a").map(\.counterSeed) == [0])
        #expect(list.accounts(called: "b").map(\.counterSeed) == [1, 2] && list.accounts(called: "c").isEmpty)
        #expect(list.accounts(called: "\(list.accounts[2].address)").map(\.counterSeed) == [2])
    }

    // MARK: Downloads

    @Test("a download is there whole or not at all")
    func download() async throws {
        let world = DriveWorld([
            "a b": [
                .stream(headers: ["Content-Length": "6"], chunks: [Data("abc".utf8), Data("def".utf8)]),
                .stream(chunks: [Data("xyz".utf8)], error: TransportError(.interrupted)), .answer(status: 404),
                .answer(status: 503),
            ]
        ])
        let target = try world.file("target", Data("old".utf8))
        let seen = Locked<[UInt64]>([])
        let size = try await world.service.api.download(world.location("a b"), to: target) { received, total in
            seen.withLock { $0.append(received) }
            if total != 6 { Issue.record("the whole is \(String(describing: total))") }
        }
        #expect(size == 6 && seen.withLock { $0 } == [3, 6])
        #expect(try Data(contentsOf: target) == Data("abcdef".utf8))
        #expect(world.client.requests.first?.url.absoluteString == world.location("a b").text)
        let errors: [DriveError] = [
            .connectivity(TransportError(.interrupted)), .noSuchFile(world.location("a b").text),
            .refused(DriveRefusal(status: 503, words: "")),
        ]
        for expected in errors {
            let error = await failure { () async throws(DriveError) in
                try await world.service.api.download(world.location("a b"), to: target)
            }
            #expect(error == expected)
            #expect(try Data(contentsOf: target) == Data("abcdef".utf8), "the old one stays")
        }
        #expect(try FileManager.default.contentsOfDirectory(atPath: world.folder.path) == ["target"])
    }
}
