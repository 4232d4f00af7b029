import Aquifer
import AquiferPayments
import AquiferTesting
import Foundation

/// A user with two windows, two processes, pays through one ledger on one disk.
///
/// The user wants each amount paid once: an unknown payment is sent again under its key, or asked for; a new payment is
/// made only for an amount that the list does not have. The switch `forgetful` plants a bug: the bank forgets the keys
/// when it is restarted.
enum PaymentsWorld {
    static let faults: Set<SimulatedFault> = [
        .kill, .slowness, .clockSkew, .requestLost, .answerLost, .bodyCut, .duplicated, .slowNetwork, .nameFails,
        .redirect, .portal, .serverError, .serverRestart, .serverDate, .powerCut, .diskFull, .ioError, .tooManyFiles,
        .preemption,
    ]

    @Sendable static func run(_ world: Simulation) async throws {
        world.limits = .init(steps: 300_000, time: .seconds(2 * 24 * 3600))
        let (bank, phase) = (Bank(world), Phase())
        world.network.serve("bank.example", whenRestarted: bank.restart) { await bank.answer($0) }
        let wishes = (1...world.random.int(in: 1...5)).map { Wish(cents: 1000 + $0) }
        world.faults.allow(faults)
        let windows = (0..<2).map { number in
            world.process("window\(number)") { try await use($0, wishes, phase) }
        }
        for window in windows { window.isMortal = true }
        phase.processes = windows
        try await world.clock.sleep(for: world.random.duration(in: .seconds(1) ... .seconds(600)))
        world.faults.stop()
        phase.isCalm = true
        world.note("all faults have ended")
        for window in windows { await window.waitUntilEnded() }
        PaymentsJudge.compare(wishes, with: bank, in: world)
    }

    private static func use(_ process: SimulatedProcess, _ wishes: [Wish], _ phase: Phase) async throws {
        let (world, random) = (process.world, process.random)
        guard let base = URL(string: "https://bank.example"), let picture = URL(string: "https://bank.example/m") else {
            return
        }
        let folder = { (name: String) in URL(fileURLWithPath: "/disk/\(name)", isDirectory: true) }
        let ledger = try await process.untilDone { RepeatingStore(try FileStore(directory: folder("ledger"))) }
        let vault = CardVault(directory: folder("vault"), keys: folder("keys"), makeID: { random.uuid() })
        let service = PaymentsService(
            base: base, client: process.client, store: MemoryStore(), pictureStore: MemoryStore(), ledgerStore: ledger,
            sending: folder("sending"),
            vault: vault,
            allowsTestCard: false, clock: world.clock, now: process.now, makeID: { random.uuid() })
        let number = try CardNumber("4111111111111111")
        let card = try await keptCard(
            Card(
                id: random.uuid(), number: number, holder: "M", expiry: Expiry(month: 12, year: 2090)), vault, process,
            phase)
        let code = try SecurityCode("123", for: .visa)
        let contact = Contact(id: 7, name: "M", imageURL: picture, username: "@m")
        while !phase.isCalm || wishes.contains(where: { !$0.isOver }) {
            if let wish = random.element(of: wishes.filter { !$0.isOver }) {
                do {
                    try await fulfil(wish, process, service, card, code, contact)
                } catch {
                    world.note("\(wish.cents) cents: \(error)")
                }
            }
            try await world.clock.sleep(for: random.duration(in: .milliseconds(1) ... .seconds(30)))
        }
        // The list of payments says the same as what was told; or, where the outcome could not be written down, that it
        // is not known; or that the other window, which has not had its answer yet, is sending it.
        let isAlone = phase.processes.allSatisfy { $0 === process || $0.hasEnded }
        let contents = try await process.untilDone { try await service.desk.ledger.contents() }
        for record in contents.records {
            var present = await service.desk.present(record)
            guard let wish = wishes.first(where: { $0.cents == record.amount.cents }) else { continue }
            if isAlone, present.state == .sending, let until = present.sendingUntil {
                // A loss of power takes the lock's file away with the sender, and the outcome: then the turn's end decides.
                let left = until.timeIntervalSince(process.now())
                try await world.clock.sleep(for: .seconds(min(max(0, left), 120) + 1))
                present = await service.desk.present(record)
            }
            world.expect(
                wish.told[record.id.uuidString] == present.state || present.state == .unknown
                    || (present.state == .sending && !isAlone),
                "the list says that \(wish.cents) cents are \(present.state.rawValue)")
        }
    }

    /// The card in the vault, which both windows use; it is added if the vault has none. What was added once must stay.
    private static func keptCard(
        _ new: Card, _ vault: CardVault, _ process: SimulatedProcess, _ phase: Phase
    ) async throws -> Card {
        let world = process.world
        let wasKept = phase.hasCard
        let kept = try await process.untilDone { try await vault.cards() }
        world.expect(!wasKept || kept.count == 1, "the vault has \(kept.count) cards")
        guard let first = kept.first else {
            try await process.untilDone { try await vault.add(new) }
            if world.callerIsAlive { phase.hasCard = true }
            return new
        }
        let card = try await process.untilDone { try await vault.card(first.id) }
        // The other window may have replaced it meanwhile by the same card.
        world.expect(card == nil || card?.number == new.number, "the vault has another card")
        return card ?? new
    }

    /// Does what a careful user does for one amount.
    private static func fulfil(
        _ wish: Wish, _ process: SimulatedProcess, _ service: PaymentsService, _ card: Card, _ code: SecurityCode,
        _ contact: Contact
    ) async throws {
        let world = process.world
        let isMine = wish.isFree
        if isMine, world.callerIsAlive { wish.payer = (process, process.starts) }
        defer { if isMine, world.callerIsAlive, wish.payer?.process === process { wish.payer = nil } }
        let contents = try await service.desk.ledger.contents()
        world.expect(contents.unreadable.isEmpty, "a payment cannot be read: \(contents.unreadable)")
        var open: PaymentRecord?
        for record in contents.records where record.amount.cents == wish.cents {
            let present = await service.desk.present(record)
            if present.state == .sending {
                // Somebody else sends it: a question now must conclude nothing from an answer that there is none.
                guard process.random.chance(0.3), let checked = try await service.check(record.id) else { return }
                if checked.state != .sending { await wish.tell(checked, by: world, kept: service.desk.ledger) }
                return
            }
            await wish.tell(present, by: world, kept: service.desk.ledger, isListed: true)
            if wish.isOver { return }
            if present.state == .unknown { open = present }
        }
        if let open {
            if wish.looks > 20, let given = try await service.desk.giveUp(open.id) {
                // The bank refuses it, which says nothing about an earlier try.
                wish.tell(given, by: world)
            } else if process.random.chance(0.3) {
                if let checked = try await service.check(open.id) {
                    await wish.tell(checked, by: world, kept: service.desk.ledger)
                }
            } else {
                // The same card, as the service asks for.
                let same = Card(id: open.card.id, number: card.number, holder: "M", expiry: card.expiry)
                let paid = try await service.payAgain(open, with: same, code: code)
                await wish.tell(paid, by: world, kept: service.desk.ledger)
            }
        } else if isMine {
            let paid = try await service.pay(Money(cents: wish.cents), to: contact, with: card, code: code)
            await wish.tell(paid, by: world, kept: service.desk.ledger)
        }
    }
}
