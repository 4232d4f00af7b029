import Aquifer
import AquiferConcurrency
import AquiferTesting
import AquiferWording
import Foundation
import Testing

@testable import AquiferShadowDrive

/// The courses of the specification, one after another.
@Suite("Create storage account from remote", .timeLimit(.minutes(10)))
struct CreateFromRemoteTests {
    @Test("Primary course: sends the partially signed transaction and delivers the created storage account")
    func primary() async throws {
        let world = DriveWorld()
        let created = try await world.service.createStorageAccount(name: "my-bucket", size: 1 << 20)
        #expect(created.account.address == world.account && created.transactionSignature == DriveWorld.signature)
        #expect(created.account.identifier == "my-bucket" && created.account.reservedBytes == 1 << 20)
        #expect(created.saveError == nil)
        let request = try #require(world.requests("storage-account").first)
        #expect(request.method == .post && request.url.absoluteString == "http://drive.example/storage-account")
        #expect(request.headers["Content-Type"] == "application/json")
        let vector = Vectors.all.transactions["initialize_account2"]!.rust_order.no_compute_budget
        #expect(request.json as? [String: String] == ["transaction": vector.transaction_base64])
    }

    @Test("Primary course, with a transaction that the owner signed elsewhere")
    func serialized() async throws {
        let world = DriveWorld(keypair: nil)
        let vector = Vectors.all.transactions["initialize_account2"]!.rust_order.with_compute_budget
        let transaction = try SolanaTransaction(base64: vector.transaction_base64)
        let created = try await world.service.createStorageAccount(transaction: transaction)
        #expect(created.account.address == world.account && created.account.identifier == "my-bucket")
        #expect(
            world.requests("storage-account").map { $0.json["transaction"] as? String } == [vector.transaction_base64])
        #expect(world.client.requests.count == 1, "nothing else is asked")
    }

    @Test("Replaces the cache with adding the storage account, without the network")
    func replaces() async throws {
        let world = DriveWorld()
        _ = try await world.service.createStorageAccount(name: "my-bucket", size: 1 << 20)
        let asked = world.client.requests.count
        let saved = try #require(try await world.service.accounts?.saved())
        #expect(saved.value.accounts.map(\.address) == [world.account] && saved.value.isComplete)
        #expect(world.client.requests.count == asked)
    }

    @Test(
        "Invalid data: an answer that is not the contract's",
        arguments: [
            "", "no JSON", "[]", "{}", #"{"shdw_bucket":"x"}"#, #"{"transaction_signature":"x"}"#,
            #"{"shdw_bucket":"x","transaction_signature":"\#(DriveWorld.signature)"}"#,
            #"{"shdw_bucket":"\#(Vectors.owner.publicKey)","transaction_signature":"\#(DriveWorld.signature)"}"#,
            #"{"shdw_bucket":"\#(Vectors.account)","transaction_signature":7}"#,
        ])
    func invalid(body: String) async throws {
        let world = DriveWorld(["storage-account": [.json(body)]])
        let error = await failure { () async throws(DriveError) in
            try await world.service.createStorageAccount(name: "n", size: 1024)
        }
        guard case .outcomeUnknown(because: .invalidData)? = error else {
            Issue.record("is \(String(describing: error))")
            return
        }
        #expect(try await world.service.accounts?.saved() == nil)
        #expect(world.requests("storage-account").count == 1, "it may have been made: never again by itself")
    }

    @Test("The account may stay unnamed: it is the one that was asked for")
    func unnamed() async throws {
        let world = DriveWorld([
            "storage-account": [
                .json(#"{"transaction_signature":"\#(DriveWorld.signature(creating: "n"))"}"#, status: 201)
            ]
        ])
        #expect(try await world.service.createStorageAccount(name: "n", size: 1024).account.address == world.account)
    }

    @Test(
        "No connectivity: delivers a connectivity error, at each step",
        arguments: [
            "getAccountInfo", "getLatestBlockhash", "storage-account",
        ])
    func noConnectivity(step: String) async throws {
        let world = DriveWorld([step: [.offline]])
        let error = await failure { () async throws(DriveError) in
            try await world.service.createStorageAccount(name: "n", size: 1024)
        }
        #expect(error == .connectivity(TransportError(.cannotConnect)) && error?.isOutcomeUnknown == false)
        #expect(world.requests(step).count == 1)
    }

    @Test(
        "A time-out leaves it open whether the account was made",
        arguments: [TransportError.Kind.timedOut, .interrupted])
    func timeOut(kind: TransportError.Kind) async throws {
        let world = DriveWorld(["storage-account": [.failure(TransportError(kind))]])
        let error = await failure { () async throws(DriveError) in
            try await world.service.createStorageAccount(name: "n", size: 1024)
        }
        #expect(error == .outcomeUnknown(because: .connectivity(TransportError(kind))))
        #expect(world.requests("storage-account").count == 1)
    }

    @Test(
        "A time-out of a question before the account is made leaves nothing open",
        arguments: ["getAccountInfo", "getLatestBlockhash"])
    func questionTimeOut(step: String) async throws {
        let world = DriveWorld([step: [.failure(TransportError(.timedOut))]])
        let error = await failure { () async throws(DriveError) in
            try await world.service.createStorageAccount(name: "n", size: 1024)
        }
        #expect(error == .connectivity(TransportError(.timedOut)) && error?.isOutcomeUnknown == false)
        #expect(world.requests("storage-account").isEmpty)
    }

    @Test("Who leaves while another account is being made has made none, and those behind go on")
    func leftInLine() async throws {
        let client = ScriptedHTTPClient { request in
            let name = DriveWorld.name(of: request)
            return name == "storage-account" ? .held : DriveWorld.usual(name, request)
        }
        let world = DriveWorld(client: client)
        let first = Task { try await world.service.createStorageAccount(name: "first", size: 1024) }
        let exchange = await client.exchange(2)
        let waits = Task { () async throws(DriveError) in
            try await world.service.createStorageAccount(name: "waits", size: 1024)
        }
        waits.cancel()
        exchange.respond(
            body: Data(
                #"{"shdw_bucket":"\#(world.account)","transaction_signature":"\#(DriveWorld.signature(creating: "first"))"}"#
                    .utf8))
        #expect(try await first.value.account.address == world.account)
        let error = await failure { () async throws(DriveError) in
            do { _ = try await waits.value } catch let error as DriveError { throw error } catch { throw .noKeypair }
        }
        #expect(error == .cancelled && world.requests("storage-account").count == 1)
        let third = Task { try await world.service.createStorageAccount(name: "third", size: 1024) }
        await client.exchange(5).fail(TransportError(.cannotConnect))
        await #expect(throws: DriveError.connectivity(TransportError(.cannotConnect))) { _ = try await third.value }
    }

    @Test("Leaving once the transaction is with the server leaves it open; an address that is none does not")
    func left() async throws {
        let world = DriveWorld(["storage-account": [.failure(TransportError(.cancelled))]])
        let error = await failure { () async throws(DriveError) in
            try await world.service.createStorageAccount(name: "n", size: 1024)
        }
        #expect(error == .outcomeUnknown(because: .cancelled))
        let nowhere = DriveWorld(["storage-account": [.failure(TransportError(.unsupportedURL))]])
        let other = await failure { () async throws(DriveError) in
            try await nowhere.service.createStorageAccount(name: "n", size: 1024)
        }
        #expect(other == .invalidData(.unusable(TransportError(.unsupportedURL))))
    }

    @Test("A blockhash that was not found is replaced by a fresh one, once", arguments: [1, 2])
    func staleBlockhash(times: Int) async throws {
        let fresh = "4vJ9JU1bJJE96FWSJKvHsmmFADCg4gpZQff4P3bkLKi"
        let stale = DriveWorld.Reply.error("Transaction simulation failed: Blockhash not found")
        let world = DriveWorld([
            "getLatestBlockhash": [.blockhash(Vectors.all.inputs.blockhash_base58), .blockhash(fresh)],
            "storage-account": Array(repeating: stale, count: times) + [.usually],
        ])
        let error = await failure { () async throws(DriveError) in
            try await world.service.createStorageAccount(name: "n", size: 1024)
        }
        let sent = try world.requests("storage-account").map {
            try SolanaTransaction(base64: try #require($0.json["transaction"] as? String))
        }
        #expect(sent.map(\.message.blockhash.description) == [Vectors.all.inputs.blockhash_base58, fresh])
        for transaction in sent { try transaction.verify(allowingMissing: [world.service.program.uploader]) }
        if times == 1 {
            #expect(error == nil)
        } else {
            guard case .refused(let refusal)? = error else {
                Issue.record("is \(String(describing: error))")
                return
            }
            #expect(refusal.reason == .staleBlockhash)
        }
    }

    @Test(
        "Refused: the server's words, and nothing is sent again",
        arguments: [
            (
                400, "Transaction simulation failed: Error processing Instruction 0: custom program error: 0x1",
                DriveRefusal.Reason.notEnoughFunds
            ),
            (400, "custom program error: 0x10", .other), (401, "bad signature", .badSignature),
            (409, "oh", .other),
        ])
    func refused(status: Int, words: String, reason: DriveRefusal.Reason) async throws {
        let world = DriveWorld(["storage-account": [.error(words, status: status)]])
        let error = await failure { () async throws(DriveError) in
            try await world.service.createStorageAccount(name: "n", size: 1024)
        }
        #expect(error == .refused(DriveRefusal(status: status, words: words, reason: reason)))
        #expect(world.requests("storage-account").count == 1)
        if reason == .notEnoughFunds { #expect("\(error!)".contains("too little SOL")) }
    }

    @Test(
        "What is beyond the limits is refused before anything is sent",
        arguments: [
            ("", 1024, LimitError.noName), (String(repeating: "n", count: 65), 1024, .nameTooLong(bytes: 65)),
            ("n", 0, .size(.zero)), ("n", 1023, .size(.outOfRange)), ("n", (1 << 40) + 1, .size(.outOfRange)),
        ] as [(String, UInt64, LimitError)])
    func limits(name: String, size: UInt64, limit: LimitError) async {
        let world = DriveWorld()
        let error = await failure { () async throws(DriveError) in
            try await world.service.createStorageAccount(name: name, size: size)
        }
        #expect(error == .limit(limit) && world.client.requests.isEmpty)
    }

    @Test("Without a key nothing is sent")
    func noKey() async {
        let world = DriveWorld(keypair: nil)
        let error = await failure { () async throws(DriveError) in
            try await world.service.createStorageAccount(name: "n", size: 1024)
        }
        #expect(error == .noKeypair && world.client.requests.isEmpty && world.service.accounts == nil)
    }

    @Test("A transaction that is not what it should be is refused before it is sent")
    func wrongTransactions() async throws {
        let world = DriveWorld()
        let program = world.service.program
        func error(_ transaction: SolanaTransaction) async -> DriveError? {
            await failure { () async throws(DriveError) in
                try await world.service.createStorageAccount(transaction: transaction)
            }
        }
        var unsigned = try program.transaction(
            .create(name: "n", bytes: 1024), owner: world.owner.publicKey, account: world.account,
            blockhash: Vectors.blockhash)
        #expect(await error(unsigned) == .transaction(.missingSignature(world.owner.publicKey)))
        try unsigned.sign(with: world.owner)
        #expect(await error(unsigned) == nil)
        var other = try program.transaction(
            .requestDeletion, owner: world.owner.publicKey, account: world.account, blockhash: Vectors.blockhash)
        try other.sign(with: world.owner)
        guard case .transaction(.unexpected)? = await error(other) else {
            Issue.record("another instruction was sent")
            return
        }
        var long = try program.transaction(
            .create(name: String(repeating: "n", count: 65), bytes: 1024), owner: world.owner.publicKey,
            account: world.account, blockhash: Vectors.blockhash)
        try long.sign(with: world.owner)
        #expect(await error(long) == .limit(.nameTooLong(bytes: 65)))
        #expect(world.requests("storage-account").count == 1)
    }

    @Test("The number of the new account is the chain's count")
    func counter() async throws {
        let account = Vectors.program.storageAccount(of: Vectors.owner.publicKey, counter: 256)
        let world = DriveWorld([
            "getAccountInfo": [.chain(UserInfo(accountCounter: 256))],
            "storage-account": [
                .json(
                    #"{"shdw_bucket":"\#(account)","transaction_signature":"\#(DriveWorld.signature(creating: "n", account: account))"}"#
                )
            ],
        ])
        let created = try await world.service.createStorageAccount(name: "n", size: 1024)
        #expect(created.account.counterSeed == 256 && created.account.address == account)
        let saved = try #require(try await world.service.accounts?.saved()?.value)
        #expect(!saved.isComplete, "there are 256 older ones, and none of them is known")
        #expect(
            world.requests("getAccountInfo").first?.json["params"].map { "\($0)" }?
                .contains("\(Vectors.program.userInfo(of: Vectors.owner.publicKey))") == true)
    }

    @Test("A count that another program wrote, or that is no count, is invalid data")
    func wrongCounter() async {
        for reply in [
            DriveWorld.Reply.chain(UserInfo(accountCounter: 1), owner: SolanaPrograms.token),
            .chain(UnstakeInfo(time: 0, epoch: 0, unstaker: SolanaPrograms.token)),
        ] {
            let world = DriveWorld(["getAccountInfo": [reply]])
            let error = await failure { () async throws(DriveError) in
                try await world.service.createStorageAccount(name: "n", size: 1024)
            }
            guard case .invalidData? = error else {
                Issue.record("is \(String(describing: error))")
                continue
            }
        }
    }
}

@Suite("Storage accounts, offline", .timeLimit(.minutes(10)))
struct AccountsOfflineTests {
    private func world(savedAge: TimeInterval?, replies: [String: [DriveWorld.Reply]] = ["getAccountInfo": [.offline]])
        async throws -> DriveWorld
    {
        let world = DriveWorld(replies)
        if let savedAge {
            try await world.service.shelf!.add(
                StorageAccount(
                    address: world.account, identifier: "saved", reservedBytes: 1024, owner: world.owner.publicKey,
                    counterSeed: 0, creationTime: 1), isFirst: true)
            world.date.advance(by: savedAge)
        }
        return world
    }

    private let week: TimeInterval = 7 * 86_400

    @Test("Less than seven days old: displays the latest accounts saved")
    func fresh() async throws {
        let world = try await world(savedAge: week - 1)
        let loaded = try await world.service.accounts!.load()
        #expect(loaded.value.accounts.map(\.identifier) == ["saved"])
        guard case .cache(_, because: .connectivity) = loaded.source else {
            Issue.record("is \(loaded.source)")
            return
        }
    }

    @Test("Seven days old or more: displays an error message", arguments: [0, 1])
    func expired(more: TimeInterval) async throws {
        let world = try await world(savedAge: week + more)
        let error = await failure { () async throws(LoadError) in try await world.service.accounts!.load() }
        #expect(error == .connectivity(TransportError(.cannotConnect)))
        #expect(error?.message(in: .english).isEmpty == false)
    }

    @Test("Empty cache: displays an error message")
    func empty() async throws {
        let world = try await world(savedAge: nil)
        let error = await failure { () async throws(LoadError) in try await world.service.accounts!.load() }
        #expect(error == .connectivity(TransportError(.cannotConnect)))
    }

    // Cache new storage accounts: beyond the courses of the specification (see StorageAccountsCacheTests)

    private func account(_ counter: UInt32) -> StorageAccount {
        StorageAccount(
            address: Vectors.program.storageAccount(of: Vectors.owner.publicKey, counter: counter),
            identifier: "new \(counter)", reservedBytes: 1024, owner: Vectors.owner.publicKey, counterSeed: counter,
            creationTime: 1)
    }

    @Test("Each account has its own age: one made on day 6 does not keep those of day 0 beyond day 7")
    func ages() async throws {
        let world = try await world(savedAge: 6 * 86_400)
        try await world.service.shelf!.add(account(1), isFirst: false)
        let madeAt = world.date.read()
        world.date.advance(by: 86_400 - 1)
        #expect(try await world.service.accounts!.load().value.accounts.count == 2)
        world.date.advance(by: 1)
        let loaded = try await world.service.accounts!.load()
        #expect(loaded.value.accounts.map(\.identifier) == ["new 1"] && !loaded.value.isComplete)
        #expect(loaded.savedAt == madeAt)
        world.date.advance(by: 6 * 86_400 - 1)
        #expect(try await world.service.accounts!.saved()?.savedAt == madeAt)
        world.date.advance(by: 1)
        #expect(try await world.service.accounts!.saved() == nil)
    }

    @Test("A change of an account, and a third one, leave each account its age")
    func agesStay() async throws {
        let world = try await world(savedAge: 2 * 86_400)
        let first = world.date.read().addingTimeInterval(-2 * 86_400)
        try await world.service.shelf!.add(account(1), isFirst: false)
        let second = world.date.read()
        world.date.advance(by: 3 * 86_400)
        try await world.service.shelf!.amend(account(1).address) { $0.isImmutable = true }
        try await world.service.shelf!.add(account(2), isFirst: false)
        let saved = try #require(try await world.service.accounts!.saved())
        #expect(saved.savedAt == first && saved.value.accounts.map(\.identifier) == ["saved", "new 1", "new 2"])
        #expect(saved.value.addedAt(world.account) == nil && saved.value.addedAt(account(1).address) == second)
        #expect(saved.value.accounts[1].isImmutable)
        world.date.advance(by: 2 * 86_400)
        let later = try #require(try await world.service.accounts!.saved())
        #expect(later.savedAt == second && later.value.accounts.map(\.identifier) == ["new 1", "new 2"])
    }

    @Test("The latest list gives all accounts one age again")
    func agesEnd() async throws {
        let world = try await world(
            savedAge: 86_400, replies: ["getAccountInfo": [.chain(UserInfo(accountCounter: 2))]])
        try await world.service.shelf!.add(account(1), isFirst: false)
        world.date.advance(by: 86_400)
        _ = try await world.service.accounts!.load()
        let saved = try #require(try await world.service.accounts!.saved())
        #expect(saved.savedAt == world.date.read() && saved.value.addedAt(account(1).address) == nil)
    }

    @Test("A list without ages is read as one that was fetched when its entry was stamped")
    func oldFormat() async throws {
        let world = try await world(savedAge: nil)
        let old =
            #"{"isComplete":true,"accounts":[{"storage_account":"\#(world.account)","identifier":"old","reserved_bytes":1024,"current_usage":0,"immutable":false,"to_be_deleted":false,"delete_request_epoch":0,"owner1":"\#(world.owner.publicKey)","version":"V2"}]}"#
        let stamp = world.date.read()
        try await world.store.insert(
            StoredEntry(bytes: Data(old.utf8), savedAt: stamp), for: world.service.shelf!.cache.key)
        world.date.advance(by: 86_400)
        try await world.service.shelf!.add(account(1), isFirst: false)
        let saved = try #require(try await world.service.accounts!.saved())
        #expect(saved.savedAt == stamp && saved.value.accounts.map(\.identifier) == ["old", "new 1"])
    }

    @Test("Cache new account: what has expired or cannot be read is not brought back")
    func cacheNewOverOld() async throws {
        let expired = try await world(savedAge: week)
        try await expired.service.shelf!.add(account(1), isFirst: false)
        let list = try #require(try await expired.service.accounts!.saved()?.value)
        #expect(list.accounts.map(\.identifier) == ["new 1"] && !list.isComplete)
        let unreadable = try await world(savedAge: nil)
        try await unreadable.store.insert(
            StoredEntry(bytes: Data("no JSON".utf8), savedAt: unreadable.date.read()),
            for: unreadable.service.shelf!.cache.key)
        try await unreadable.service.shelf!.add(account(1), isFirst: false)
        #expect(try await unreadable.service.accounts!.saved()?.value.accounts.count == 1)
    }

    @Test("Cache new account: the same account twice is one")
    func cacheTwice() async throws {
        let world = try await world(savedAge: 1)
        try await world.service.shelf!.add(account(1), isFirst: false)
        try await world.service.shelf!.add(account(1), isFirst: false)
        #expect(try await world.service.accounts!.saved()?.value.accounts.count == 2)
    }

    @Test("A created account that cannot be saved is delivered, with the error beside it")
    func createdNotSaved() async throws {
        let world = try await world(savedAge: nil, replies: [:])
        world.store.fail(.update, with: .full(path: "/s"))
        let created = try await world.service.createStorageAccount(name: "n", size: 1024)
        #expect(created.account.address == world.account && created.saveError == .full(path: "/s"))
    }

    @Test("Two accounts made at once are both in the list saved")
    func together() async throws {
        let world = try await world(savedAge: 1)
        await withTaskGroup(of: Void.self) { group in
            for counter in 1...20 as ClosedRange<UInt32> {
                let account = account(counter)
                group.addTask { try? await world.service.shelf!.add(account, isFirst: false) }
            }
        }
        #expect(try await world.service.accounts!.saved()?.value.accounts.count == 21)
    }
}

@Suite("Storage accounts, online", .timeLimit(.minutes(10)))
struct AccountsOnlineTests {
    @Test("Each account that was ever made is asked for, and listed in their order; then saved")
    func list() async throws {
        let world = DriveWorld(["getAccountInfo": [.chain(UserInfo(accountCounter: 9))]])
        let loaded = try await world.service.accounts!.load()
        #expect(loaded.source == .remote && loaded.value.isComplete)
        #expect(
            loaded.value.accounts.map(\.address)
                == (0..<9).map {
                    Vectors.program.storageAccount(of: Vectors.owner.publicKey, counter: $0)
                })
        #expect(try await world.service.accounts!.saved()?.value == loaded.value)
        #expect(world.requests("storage-account-info").count == 9)
    }

    @Test("An owner that the chain does not know has no accounts, and that is saved too")
    func none() async throws {
        let world = DriveWorld()
        #expect(try await world.service.accounts!.load().value == AccountList([]))
        #expect(try await world.service.accounts!.saved()?.value == AccountList([]))
    }

    @Test("At most four questions are asked at once")
    func bounded() async throws {
        let client = ScriptedHTTPClient { request in
            DriveWorld.name(of: request) == "getAccountInfo" ? .chain(UserInfo(accountCounter: 9)) : .held
        }
        let world = DriveWorld(client: client)
        let loading = Task { try await world.service.accounts!.load() }
        for index in 1...9 {
            let exchange = await client.exchange(index)
            #expect(client.requests.count <= index + 4)
            let body = DriveWorld.Reply.info(exchange.request.json["storage_account"] as? String ?? "?")
            if case .answer(_, _, let body) = body { exchange.respond(body: body) }
        }
        #expect(try await loading.value.value.accounts.count == 9)
    }

    @Test("A deleted one, which the server refuses and the chain does not know, is skipped")
    func deleted() async throws {
        let addresses = (0..<3).map { Vectors.program.storageAccount(of: Vectors.owner.publicKey, counter: $0) }
        let world = DriveWorld(
            client: ScriptedHTTPClient { request in
                switch DriveWorld.name(of: request) {
                case "getAccountInfo":
                    let asked = (request.json["params"] as? [Any])?.first as? String
                    return asked == "\(addresses[1])"
                        ? DriveWorld.usual("getAccountInfo", request) : .chain(UserInfo(accountCounter: 3))
                case let name:
                    let asked = request.json["storage_account"] as? String
                    return asked == "\(addresses[1])"
                        ? .error("no such account", status: 404) : DriveWorld.usual(name, request)
                }
            })
        #expect(try await world.service.accounts!.load().value.accounts.map(\.address) == [addresses[0], addresses[2]])
    }

    /// One account: the server says that it is out of order, and the chain says that the account is there.
    private func outOfOrder(status: Int = 500) -> DriveWorld {
        DriveWorld(
            client: ScriptedHTTPClient { request in
                let name = DriveWorld.name(of: request)
                guard name == "getAccountInfo" else { return .error("out of order", status: status) }
                let asked = (request.json["params"] as? [Any])?.first as? String
                return asked == "\(Vectors.program.userInfo(of: Vectors.owner.publicKey))"
                    ? .chain(UserInfo(accountCounter: 1))
                    : .chain(UnstakeInfo(time: 0, epoch: 0, unstaker: Vectors.account))
            })
    }

    @Test("One that the server refuses and the chain knows is an error, in the server's words, when nothing is saved")
    func refused() async throws {
        let world = outOfOrder()
        let error = await failure { () async throws(LoadError) in try await world.service.accounts!.load() }
        guard case .invalidData(.body(let words))? = error else {
            Issue.record("is \(String(describing: error))")
            return
        }
        #expect(words.contains("out of order"))
        #expect(try await world.service.accounts!.saved() == nil)
    }

    @Test("One that the server refuses and the chain knows is no deleted one: the saved list stands in")
    func refusedAndSaved() async throws {
        let world = outOfOrder()
        let saved = StorageAccount(
            address: world.account, identifier: "saved", reservedBytes: 1024, owner: world.owner.publicKey,
            counterSeed: 0, creationTime: 1)
        let savedAt = world.date.now
        try await world.service.shelf!.add(saved, isFirst: true)
        world.date.advance(by: 60)
        let loaded = try await world.service.accounts!.load()
        #expect(loaded.value == AccountList([saved]))
        guard case .cache(savedAt, because: .invalidData) = loaded.source else {
            Issue.record("\(loaded.source)")
            return
        }
        #expect(try await world.service.accounts!.saved()?.value == AccountList([saved]), "nothing was saved over it")
    }

    @Test(
        "One that the server misses and the chain knows says nothing about the list: the saved list stands in",
        arguments: [404, 410])
    func missesOne(status: Int) async throws {
        let world = outOfOrder(status: status)
        try await world.service.shelf!.cache.save(AccountList([]))
        let loaded = try await world.service.accounts!.load()
        guard case .cache(_, because: .invalidData(.body(let words))?) = loaded.source else {
            Issue.record("\(loaded.source)")
            return
        }
        #expect(words.contains("out of order"))
    }

    @Test("A list that the server or the chain denies is hidden and kept", arguments: [401, 403])
    func deniedList(status: Int) async throws {
        for world in [
            outOfOrder(status: status), DriveWorld(client: ScriptedHTTPClient { _ in .answer(status: status) }),
        ] {
            try await world.service.shelf!.cache.save(AccountList([]))
            let error = await failure { () async throws(LoadError) in try await world.service.accounts!.load() }
            #expect(error == .invalidData(.status(status)))
            #expect(try await world.service.accounts!.saved()?.value == AccountList([]), "kept")
        }
    }

    @Test(
        "The contents of an account that the server denies or does not have are hidden and kept",
        arguments: [401, 403, 404, 410])
    func deniedContents(status: Int) async throws {
        let isDenied = Locked(false)
        let world = DriveWorld(
            client: ScriptedHTTPClient { request in
                isDenied.withLock { $0 }
                    ? .error("no such account", status: status)
                    : DriveWorld.usual(DriveWorld.name(of: request), request)
            })
        let contents = world.service.contents(of: world.account)
        let latest = try await contents.load().value
        isDenied.withLock { $0 = true }
        let error = await failure { () async throws(LoadError) in try await contents.load() }
        #expect(error == .invalidData(.status(status)))
        #expect(try await contents.saved()?.value == latest, "kept")
    }

    @Test("The aliases of other clients are taken, the contract's names are kept")
    func aliases() throws {
        let json = """
            {"storage_account":"\(Vectors.account)","reserved_bytes":1,"current_usage":2,"immutable":true,"to_be_deleted":true,
            "delete_request_epoch":3,"owner_1":"\(Vectors.owner.publicKey)","owner_2":"\(Vectors.program.id)",
            "accountCoutnerSeed":4,"creation_time":5,"creation_epoch":6,"last_fee_epoch":7,"identifier":"old","version":"V1"}
            """
        let account = try JSONDecoder().decode(StorageAccount.self, from: Data(json.utf8))
        #expect(account.owner1 == Vectors.owner.publicKey && account.owner2 == Vectors.program.id)
        #expect(account.counterSeed == 4 && account.version == .v1 && account.isImmutable && account.freeBytes == 0)
        let written = String(decoding: try JSONEncoder().encode(account), as: UTF8.self)
        #expect(written.contains("\"owner1\"") && written.contains("\"account_counter_seed\":4"))
        #expect(try JSONDecoder().decode(StorageAccount.self, from: Data(written.utf8)) == account)
    }

    @Test("The contract's own example is understood")
    func example() throws {
        let json = """
            {"storage_account":"EY8ZktbRmecPLfopBxJfNBGUPT1LMqZmDFVcWeMTGPcN","reserved_bytes":10485760,"current_usage":0,
             "immutable":false,"to_be_deleted":false,"delete_request_epoch":0,"owner1":"GXE2RHkdivb7pdBykiAr9mpKy1kHF1Qe7oZqnX4NwkoD",
             "account_counter_seed":0,"creation_time":1665690481,"creation_epoch":359,"last_fee_epoch":359,"identifier":"myDemoBucket","version":"V2"}
            """
        let account = try JSONDecoder().decode(StorageAccount.self, from: Data(json.utf8))
        #expect(account.identifier == "myDemoBucket" && account.reservedBytes == 10_485_760 && account.version == .v2)
        #expect(account.creationTime == 1_665_690_481 && account.owner2 == nil)
    }
}
