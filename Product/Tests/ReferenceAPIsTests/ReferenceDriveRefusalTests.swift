import Aquifer
import AquiferCrypto
import AquiferShadowDrive
import Foundation
import ReferenceAPIs
import Testing

@Suite("What the reference drive refuses", .timeLimit(.minutes(10)))
struct ReferenceDriveRefusalTests {
    @Test("A signed transaction with any byte changed")
    func mutated() async throws {
        try await DriveWorld.run(.inProcess) { world in
            let account = world.program.storageAccount(of: world.owner.publicKey, counter: 0)
            let good = try await world.service.signed(.create(name: "x", bytes: 2048), account)
            let bytes = good.bytes
            for place in 0..<bytes.count {
                for mask: UInt8 in [1, 0x80] {
                    var changed = bytes
                    changed[changed.startIndex + place] ^= mask
                    let answer = try await world.post(
                        "storage-account", ["transaction": changed.base64EncodedString()])
                    #expect(answer.status == 400 && answer.error != nil, "byte \(place), bit \(mask)")
                }
            }
            #expect(try await world.service.accountCounter(of: world.owner.publicKey) == 0)
            #expect(try await world.post("storage-account", ["transaction": good.base64]).status == 200)
        }
    }

    @Test("A transaction for another address, of another uploader, account or blockhash", arguments: Way.allCases)
    func wrongTransactions(way: Way) async throws {
        try await DriveWorld.run(way) { world in
            let account = try await world.account()
            func status(_ path: String, _ transaction: SolanaTransaction) async throws -> Int {
                try await world.post(path, ["transaction": transaction.base64]).status
            }
            let increase = try await world.service.signed(.increase(bytes: 1), account)
            #expect(try await status("reduce-storage", increase) == 400)
            #expect(
                try await world.post(
                    "rpc",
                    [
                        "id": 1, "method": "sendTransaction", "params": [increase.base64, ["encoding": "base64"]],
                    ]
                ).json["error"] != nil)
            #expect(
                try await status("storage-account", world.service.signed(.create(name: "x", bytes: 2048), account))
                    == 400)
            let far = world.program.storageAccount(of: world.owner.publicKey, counter: 7)
            #expect(
                try await status("storage-account", world.service.signed(.create(name: "x", bytes: 2048), far)) == 400)
            let next = world.program.storageAccount(of: world.owner.publicKey, counter: 1)
            for (name, size) in [
                ("", 2048), (String(repeating: "x", count: 65), 2048), ("x", 1023), ("x", 1 << 40 + 1),
            ] {
                let create = try await world.service.signed(.create(name: name, bytes: UInt64(size)), next)
                #expect(try await status("storage-account", create) == 400)
            }
            for instruction: StorageInstruction in [
                .decrease(bytes: 1, used: 5), .decrease(bytes: 1 << 20, used: 0), .makeImmutable(used: 1),
            ] {
                let path = instruction.kind == .decrease ? "reduce-storage" : "make-immutable"
                #expect(try await status(path, world.service.signed(instruction, account)) == 400)
            }
            // Another owner's account, another server's signature, a blockhash that nobody gave out.
            let blockhash = try await world.rpc.latestBlockhash()
            func signed(_ program: ShadowDriveProgram, _ key: Keypair, _ hash: Blockhash) throws
                -> SolanaTransaction
            {
                var transaction = try program.transaction(
                    .increase(bytes: 1), owner: key.publicKey, account: account, blockhash: hash)
                try transaction.sign(with: key)
                return transaction
            }
            #expect(try await status("add-storage", signed(world.program, DriveWorld.stranger, blockhash)) == 400)
            #expect(try await status("add-storage", signed(.v1, world.owner, blockhash)) == 400)
            let strange = try #require(Blockhash(bytes: Data(repeating: 9, count: 32)))
            let refusal = await world.refusal {
                _ = try await world.api.addStorage(try signed(world.program, world.owner, strange))
            }
            #expect(refusal?.status == 400 && refusal?.reason == .staleBlockhash)
            #expect(try await world.api.storageAccountInfo(account).reservedBytes == 1 << 20)
            #expect(try await status("add-storage", signed(world.program, world.owner, blockhash)) == 200)
        }
    }

    @Test("A blockhash after 150 others")
    func oldBlockhash() async throws {
        try await DriveWorld.run(.inProcess) { world in
            let account = try await world.account()
            let old = try await world.service.signed(.increase(bytes: 1), account)
            let good = try await world.service.signed(.increase(bytes: 2), account)
            for _ in 0..<149 { _ = try await world.rpc.latestBlockhash() }
            let refusal = await world.refusal { _ = try await world.api.addStorage(old) }
            #expect(refusal?.reason == .staleBlockhash)
            _ = try await world.api.addStorage(good)
        }
    }

    @Test("A message that is not signed by the owner byte for byte: 401", arguments: Way.allCases)
    func wrongMessages(way: Way) async throws {
        try await DriveWorld.run(way) { world in
            let account = try await world.account()
            let location = try #require(try await world.upload("a", "1", to: account).location)
            func upload(_ message: SignedMessage, by key: Keypair = DriveWorld.owner, names: String = "b")
                async throws -> Int
            {
                try await world.form(
                    "upload",
                    [
                        "message": "\(message.signature(by: key))", "signer": "\(key.publicKey)",
                        "storage_account": "\(account)", "fileNames": names,
                    ], [("b", Data("2".utf8))]
                ).status
            }
            let right = SignedMessage.upload(to: account, names: ["b"])
            #expect(try await upload(.upload(to: account, names: ["c"])) == 401)
            #expect(try await upload(.delete(location.text, from: account)) == 401)
            #expect(try await upload(right, by: DriveWorld.stranger) == 401)
            #expect(try await upload(right, names: "c") == 400)
            #expect(try await world.api.listObjects(in: account) == ["a"])
            #expect(try await upload(right) == 200)

            func delete(_ url: String, signed: String, by key: Keypair = DriveWorld.owner) async throws -> Int {
                let message = SignedMessage.delete(signed, from: account)
                return try await world.post(
                    "delete-file",
                    [
                        "signer": "\(key.publicKey)", "message": "\(message.signature(by: key))", "location": url,
                    ]
                ).status
            }
            #expect(try await delete(location.text, signed: location.text + " ") == 401)
            #expect(try await delete(location.text, signed: location.text, by: DriveWorld.stranger) == 401)

            let hash = SHA256Hash.hash(Data("2".utf8))
            func edit(_ name: String, _ hash: Data) async throws -> Int {
                let message = SignedMessage.edit(name, in: account, hash: hash)
                return try await world.form(
                    "edit",
                    [
                        "message": "\(message.signature(by: world.owner))", "signer": "\(world.owner.publicKey)",
                        "storage_account": "\(account)", "url": location.text,
                    ], [("a", Data("2".utf8))]
                ).status
            }
            #expect(try await edit("a", SHA256Hash.hash(Data("3".utf8))) == 401)
            #expect(try await edit("b", hash) == 401)
            #expect(try await world.content(location) == "1")
            #expect(try await edit("a", hash) == 200)
            #expect(try await world.content(location) == "2")
            #expect(try await delete(location.text, signed: location.text) == 200)
        }
    }

    @Test("Forms and JSON that are not the contract's: 400, with words", arguments: Way.allCases)
    func malformed(way: Way) async throws {
        try await DriveWorld.run(way) { world in
            let account = try await world.account()
            let six = (0..<6).map { ("\($0)", Data("x".utf8)) }
            for files in [[], six] {
                let answer = try await world.form("upload", ["storage_account": "\(account)"], files)
                #expect(answer.status == 400 && answer.error != nil)
            }
            #expect(try await world.form("upload", [:], [six[0]]).status == 400)
            for path in [
                "storage-account", "storage-account-info", "list-objects", "list-objects-and-sizes",
                "get-object-data", "delete-file", "add-storage", "reduce-storage", "make-immutable", "rpc",
            ] {
                let answer = try await world.send(path, Data("no".utf8), "application/json")
                #expect(answer.status == 400 && answer.error != nil)
            }
            let nobody = world.program.storageAccount(of: world.owner.publicKey, counter: 5)
            #expect(try await world.post("storage-account-info", ["storage_account": "\(nobody)"]).status == 400)
            #expect(try await world.post("storage-account-info", ["storage_account": "0OIl"]).status == 400)
            #expect(try await world.post("upload", [:]).status == 415)
        }
    }
}

