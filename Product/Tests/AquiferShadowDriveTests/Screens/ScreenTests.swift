import Aquifer
import AquiferTesting
import AquiferWording
import Foundation
import Testing

@testable import AquiferShadowDrive
@testable import AquiferSolana

@MainActor
@Suite("The accounts' screen", .timeLimit(.minutes(10)))
struct AccountsScreenTests {
    @Test("lists the accounts, with what is reserved and taken")
    func lists() async {
        let world = DriveWorld(["getAccountInfo": [.chain(UserInfo(accountCounter: 2))]])
        let model = AccountsModel(world.service)
        #expect(!model.isEmpty && !model.needsKey && model.owner == world.owner.publicKey)
        await model.appear()
        #expect(model.accounts.count == 2 && model.reservedBytes == 2 * 10_485_760 && model.usedBytes == 0)
        #expect(model.list?.phase == .loaded && !model.isPartial)
    }

    @Test("says that there are none, and that there is no key")
    func none() async {
        let model = AccountsModel(DriveWorld().service)
        await model.appear()
        #expect(model.isEmpty)
        let keyless = AccountsModel(DriveWorld(keypair: nil).service)
        await keyless.appear()
        #expect(keyless.needsKey && !keyless.isEmpty)
    }

    @Test("offline with a new account alone: says that there may be more")
    func partial() async throws {
        let account = Vectors.program.storageAccount(of: Vectors.owner.publicKey, counter: 3)
        let signature = DriveWorld.signature(creating: "n", account: account)
        let answer = #"{"shdw_bucket":"\#(account)","transaction_signature":"\#(signature)"}"#
        let world = DriveWorld([
            "getAccountInfo": [.chain(UserInfo(accountCounter: 3)), .offline], "storage-account": [.json(answer)],
        ])
        _ = try await world.service.createStorageAccount(name: "n", size: 1024)
        let model = AccountsModel(world.service)
        await model.appear()
        #expect(model.accounts.map(\.identifier) == ["n"] && model.isPartial)
    }
}

extension StorageConfig {
    fileprivate static let sample = StorageConfig(
        shadesPerGib: 250_000_000, storageAvailable: 1, tokenAccount: Vectors.account, admin: Vectors.account,
        uploader: Vectors.program.uploader)
}

@MainActor
@Suite("The screen that makes an account", .timeLimit(.minutes(10)))
struct CreateScreenTests {

    private func filled(_ world: DriveWorld) -> CreateAccountModel {
        let model = CreateAccountModel(world.service)
        model.enter(name: "my-bucket")
        model.enter(size: "1MB")
        return model
    }

    @Test("says at each field what is wrong with it")
    func fields() {
        let model = CreateAccountModel(DriveWorld().service)
        #expect(!model.canCreate && model.nameError == nil && model.sizeError == nil)
        model.enter(name: String(repeating: "n", count: 65))
        #expect(model.nameError == .nameTooLong(bytes: 65))
        model.enter(name: "")
        #expect(model.nameError == .noName)
        model.enter(name: "n")
        model.enter(size: "1TB")
        #expect(model.nameError == nil && model.sizeError == .notASize && !model.canCreate)
        model.enter(size: "0.5KB")
        #expect(model.sizeError == .outOfRange)
        model.enter(size: " 1 mb ")
        #expect(model.sizeError == nil && model.size == 1 << 20 && model.canCreate)
    }

    @Test("shows the cost before anything is signed, when the prices are known")
    func cost() async {
        let world = DriveWorld(["getAccountInfo": [.chain(StorageConfig.sample)]])
        let model = CreateAccountModel(world.service)
        model.enter(size: "1GB")
        #expect(model.cost == nil)
        await model.appear()
        #expect(model.cost == 250_000_000 && Shades.text(model.cost!) == "0.25 SHDW")
        #expect(world.requests("getLatestBlockhash").isEmpty)
        let unknown = CreateAccountModel(DriveWorld(["getAccountInfo": [.offline]]).service)
        await unknown.appear()
        unknown.enter(size: "1GB")
        #expect(unknown.cost == nil)
    }

