import Aquifer

/// Follows the cards and the choice among them, for a screen that shows them.
@MainActor
final class CardsFollower {
    private let service: PaymentsService
    private let follower: ChangeFollower
    private var isWatching = false

    /// Calls a function after each change, which must not hold this follower.
    init(_ service: PaymentsService, _ onChange: @escaping @MainActor @Sendable () async -> Void) {
        self.service = service
        follower = ChangeFollower(onChange)
        follower.observe { service.observeDefaultCard($0) }
    }

    /// Watches the file of the cards as soon as it has a folder: call it before each reading. The first card is chosen when it is added, so
    /// that the choice tells of it.
    func watch() {
        if !isWatching { isWatching = follower.observe { service.vault.observe($0) } }
    }
}