@Suite("The faults of the reference drive", .timeLimit(.minutes(10)))
struct ReferenceDriveFaultTests {
    @Test(
        "Stale blockhash: the first transaction is refused, and the library's second is taken", arguments: Way.allCases)
    func stale(way: Way) async throws {
        try await DriveWorld.run(way) { world in
            world.apis.set(.staleBlockhash, of: .drive)
            let account = world.program.storageAccount(of: world.owner.publicKey, counter: 0)
            let first = try await world.service.signed(.create(name: "x", bytes: 2048), account)
            let refusal = await world.refusal { _ = try await world.api.createStorageAccount(first) }
            #expect(refusal?.status == 400 && refusal?.reason == .staleBlockhash)
            // The chain has gone on: the first transaction is never taken any more, and one with a fresh blockhash is.
            #expect(await world.refusal { _ = try await world.api.createStorageAccount(first) } == refusal)
            let second = try await world.service.signed(.create(name: "x", bytes: 2048), account)
            _ = try await world.api.createStorageAccount(second)
            world.apis.set(.staleBlockhash, of: .drive)
            // The library takes a fresh one by itself.
            _ = try await world.service.addStorage(1, to: account)
            world.apis.set(.staleBlockhash, of: .drive)
            let sent = await world.refusal {
                _ = try await world.rpc.send(world.service.signed(.requestDeletion, account))
            }
            #expect(sent?.reason == .staleBlockhash)
        }
    }