    @Test("makes the account, then begins anew")
    func creates() async {
        let world = DriveWorld()
        let model = filled(world)
        await model.create("1MB", at: .unknown)
        guard case .created(let created) = model.phase else {
            Issue.record("is \(model.phase)")
            return
        }
        #expect(created.account.address == world.account && !model.canCreate)
        model.enter(name: "other")
        #expect(model.name == "my-bucket")
        model.again()
        #expect(model.phase == .editing && model.name.isEmpty && model.size == nil && !model.canCreate)
    }

    @Test("shows each step, and a double tap makes one account")
    func steps() async {
        let client = ScriptedHTTPClient()
        let model = filled(DriveWorld(client: client))
        let creating = Task { await model.create("1MB", at: .unknown) }
        var seen: [CreateAccountModel.Phase] = []
        for (index, name) in ["getAccountInfo", "getAccountInfo", "getLatestBlockhash", "storage-account"].enumerated()
        {
            let exchange = await client.exchange(index)
            seen.append(model.phase)
            await model.create("1MB", at: .unknown)
            model.enter(name: "other")
            if case .answer(_, _, let body) = DriveWorld.usual(name, exchange.request) { exchange.respond(body: body) }
        }
        await creating.value
        #expect(seen == [.creating(.counting), .creating(.counting), .creating(.signing), .creating(.sending)])
        #expect(client.requests.count == 4 && model.name == "my-bucket")
    }

    @Test("says what went wrong, keeps what was typed, and tries again when told")
    func fails() async {
        let world = DriveWorld([
            "storage-account": [
                .error("custom program error: 0x1"),
                DriveWorld.usual("storage-account", HTTPRequest(.get, DriveWorld.base)),
            ]
        ])
        let model = filled(world)
        await model.create("1MB", at: .unknown)
        guard case .failed(let error) = model.phase else {
            Issue.record("is \(model.phase)")
            return
        }
        #expect(error.message(in: .english).contains("enough SOL"))
        #expect(error.message(in: .brazilianPortuguese).contains("SOL suficiente"))
        #expect(model.name == "my-bucket" && model.canCreate && world.requests("storage-account").count == 1)
        await model.create("1MB", at: .unknown)
        guard case .created = model.phase else {
            Issue.record("is \(model.phase)")
            return
        }
    }

    @Test("without a key nothing can be made")
    func noKey() async {
        let world = DriveWorld(keypair: nil)
        let model = filled(world)
        #expect(model.needsKey && !model.canCreate)
        await model.create("1MB", at: .unknown)
        #expect(world.client.requests.isEmpty)
    }
}

