import Aquifer
import AquiferTesting
import AquiferWording
import Foundation
import Testing

@testable import AquiferShadowDrive

/// The specification's input: a transaction that the owner has signed elsewhere.
@Suite("Transactions that were signed elsewhere", .timeLimit(.minutes(10)))
struct HandedOverTests {
    private func transaction(_ instruction: StorageInstruction) throws -> SolanaTransaction {
        var transaction = try Vectors.program.transaction(
            instruction, owner: Vectors.owner.publicKey, account: Vectors.account, blockhash: Vectors.blockhash)
        try transaction.sign(with: Vectors.owner)
        return transaction
    }

    @Test(
        "each goes the way of its instruction, as it is, once, and no key is needed",
        arguments: [
            (StorageInstruction.create(name: "n", bytes: 1024), "storage-account"),
            (.increase(bytes: 1), "add-storage"), (.increaseImmutable(bytes: 1), "add-storage"),
            (.decrease(bytes: 1, used: 0), "reduce-storage"), (.makeImmutable(used: 0), "make-immutable"),
        ])
    func ways(instruction: StorageInstruction, path: String) async throws {
        let world = DriveWorld(keypair: nil)
        let transaction = try transaction(instruction)
        let outcome = try await world.service.handOver(transaction)
        #expect(outcome.signature == transaction.signature)
        #expect(world.client.requests.map { $0.json["transaction"] as? String } == [transaction.base64])
        #expect(world.client.requests.map(DriveWorld.name) == [path])
    }

    @Test(
        "what the owner alone signs goes to Solana",
        arguments: [StorageInstruction.requestDeletion, .cancelDeletion, .claimStake])
    func toSolana(instruction: StorageInstruction) async throws {
        let transaction = try transaction(instruction)
        let signature = try #require(transaction.signature)
        let world = DriveWorld(["getSignatureStatuses": [.confirmed]], keypair: nil)
        #expect(try await world.service.handOver(transaction) == .sent(signature))
        #expect(world.client.requests.map(DriveWorld.name) == ["sendTransaction", "getSignatureStatuses"])
    }

