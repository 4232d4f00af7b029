import AquiferSolana
import AquiferTesting
import Foundation

/// A chain of blocks that fork: a transaction lands in a block that may be dropped again, lands late, or never lands. It is
/// kept by nodes that lag behind one another.
///
/// A slot takes 0.4 s, and each seventh one has no block. A block is processed at once, confirmed two slots later, and final
/// after 32 slots. A confirmed block is never dropped.
final class Chain: @unchecked Sendable {
    // One thread at a time runs in a simulation.

    /// A transaction that a node has taken.
    final class Sent {
        let signature: String
        let asked: StorageTransaction
        /// The blocks that it is in: from which slot on, and up to which slot if the block was dropped.
        fileprivate(set) var blocks: [(from: Int, to: Int?)] = []
        /// What it failed of, once it has landed.
        fileprivate(set) var failure: String?

        fileprivate init(_ signature: String, _ asked: StorageTransaction) {
            (self.signature, self.asked) = (signature, asked)
        }

        /// The slot of the block that stays; `nil` if there is none.
        var landing: Int? { blocks.last.flatMap { $0.to == nil ? $0.from : nil } }
    }

    /// A storage account, and what was added to it, each with the slot of its block.
    struct Account {
        let address: PublicKey
        let number: UInt32
        let name: String
        let slot: Int
        let date: Date
        var additions: [(slot: Int, date: Date, bytes: UInt64)]

        func reserved(at slot: Int) -> UInt64 { additions.filter { $0.slot <= slot }.reduce(0) { $0 + $1.bytes } }
    }

    /// The number of slots from a processed block to a confirmed one.
    static let confirming = 2
    private static let finalizing = 32
    /// The number of blocks for which a blockhash is valid.
    private static let validity = 150

    private let world: Simulation
    private let owner: PublicKey
    let program: ShadowDriveProgram
    private var sent: [Sent] = []
    private var planned: [Sent] = []
    private(set) var accounts: [Account] = []
    /// The slots by which the nodes are behind.
    private let lags: [Int]

    init(_ world: Simulation, owner: PublicKey, program: ShadowDriveProgram) {
        (self.world, self.owner, self.program) = (world, owner, program)
        lags = [0, world.random.int(in: 0...8), world.random.chance(0.5) ? world.random.int(in: 0...45) : 0]
    }

    // MARK: Slots

    /// The present slot.
    var slot: Int { 1000 + Int(world.clock.now.offset / .milliseconds(400)) }

    /// The slot of any of the nodes: who asks twice may ask two of them.
    var slotOfNode: Int { slot - (world.random.element(of: lags) ?? 0) }

    /// The number of blocks up to a slot.
    static func height(_ slot: Int) -> Int { slot - slot / 7 }

    static func finalized(_ slot: Int) -> Int { slot - finalizing }

    private func date(_ slot: Int) -> Date { world.date.addingTimeInterval(Double(slot - self.slot) * 0.4) }

    // MARK: Blockhashes

    static func blockhash(_ slot: Int) -> Blockhash? {
        Blockhash(bytes: withUnsafeBytes(of: UInt64(slot).bigEndian) { Data($0) } + Data(repeating: 7, count: 24))
    }

    private static func slot(of hash: Blockhash) -> Int { hash.bytes.prefix(8).reduce(0) { $0 << 8 | Int($1) } }

    static func lastValid(_ hash: Blockhash) -> Int { height(slot(of: hash)) + validity }

    /// True if a node knows a blockhash, and it has not expired there.
    static func isValid(_ hash: Blockhash, at slot: Int) -> Bool {
        self.slot(of: hash) <= slot && height(slot) <= lastValid(hash)
    }

    // MARK: Transactions

    /// Takes a transaction. It lands or does not, whoever waits for it.
    @discardableResult
    func take(_ signature: String, _ asked: StorageTransaction, _ hash: Blockhash) -> Sent {
        if let known = sent.first(where: { $0.signature == signature }) { return known }
        settle()
        let new = Sent(signature, asked)
        plan(new, Self.lastValid(hash))
        sent.append(new)
        planned.append(new)
        return new
    }

    private func plan(_ new: Sent, _ lastValid: Int) {
        let random = world.random
        var at = slot
        while true {
            at += random.int(in: 1...10)
            if random.chance(0.2) {
                // It lands late, most of all in one of the last blocks that may have it.
                while Self.height(at + 1) < lastValid - random.int(in: 0...3) { at += 1 }
            }
            if at.isMultiple(of: 7) { at += 1 }
            guard Self.height(at) <= lastValid, random.chance(0.95) else { return }
            guard random.chance(0.2) else { break }
            let end = at + random.int(in: 1...Self.confirming)
            new.blocks.append((at, end))
            at = end
        }
        new.blocks.append((at, nil))
    }

    /// Carries out what has landed by now, in the order of the blocks.
    func settle() {
        let due = planned.compactMap { sent in sent.landing.map { ($0, sent) } }.filter { $0.0 <= slot }
        for (landing, sent) in due.sorted(by: { $0.0 < $1.0 }) { carryOut(sent, landing) }
        planned.removeAll { ($0.landing ?? .max) <= slot }
    }

    private func carryOut(_ sent: Sent, _ slot: Int) {
        sent.failure = failure(of: sent.asked, at: slot)
        guard sent.failure == nil else { return world.note("a block has \(name(sent)), which fails") }
        world.note("a block has \(name(sent))")
        switch sent.asked.instruction {
        case .create(let name, let bytes):
            accounts.append(
                Account(
                    address: sent.asked.account, number: UInt32(accounts.count), name: name, slot: slot,
                    date: date(slot), additions: [(slot, date(slot), bytes)]))
        case .increase(let bytes):
            guard let place = accounts.firstIndex(where: { $0.address == sent.asked.account }) else { return }
            accounts[place].additions.append((slot, date(slot), bytes))
        default: break
        }
    }

    private func name(_ sent: Sent) -> String {
        switch sent.asked.instruction {
        case .create(let name, _): "the account \(name)"
        case .increase(let bytes): "\(bytes) more bytes"
        default: "\(sent.asked.instruction.kind.rawValue)"
        }
    }

    /// Why an instruction fails on the chain as it is at a slot; `nil` if it does not.
    func failure(of asked: StorageTransaction, at slot: Int) -> String? {
        let here = accounts.filter { $0.slot <= slot }
        switch asked.instruction {
        case .create:
            let next = program.storageAccount(of: owner, counter: UInt32(here.count))
            return asked.account == next ? nil : "the account exists already"
        case .increase: return here.contains { $0.address == asked.account } ? nil : "there is no such account"
        default: return "not in this world"
        }
    }

    // MARK: What nodes say

    /// The accounts that are confirmed at the slot of a node.
    func confirmed(at slot: Int) -> [Account] {
        settle()
        return accounts.filter { $0.slot + Self.confirming <= slot }
    }

    /// How far a node says that a transaction is; `nil` if it knows none.
    func status(of signature: String, at slot: Int) -> (text: String, failure: String?)? {
        settle()
        guard let sent = sent.first(where: { $0.signature == signature }),
            let block = sent.blocks.last(where: { $0.from <= slot && slot < $0.to ?? .max })
        else { return nil }
        let age = slot - block.from
        return switch age {
        case ..<Self.confirming: ("processed", nil)
        case ..<Self.finalizing: ("confirmed", sent.failure)
        default: ("finalized", sent.failure)
        }
    }
}