@MainActor
@Suite("An account's screen", .timeLimit(.minutes(10)))
struct AccountScreenTests {
    private func ready(_ replies: [String: [DriveWorld.Reply]] = [:]) async -> (DriveWorld, AccountModel) {
        let usual: [String: [DriveWorld.Reply]] = [
            "list-objects-and-sizes": [.json(#"{"files":[{"file_name":"a","size":100}]}"#)],
            "delete-file": [.json(#"{"message":"gone"}"#)],
            "edit": [.json(#"{"finalized_location":"\#(DriveWorld.files)/\#(Vectors.account)/a"}"#)],
        ]
        let world = DriveWorld(usual.merging(replies) { $1 })
        let model = AccountModel(world.service, account: world.account)
        await model.appear()
        return (world, model)
    }

    @Test("a price that did not come with the first load comes with the next")
    func latePrice() async {
        let (_, model) = await ready(["getAccountInfo": [.offline, .chain(StorageConfig.sample)]])
        #expect(model.config == nil && model.cost(of: "1GB") == nil)
        await model.refresh()
        #expect(model.config == .sample && model.cost(of: "1GB") != nil)
    }

    @Test("lists files, and changes are for the owner alone")
    func lists() async {
        let (world, model) = await ready()
        #expect(model.files == [StoredFile(name: "a", size: 100)] && model.account?.identifier == "my-bucket")
        #expect(model.isOwner && model.canChange && model.canAdd)
        let stranger = DriveWorld(keypair: .some(must { try Keypair() }))
        let other = AccountModel(stranger.service, account: world.account)
        await other.appear()
        await other.delete("a")
        #expect(!other.isOwner && !other.canChange && stranger.requests("delete-file").isEmpty)
    }

    @Test("uploads with progress and a result for each file, then lists anew")
    func uploads() async throws {
        let (world, model) = await ready()
        await model.upload([try world.file("x"), world.folder.appending(path: "gone")])
        let upload = try #require(model.upload)
        #expect(upload.isDone && upload.progress.fraction == 1 && upload.progress.filesDone == 2)
        #expect(upload.results.map { $0.location != nil } == [true, false])
        #expect(model.action == nil && model.lastDone == .uploading && model.problem == nil)
        #expect(world.requests("list-objects-and-sizes").count == 2)
        model.dismissUpload()
        #expect(model.upload == nil)
    }

    @Test("an upload can be cancelled: what was not sent is told")
    func cancels() async throws {
        let client = ScriptedHTTPClient { request in
            let name = DriveWorld.name(of: request)
            return name == "upload" ? .held : DriveWorld.usual(name, request)
        }
        let world = DriveWorld(client: client)
        let model = AccountModel(world.service, account: world.account)
        await model.appear()
        let file = try world.file("x")
        let asked = client.requests.count
        let uploading = Task { await model.upload([file]) }
        let exchange = await client.exchange(asked + 1)
        #expect(model.action == .uploading && !model.canChange && model.upload?.isDone == false)
        await model.delete("a")
        await model.upload([file])
        #expect(client.requests.count == asked + 2, "one change at a time")
        model.cancelUpload()
        await exchange.waitForCancellation()
        await uploading.value
        #expect(
            model.upload?.results.map(\.error) == [.outcomeUnknown(because: .cancelled)] && model.upload?.isDone == true
        )
    }

    @Test("leaving the screen stops the upload")
    func leaves() async throws {
        let client = ScriptedHTTPClient { request in
            let name = DriveWorld.name(of: request)
            return name == "upload" ? .held : DriveWorld.usual(name, request)
        }
        let world = DriveWorld(client: client)
        let model = AccountModel(world.service, account: world.account)
        await model.appear()
        let file = try world.file("x")
        let asked = client.requests.count
        let uploading = Task { await model.upload([file]) }
        let exchange = await client.exchange(asked + 1)
        uploading.cancel()
        await exchange.waitForCancellation()
        await uploading.value
        #expect(model.action == nil && model.upload?.isDone == true)
    }

    @Test("replaces and deletes by the file's own address")
    func changes() async throws {
        let (world, model) = await ready()
        await model.replace("a", with: try world.file("new content"))
        #expect(model.lastDone == .replacing("a"))
        #expect(world.requests("edit").first?.wire.contains(world.location("a").text) == true)
        await model.delete("a #1")
        #expect(model.lastDone == .deleting("a #1"))
        #expect(world.requests("delete-file").first?.json["location"] as? String == world.location("a #1").text)
    }

    @Test("a change that failed says so, until it is dismissed")
    func fails() async {
        let (world, model) = await ready(["delete-file": [.error("no", status: 401)]])
        defer { withExtendedLifetime(world) {} }
        await model.delete("a")
        #expect(model.problem == .refused(DriveRefusal(status: 401, words: "no")) && model.lastDone == nil)
        #expect(model.files.count == 1 && model.canChange)
        model.dismissProblem()
        #expect(model.problem == nil)
    }

    @Test("adds and gives back storage, and says what is no amount")
    func storage() async throws {
        let (world, model) = await ready()
        await model.addStorage("5TB", at: .unknown)
        #expect(model.sizeError == .notASize && world.requests("add-storage").isEmpty)
        let reserved = try #require(model.account?.reservedBytes)
        #expect(model.room(toAdd: "1024GB") == (1 << 40) - reserved && model.room(toAdd: "1MB") == nil)
        #expect(model.room(toAdd: "much") == nil)
        await model.addStorage("1MB", at: .unknown)
        #expect(model.sizeError == nil && model.lastDone == .addingStorage)
        await model.reduceStorage("512KB")
        #expect(model.lastDone == .reducingStorage && world.requests("reduce-storage").count == 1)
        await model.reduceStorage("1GB")
        #expect(model.problem == .limit(.tooMuch(free: 10_485_760 - 12345)))
    }

    @Test(
        "a name that nobody can see or type confirms nothing: then it is the address",
        arguments: ["", " ", "\\n", "a\\nb", "\\u200b", "\\u0007", " a"])
    func unseen(name: String) async {
        let (world, model) = await ready(["storage-account-info": [.info("\(Vectors.account)", name: name)]])
        for typed in ["", " ", model.account?.identifier ?? "?"] {
            await model.makeImmutable(confirmedBy: typed)
            await model.deleteAccount(confirmedBy: typed)
        }
        #expect(world.requests("make-immutable").isEmpty && world.requests("sendTransaction").isEmpty)
        await model.makeImmutable(confirmedBy: "\(Vectors.account)")
        #expect(world.requests("make-immutable").count == 1)
    }

    @Test("becomes immutable only when its name was typed, and then takes new files and storage, and nothing else")
    func immutable() async throws {
        let infos: [DriveWorld.Reply] = [
            .info("\(Vectors.account)"), .info("\(Vectors.account)", immutable: true),
        ]
        let (world, model) = await ready(["storage-account-info": infos])
        for typed in ["", "My-bucket", "my-bucket ", "yes"] { await model.makeImmutable(confirmedBy: typed) }
        #expect(world.requests("make-immutable").isEmpty)
        await model.makeImmutable(confirmedBy: "my-bucket")
        #expect(world.requests("make-immutable").count == 1 && model.account?.isImmutable == true)
        #expect(!model.canChange && model.canAdd)
        await model.delete("a")
        await model.replace("a", with: try world.file("content"))
        await model.upload([try world.file("a")], replacing: true)
        await model.reduceStorage("1KB")
        await model.deleteAccount(confirmedBy: "my-bucket")
        for path in ["delete-file", "edit", "upload", "reduce-storage", "sendTransaction"] {
            #expect(world.requests(path).isEmpty, "\(path)")
        }
        await model.upload([try world.file("new")])
        #expect(model.upload?.results.map(\.error) == [nil])
        await model.addStorage("1MB", at: .unknown)
        #expect(world.requests("add-storage").count == 1)
    }

    @Test("an account that the chain has under another name than the page is not ended")
    func swapped() async throws {
        let other = StorageAccountV2(
            storage: 1, owner1: Vectors.owner.publicKey, accountCounterSeed: 0, creationTime: 0, creationEpoch: 0,
            lastFeeEpoch: 0, identifier: "precious")
        let (world, model) = await ready(["getAccountInfo": [.chain(other)]])
        await model.makeImmutable(confirmedBy: "my-bucket")
        guard case .invalidData? = model.problem else {
            Issue.record("is \(String(describing: model.problem))")
            return
        }
        await model.deleteAccount(confirmedBy: "my-bucket")
        guard case .invalidData? = model.problem else {
            Issue.record("is \(String(describing: model.problem))")
            return
        }
        #expect(world.requests("make-immutable").isEmpty && world.requests("sendTransaction").isEmpty)
    }

    @Test("its deletion is asked for only when its name was typed, and can be taken back")
    func deletion() async throws {
        let world = DriveWorld(["getSignatureStatuses": [.confirmed]])
        let model = AccountModel(world.service, account: world.account)
        await model.appear()
        await model.keepAccount()
        await model.claim()
        await model.deleteAccount(confirmedBy: "my-bucke")
        #expect(world.requests("sendTransaction").isEmpty)
        await model.deleteAccount(confirmedBy: "my-bucket")
        #expect(model.lastDone == .askingForDeletion && world.requests("sendTransaction").count == 1)
    }

    @Test("no state holds the key")
    func noSecrets() async throws {
        let (world, model) = await ready()
        await model.upload([try world.file("x")])
        let creating = CreateAccountModel(world.service)
        creating.enter(name: "n")
        creating.enter(size: "1MB")
        await creating.create("1MB", at: .unknown)
        var dumped = ""
        dump([model as Any, creating, AccountsModel(world.service), world.service], to: &dumped)
        let seed = hex(Vectors.all.inputs.owner_seed_hex)
        for text in [
            seed.hexadecimal, seed.base64EncodedString(), Base58.encode(seed),
            seed.map(String.init).joined(separator: ", "),
            Vectors.all.inputs.owner_secret_key_64_base58,
        ] {
            #expect(!dumped.contains(text))
            for entry in try await world.store.entries() {
                let bytes = try await world.store.retrieve(entry.key)?.bytes ?? Data()
                #expect(!String(decoding: bytes, as: UTF8.self).contains(text))
            }
            for request in world.client.requests { #expect(!request.wire.contains(text)) }
        }
        #expect(dumped.contains("\(world.owner.publicKey)"), "the dump shows what there is")
    }
}

@Suite("Messages")
struct MessageTests {
    @Test("every error has a message in both languages, and none repeats a page of words")
    func messages() {
        let errors: [DriveError] =
            [
                .connectivity(TransportError(.offline)), .connectivity(TransportError(.timedOut)),
                .invalidData(.status(1)), .outcomeUnknown(because: .connectivity(TransportError(.timedOut))),
                .outcomeUnknown(because: .invalidData(.status(1))), .outcomeUnknown(because: .cancelled),
                .noSuchFile("x"), .noKeypair, .priceChanged(cost: 1), .priceChanged(cost: nil),
                .store(.full(path: "/")), .transaction(.versioned),
                .limit(.noName), .limit(.nameTooLong(bytes: 65)), .limit(.size(.zero)), .limit(.size(.notASize)),
                .limit(.size(.outOfRange)), .limit(.tooMuch(free: 1)), .limit(.immutable),
                .file(.unreadable(name: "n", reason: "r")), .file(.tooLarge(name: "n", bytes: 1 << 31)),
                .file(.badName(name: "n", reason: "r")), .file(.repeated(name: "n")), .file(.changed(name: "n")),
                .file(.unwritable(path: "p", reason: "r")),
            ] + DriveRefusal.Reason.allCases.map { .refused(DriveRefusal(status: 400, words: "words", reason: $0)) }
        for error in errors {
            let (english, portuguese) = (error.message(in: .english), error.message(in: .brazilianPortuguese))
            #expect(!english.isEmpty && !portuguese.isEmpty && english != portuguese, "\(error)")
            #expect(!error.description.isEmpty && error.description.count < 400)
        }
        #expect(DriveError.cancelled.message(in: .english).isEmpty)
    }

    @Test("a transaction that Solana has not confirmed yet is told as that, also where its outcome is unknown")
    func unconfirmed() {
        let refusal = DriveRefusal(status: 200, words: "it is in no block", reason: .unconfirmed)
        let unknown = DriveError.outcomeUnknown(because: .refused(refusal))
        #expect(unknown.message(in: .english) == "Solana hasn’t confirmed it yet. Look again in a moment.")
        #expect(
            unknown.message(in: .brazilianPortuguese)
                == "A Solana ainda não confirmou. Confira de novo em instantes.")
    }

    @Test(
        "amounts are written with as many digits as they have",
        arguments: [
            (0, "0 SHDW"), (1, "0.000000001 SHDW"), (250_000_000, "0.25 SHDW"), (1_000_000_000, "1 SHDW"),
            (1_500_000_000, "1.5 SHDW"), (.max, "18446744073.709551615 SHDW"),
        ] as [(UInt64, String)])
    func shades(amount: UInt64, text: String) {
        #expect(Shades.text(amount) == text)
    }
}