    @Test("Answer lost: what is asked is answered, what is done loses its answer", arguments: Way.allCases)
    func answerLost(way: Way) async throws {
        try await DriveWorld.run(way) { (world: DriveWorld) async throws in
            world.apis.set(.answerLost, of: .drive)
            await #expect(throws: DriveError.self) { try await world.account("lost") }
            #expect(try await world.service.accountCounter(of: world.owner.publicKey) == 1)
            let account = world.program.storageAccount(of: world.owner.publicKey, counter: 0)
            #expect(try await world.api.storageAccountInfo(account).identifier == "lost")
            // The library checks if the file is still there.
            #expect(try await world.upload("a", "1", to: account).error == nil)
            let location = try world.api.location(of: "a", in: account)
            await #expect(throws: DriveError.self) { try await world.service.deleteFile(location) }
            #expect(try await world.api.listFiles(in: account).isEmpty)
            // A refused request has changed nothing.
            let refusal = await world.refusal { _ = try await world.service.deleteFile(location) }
            #expect(refusal?.status == 400)
        }
    }

    @Test("Failing, offline and garbage: nothing is done, or it is done and nobody can read so")
    func others() async throws {
        try await DriveWorld.run(.socket) { world in
            let account = try await world.account()
            world.apis.set(.failing, of: .drive)
            #expect(await world.refusal { _ = try await world.api.listFiles(in: account) }?.status == 503)
            #expect(try await world.upload("a", String(repeating: "x", count: 900_000), to: account).error != nil)
            world.apis.set(.offline, of: .drive)
            #expect(try await world.upload("b", "1", to: account).error != nil)
            world.apis.set(.none, of: .drive)
            #expect(try await world.api.listFiles(in: account).isEmpty)
            world.apis.set(.garbage, of: .drive)
            #expect(try await world.upload("c", "1", to: account).error != nil)
            world.apis.set(.none, of: .drive)
            #expect(try await world.api.listFiles(in: account).map(\.name) == ["c"])
        }
    }
}
