import Aquifer
import AquiferConcurrency
import AquiferTesting
import AquiferWording
import Foundation
import Testing

@testable import AquiferShadowDrive

/// "Blockhash not found" does not say that a transaction is lost. Two transactions that could both be carried out must
/// never be signed.
@Suite("One transaction at a time", .timeLimit(.minutes(10)))
struct OneTransactionTests {
    /// The changes of an account that go by way of the server.
    enum Change: String, CaseIterable, Sendable {
        case create = "storage-account"
        case add = "add-storage"
        case reduce = "reduce-storage"
        case makeImmutable = "make-immutable"

        func run(_ world: DriveWorld) async throws(DriveError) {
            switch self {
            case .create: _ = try await world.service.createStorageAccount(name: "n", size: 1024)
            case .add: _ = try await world.service.addStorage(1024, to: world.account)
            case .reduce: _ = try await world.service.reduceStorage(1024, of: world.account)
            case .makeImmutable: _ = try await world.service.makeImmutable(world.account)
            }
        }
    }

    private static let stale = DriveWorld.Reply.error("Transaction simulation failed: Blockhash not found")

    /// A node's blocks: as many slots as blocks.
    private static func height(_ height: Int, slot: Int? = nil) -> DriveWorld.Reply {
        .json(#"{"result":{"absoluteSlot":\#(slot ?? height),"blockHeight":\#(height),"epoch":1}}"#)
    }

    private static func status(_ status: String, slot: Int = 200) -> DriveWorld.Reply {
        .json(#"{"result":{"context":{"slot":\#(slot)},"value":[\#(status)]}}"#)
    }

    private static let carriedOut = status(
        #"{"slot":1,"confirmations":null,"err":null,"confirmationStatus":"confirmed"}"#)

    private func world(_ change: Change, _ replies: [String: [DriveWorld.Reply]] = [:]) -> DriveWorld {
        DriveWorld(replies.merging([change.rawValue: [Self.stale, .usually]]) { own, _ in own })
    }

    @Test(
        "A second one is signed when the first one’s last block has passed, and only then", arguments: Change.allCases)
    func waits(change: Change) async throws {
        let world = world(change, ["getEpochInfo": [Self.height(99), Self.height(100), Self.height(101)]])
        let changing = Task { try await change.run(world) }
        for _ in 0..<2 {
            await world.clock.waitForSleepers(1)
            #expect(world.requests(change.rawValue).count == 1)
            world.clock.advance(by: .seconds(2))
        }
        try await changing.value
        #expect(world.requests(change.rawValue).count == 2 && world.requests("getSignatureStatuses").count == 3)
    }

    @Test(
        "One that the chain has carried out after all is told as done, and none is signed again",
        arguments: Change.allCases)
    func done(change: Change) async throws {
        let world = world(change, ["getSignatureStatuses": [Self.carriedOut]])
        try await change.run(world)
        #expect(world.requests(change.rawValue).count == 1)
    }

    @Test(
        "Without the chain’s word nothing is signed again, and the outcome is told as unknown",
        arguments: ["getEpochInfo", "getSignatureStatuses"])
    func noWord(question: String) async throws {
        for change in Change.allCases {
            let world = world(change, [question: [.offline]])
            let error = await failure { () async throws(DriveError) in try await change.run(world) }
            #expect(error?.isOutcomeUnknown == true, "\(change): \(String(describing: error))")
            #expect(world.requests(change.rawValue).count == 1)
        }
    }

    @Test("A node that does not say until when a blockhash is good gets no second transaction")
    func noHeight() async throws {
        let bare = #"{"result":{"value":{"blockhash":"\#(Vectors.all.inputs.blockhash_base58)"}}}"#
        let world = world(.add, ["getLatestBlockhash": [.json(bare)]])
        let error = await failure { () async throws(DriveError) in try await Change.add.run(world) }
        #expect(error?.isOutcomeUnknown == true && world.requests("add-storage").count == 1)
    }

    @Test(
        "Nodes that do not agree about how far the chain is get no second transaction",
        arguments: [
            // More blocks than slots have passed since the blockhash was given out.
            (height(9_999_999, slot: 300), status("null", slot: 300)),
            // The node that does not know the transaction has not come so far.
            (height(101), status("null", slot: 100)), (height(101), .json(#"{"result":{"value":[null]}}"#)),
            (.json(#"{"result":{"blockHeight":101}}"#), status("null")),
        ])
    func disagreeing(height: DriveWorld.Reply, status: DriveWorld.Reply) async throws {
        for change in Change.allCases {
            let world = world(change, ["getEpochInfo": [height], "getSignatureStatuses": [status]])
            let changing = Task { () async -> DriveError? in
                await failure { () async throws(DriveError) in try await change.run(world) }
            }
            let waiting = Task {
                while !Task.isCancelled {
                    await world.clock.waitForSleepers(1)
                    world.clock.advance(by: .seconds(2))
                }
            }
            let error = await changing.value
            waiting.cancel()
            #expect(error?.isOutcomeUnknown == true, "\(change): \(String(describing: error))")
            #expect(world.requests(change.rawValue).count == 1)
        }
    }

    @Test("One that is said to have been processed already was carried out, unless the chain says that it failed")
    func alreadyProcessed() async throws {
        let words = DriveWorld.Reply.error(
            "Transaction simulation failed: This transaction has already been processed")
        for change in Change.allCases {
            let done = DriveWorld([change.rawValue: [words], "getSignatureStatuses": [Self.carriedOut]])
            try await change.run(done)
            #expect(done.requests(change.rawValue).count == 1)
            let failed = Self.status(#"{"slot":1,"err":{"x":1},"confirmationStatus":"finalized"}"#)
            let refused = DriveWorld([change.rawValue: [words], "getSignatureStatuses": [failed]])
            let error = await failure { () async throws(DriveError) in try await change.run(refused) }
            #expect(error?.isOutcomeUnknown == false, "\(change): \(String(describing: error))")
            let silent = DriveWorld([change.rawValue: [words], "getSignatureStatuses": [.offline]])
            let open = await failure { () async throws(DriveError) in try await change.run(silent) }
            #expect(open?.isOutcomeUnknown == true && silent.requests(change.rawValue).count == 1)
        }
    }

    @Test("A signature that is not the transaction’s own is no answer to it", arguments: Change.allCases)
    func foreignSignature(change: Change) async throws {
        let other = Signature(bytes: Data(repeating: 7, count: 64))!
        let body = #"{"message":"done","shdw_bucket":"\#(Vectors.account)","transaction_signature":"\#(other)"}"#
        let world = DriveWorld([change.rawValue: [.json(body)]])
        let error = await failure { () async throws(DriveError) in try await change.run(world) }
        #expect(error?.isOutcomeUnknown == true, "\(change): \(String(describing: error))")
    }

    @Test("One that is in a block that may be given up is waited for")
    func processed() async throws {
        let processed = Self.status(#"{"slot":1,"confirmations":0,"err":null,"confirmationStatus":"processed"}"#)
        let world = world(
            .add, ["getEpochInfo": [Self.height(99)], "getSignatureStatuses": [processed, Self.carriedOut]])
        let changing = Task { try await Change.add.run(world) }
        await world.clock.waitForSleepers(1)
        world.clock.advance(by: .seconds(2))
        try await changing.value
        #expect(world.requests("add-storage").count == 1)
    }

    @Test("A second one that is too old as well is told as refused only once it is impossible, too")
    func twice() async throws {
        let world = DriveWorld(["add-storage": [Self.stale]])
        let error = await failure { () async throws(DriveError) in try await Change.add.run(world) }
        guard case .refused(let refusal)? = error else {
            Issue.record("is \(String(describing: error))")
            return
        }
        #expect(refusal.reason == .staleBlockhash && world.requests("add-storage").count == 2)
        #expect(world.requests("getSignatureStatuses").count == 2)
    }

    @Test("A chain that stands still is not waited for without end")
    func standsStill() async throws {
        let world = world(.add, ["getEpochInfo": [Self.height(1)]])
        let changing = Task { () async -> DriveError? in
            await failure { () async throws(DriveError) in try await Change.add.run(world) }
        }
        for _ in 0..<120 {
            await world.clock.waitForSleepers(1)
            world.clock.advance(by: .seconds(2))
        }
        #expect(await changing.value?.isOutcomeUnknown == true)
        #expect(world.requests("add-storage").count == 1)
    }

    @Test(
        "An answer that is not the server’s own leaves a change unknown",
        arguments: [301, 302, 303, 307, 408, 502, 503, 504])
    func foreign(status: Int) async throws {
        let page = DriveWorld.Reply.answer(
            status: status, headers: ["Location": "http://elsewhere.example/"], body: Data("try again soon".utf8))
        for change in Change.allCases {
            let world = DriveWorld([change.rawValue: [page]])
            let error = await failure { () async throws(DriveError) in try await change.run(world) }
            #expect(error?.isOutcomeUnknown == true, "\(change): \(String(describing: error))")
            #expect(world.requests(change.rawValue).count == 1)
        }
    }

    // MARK: Accepted by a node

    private static let failed = status(#"{"slot":1,"err":{"x":1},"confirmationStatus":"finalized"}"#)

    @Test("One that a node has accepted is done once the chain has carried it out, and is waited for until then")
    func accepted() async throws {
        let statuses = [Self.status("null"), Self.carriedOut]
        let world = DriveWorld(["getEpochInfo": [Self.height(99)], "getSignatureStatuses": statuses])
        let waits = Locked(0)
        let sending = Task {
            try await world.service.send(.requestDeletion, for: world.account) { waits.withLock { $0 += 1 } }
        }
        await world.clock.waitForSleepers(1)
        world.clock.advance(by: .seconds(2))
        _ = try await sending.value
        #expect(waits.withLock { $0 } == 1 && world.requests("sendTransaction").count == 1)
        let atOnce = DriveWorld(["getSignatureStatuses": [Self.carriedOut]])
        _ = try await atOnce.service.send(.requestDeletion, for: atOnce.account) { waits.withLock { $0 += 1 } }
        #expect(waits.withLock { $0 } == 1, "there was no wait")
    }

    @Test(
        "One that a node has accepted and then dropped is not told as done: another one is signed, once",
        arguments: [true, false])
    func dropped(isSecondDropped: Bool) async throws {
        let dropped = Self.status("null", slot: 240)
        let world = DriveWorld(["getSignatureStatuses": [dropped, isSecondDropped ? dropped : Self.carriedOut]])
        let error = await failure { () async throws(DriveError) in
            try await world.service.send(.requestDeletion, for: world.account)
        }
        let expected: DriveError? = isSecondDropped ? .refused(.dropped) : nil
        #expect(error == expected)
        #expect(world.requests("sendTransaction").count == 2)
    }

    @Test("One that the chain carried out in vain is told so, and without its word nothing is known")
    func inVain() async throws {
        func error(_ status: DriveWorld.Reply) async -> DriveError? {
            let world = DriveWorld(["getSignatureStatuses": [status]])
            let waiting = Task {
                while !Task.isCancelled {
                    await world.clock.waitForSleepers(1)
                    world.clock.advance(by: .seconds(10))
                }
            }
            let error = await failure { () async throws(DriveError) in
                try await world.service.send(.requestDeletion, for: world.account)
            }
            waiting.cancel()
            #expect(world.requests("sendTransaction").count == 1)
            return error
        }
        guard case .refused(let refusal)? = await error(Self.failed) else {
            Issue.record("it is not told as refused")
            return
        }
        #expect(refusal.reason == .inVain && refusal.message(in: .english).contains("in vain"))
        #expect(await error(.offline) == .outcomeUnknown(because: .connectivity(TransportError(.cannotConnect))))
    }

    @Test(
        "One that a node has accepted is waited for although a poll fails",
        arguments: ["getEpochInfo", "getSignatureStatuses"])
    func lostPoll(question: String) async throws {
        let answer = question == "getEpochInfo" ? Self.height(99) : Self.carriedOut
        let world = DriveWorld(
            ["getEpochInfo": [Self.height(99)], "getSignatureStatuses": [Self.carriedOut]]
                .merging([question: [.offline, answer]]) { _, own in own })
        let sending = Task { try await world.service.send(.requestDeletion, for: world.account) }
        await world.clock.waitForSleepers(1)
        world.clock.advance(by: .seconds(10))
        _ = try await sending.value
        #expect(world.requests("sendTransaction").count == 1 && world.requests(question).count == 2)
    }
}
