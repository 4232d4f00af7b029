import Aquifer
import AquiferFoundation
import Observation

/// The screen of the cards: choose, remove.
@MainActor @Observable
public final class CardsModel {
    /// The cards, in the order they were added.
    public private(set) var cards: [CardSummary] = []
    /// The card that payments are made with.
    public private(set) var chosen: UUID?
    /// True if the cards have been read.
    public private(set) var isLoaded = false
    /// The trouble, if there is any.
    public private(set) var error: VaultError?

    @ObservationIgnored private let service: PaymentsService
    /// The cards are followed from the first appearance on, until the model is released.
    @ObservationIgnored private var following: CardsFollower?
    /// True if ``error`` says why the cards could not be read.
    @ObservationIgnored private var isUnreadable = false

    /// The screen of the cards that a service keeps.
    public init(_ service: PaymentsService) {
        self.service = service
    }

    /// The screen is visible: reads the cards, and from now on shows what other screens and processes change in them.
    public func appear() async {
        following = following ?? CardsFollower(service) { [weak self] in await self?.read() }
        await read()
    }

    private func read() async {
        following?.watch()
        do throws(VaultError) {
            cards = try await service.vault.cards()
            // Another error is news until the user has read it: others may change something at any time.
            if isUnreadable { error = nil }
            isUnreadable = false
        } catch {
            cards = []
            (self.error, isUnreadable) = (error, true)
        }
        chosen = await service.chosenCard(of: cards)?.id
        isLoaded = true
    }

    /// Makes payments with this card from now on. If that cannot be saved, ``error`` says why, and the card chosen before is shown.
    public func choose(_ id: UUID) async {
        guard cards.contains(where: { $0.id == id }) else { return }
        chosen = id
        do throws(StoreError) { try await service.choose(id) } catch {
            self.error = VaultError(error)
            chosen = await service.chosenCard(of: cards)?.id
        }
    }

    /// Removes a card for good.
    public func remove(_ id: UUID) async {
        do throws(VaultError) {
            _ = try await service.vault.remove(id)
            await appear()
        } catch {
            self.error = error
        }
    }

    /// True if the cards are an older copy, which the user must accept or discard.
    public var isOlderCopy: Bool {
        if case .rolledBack = error { true } else { false }
    }

    /// True if the file of the cards was deleted. The user must decide to begin without them.
    public var isLost: Bool {
        if case .lost = error { true } else { false }
    }

    /// Accepts the older copy of the cards as the latest.
    public func acceptOlder() async {
        do throws(VaultError) { _ = try await service.vault.acceptOlder() } catch {
            self.error = error
            return
        }
        await appear()
    }

    /// Removes all cards of the older copy, or begins without the cards of a deleted file.
    public func discardOlder() async {
        do throws(VaultError) { _ = try await service.vault.discardOlder() } catch {
            self.error = error
            return
        }
        await appear()
    }

    /// The user has read what went wrong.
    public func dismissError() {
        error = nil
    }
}