    @Test("one that a node has accepted is waited for, and without the chain’s word it is not told as done")
    func accepted() async throws {
        let transaction = try transaction(.requestDeletion)
        let done = DriveWorld(
            ["getSignatureStatuses": [.json(#"{"result":{"value":[null]}}"#), .confirmed]], keypair: nil)
        let handing = Task { try await done.service.handOver(transaction) }
        await done.clock.waitForSleepers(1)
        done.clock.advance(by: .seconds(2))
        #expect(try await handing.value.signature == transaction.signature)
        let silent = DriveWorld(keypair: nil)
        let waiting = Task { () async -> DriveError? in
            await failure { () async throws(DriveError) in try await silent.service.handOver(transaction) }
        }
        for _ in 0..<120 {
            await silent.clock.waitForSleepers(1)
            silent.clock.advance(by: .seconds(2))
        }
        #expect(await waiting.value?.isOutcomeUnknown == true && silent.requests("sendTransaction").count == 1)
        let status = #"{"result":{"value":[{"err":{"x":1},"confirmationStatus":"finalized"}]}}"#
        let failed = DriveWorld(["getSignatureStatuses": [.json(status)]], keypair: nil)
        let error = await failure { () async throws(DriveError) in try await failed.service.handOver(transaction) }
        guard case .refused(let refusal)? = error else {
            Issue.record("is \(String(describing: error))")
            return
        }
        #expect(refusal.reason == .inVain)
    }

    @Test("one that the owner has not signed, or of another program, is not sent")
    func refused() async throws {
        let world = DriveWorld(keypair: nil)
        let unsigned = try Vectors.program.transaction(
            .increase(bytes: 1), owner: Vectors.owner.publicKey, account: Vectors.account,
            blockhash: Vectors.blockhash)
        let foreign = try SolanaTransaction(
            payer: Vectors.owner.publicKey,
            instructions: [
                Instruction(program: SolanaPrograms.token, accounts: [.init(Vectors.account)], data: Data([1]))
            ], blockhash: Vectors.blockhash)
        for transaction in [unsigned, foreign] {
            let error = await failure { () async throws(DriveError) in
                try await world.service.handOver(transaction)
            }
            guard case .transaction? = error else {
                Issue.record("is \(String(describing: error))")
                continue
            }
        }
        #expect(world.client.requests.isEmpty)
    }

    @Test("a blockhash that the server does not know leaves it open: the signature may still count")
    func stale() async throws {
        let world = DriveWorld(["add-storage": [.error("Blockhash not found")]], keypair: nil)
        let transaction = try transaction(.increase(bytes: 1))
        let error = await failure { () async throws(DriveError) in try await world.service.handOver(transaction) }
        #expect(error?.isOutcomeUnknown == true && world.requests("add-storage").count == 1)
    }

    @Test("one that was sent before, and carried out, is told as done: nothing happens twice")
    func sentBefore() async throws {
        let words = DriveWorld.Reply.error("Transaction simulation failed: This transaction has already been processed")
        let rpc = DriveWorld.Reply.json(
            #"{"error":{"code":-32002,"message":"Transaction simulation failed: This transaction has already been processed"}}"#
        )
        let status = DriveWorld.Reply.json(
            #"{"result":{"context":{"slot":9},"value":[{"err":null,"confirmationStatus":"finalized"}]}}"#)
        for answer in [words, .error("Blockhash not found")] {
            for (instruction, path) in [
                (StorageInstruction.create(name: "n", bytes: 1024), "storage-account"),
                (.increase(bytes: 1), "add-storage"), (.makeImmutable(used: 0), "make-immutable"),
                (.requestDeletion, "sendTransaction"),
            ] {
                let transaction = try transaction(instruction)
                let reply = path == "sendTransaction" ? rpc : answer
                let world = DriveWorld([path: [reply], "getSignatureStatuses": [status]], keypair: nil)
                #expect(try await world.service.handOver(transaction).signature == transaction.signature, "\(path)")
                #expect(world.requests(path).count == 1)
            }
        }
    }

    @Test("a creation that is sent again changes no newer data, and a list of it alone is not complete")
    func createdBefore() async throws {
        let words = DriveWorld.Reply.error("This transaction has already been processed")
        let world = DriveWorld(["storage-account": [words], "getSignatureStatuses": [.confirmed]])
        let transaction = try transaction(.create(name: "old", bytes: 1024))
        guard case .created(let created) = try await world.service.handOver(transaction) else {
            Issue.record("it is not told as created")
            return
        }
        #expect(created.account.address == world.account && created.saveError == nil)
        func saved() async throws -> AccountList? { try await world.service.accounts?.saved()?.value }
        #expect(try await saved()?.accounts.map(\.identifier) == ["old"])
        #expect(try await saved()?.isComplete == false, "the owner may have made others since")
        try await world.service.shelf?.amend(world.account) { account in
            account.identifier = "new"
            account.reservedBytes = 4096
        }
        let before = try await saved()
        world.date.advance(by: 60)
        _ = try await world.service.handOver(transaction)
        #expect(try await saved() == before && before?.accounts.map(\.identifier) == ["new"])
    }

    @MainActor
    @Test("the form reads what is typed, says what it asks for, and sends it when told to")
    func form() async throws {
        let world = DriveWorld(keypair: nil)
        let model = CreateAccountModel(world.service)
        let text = try transaction(.create(name: "holiday", bytes: 2048)).base64
        model.enter(transaction: "nonsense")
        #expect(model.handed == nil && model.handedError != nil && !model.canHandOver)
        await model.handOver()
        #expect(world.client.requests.isEmpty)
        model.enter(transaction: text.prefix(40) + "\n " + text.dropFirst(40) + "\n")
        #expect(model.handed?.message(in: .english) == "Creates a storage account “holiday” of 2\u{a0}KB.")
        #expect(model.handedError == nil && model.canHandOver)
        await model.handOver()
        guard case .created(let account) = model.phase else {
            Issue.record("is \(model.phase)")
            return
        }
        #expect(account.account.identifier == "holiday")
        #expect(world.requests("storage-account").map { $0.json["transaction"] as? String } == [text])
    }

    @MainActor
    @Test(
        "one that cannot be undone is sent only when the account’s name was typed, and its cost is what was staked",
        arguments: [StorageInstruction.makeImmutable(used: 0), .requestDeletion])
    func confirmed(instruction: StorageInstruction) async throws {
        let world = DriveWorld(["getSignatureStatuses": [.confirmed]], keypair: nil)
        let model = CreateAccountModel(world.service)
        model.enter(transaction: try transaction(instruction).base64)
        #expect(model.handedConfirmation == "\(Vectors.account)", "nothing is known of it yet")
        await model.lookAtHanded()
        #expect(model.handedConfirmation == "my-bucket")
        for typed in ["", "yes", "\(Vectors.account)"] { await model.handOver(confirmedBy: typed) }
        #expect(world.requests("make-immutable").isEmpty && world.requests("sendTransaction").isEmpty)
        await model.handOver(confirmedBy: "my-bucket")
        #expect(world.requests("make-immutable").count + world.requests("sendTransaction").count == 1)
    }

    @MainActor
    @Test(
        "one that cannot be undone is not sent if the chain has the account under another name",
        arguments: [StorageInstruction.makeImmutable(used: 0), .requestDeletion])
    func swapped(instruction: StorageInstruction) async throws {
        let other = StorageAccountV2(
            storage: 1, owner1: Vectors.owner.publicKey, accountCounterSeed: 0, creationTime: 0, creationEpoch: 0,
            lastFeeEpoch: 0, identifier: "precious")
        let world = DriveWorld(["getAccountInfo": [.chain(other)]], keypair: nil)
        let model = CreateAccountModel(world.service)
        model.enter(transaction: try transaction(instruction).base64)
        await model.lookAtHanded()
        await model.handOver(confirmedBy: "my-bucket")
        guard case .failed(.invalidData) = model.phase else {
            Issue.record("is \(model.phase)")
            return
        }
        #expect(world.requests("make-immutable").isEmpty && world.requests("sendTransaction").isEmpty)
    }

    @Test("the fee holds what is paid for priority, and stops at the largest number")
    func fee() throws {
        func fee(_ budget: ComputeBudget, _ instruction: StorageInstruction) throws -> UInt64 {
            let made = try Vectors.program.transaction(
                instruction, owner: Vectors.owner.publicKey, account: Vectors.account, blockhash: Vectors.blockhash,
                computeBudget: budget)
            return try Vectors.program.parse(made).fee
        }
        #expect(try fee(.none, .increase(bytes: 1)) == 10_000)
        #expect(try fee(.none, .claimStake) == 5_000)
        #expect(try fee(ComputeBudget(units: 200_001, price: 1_000), .claimStake) == 5_201)
        #expect(try fee(ComputeBudget(price: 1_000_000), .claimStake) == 205_000)
        #expect(try fee(ComputeBudget(units: 1_000_000, price: .max - 5_000), .claimStake) == .max)
        #expect(try fee(ComputeBudget(units: .max, price: .max), .claimStake) == .max)
    }

    @MainActor
    @Test("every instruction is said in both languages")
    func words() throws {
        let all: [StorageInstruction] = [
            .create(name: "n", bytes: 1024), .increase(bytes: 1), .increaseImmutable(bytes: 1),
            .decrease(bytes: 1, used: 0), .makeImmutable(used: 0), .requestDeletion, .cancelDeletion, .claimStake,
            .refreshStake, .rename("x"),
        ]
        for instruction in all {
            let asked = try Vectors.program.parse(transaction(instruction))
            #expect(asked.message(in: .english) != asked.message(in: .brazilianPortuguese))
        }
    }
}
