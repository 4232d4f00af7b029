import Aquifer
import Foundation

/// What becomes of a user's unsent changes when the user is removed.
public enum UnsentOfUser: Sendable {
    /// The user stays if there are any.
    case refuse
    /// They are sent first; the user stays if one cannot be sent.
    case sendFirst
    /// They are deleted, and so is what is known of payments whose outcome is not.
    case discard
}

extension Services {
    /// Removes a user with everything that is the user's: cards and keys, what waits to be sent, payments, settings, uploads.
    ///
    /// The user is let in no more from the beginning. A removal that was killed is finished by the next one.
    ///
    /// - Throws: ``UsersError/unsent(_:changes:payments:)`` if something would be lost that `unsent` does not give up: the user
    ///   is let in again then. After another error the user stays out, and the call can be repeated.
    public func removeUser(
        _ name: UserName, from register: any UserRegister, unsent: UnsentOfUser = .refuse
    ) async throws(UsersError) {
        try await register.setLeaving(name, true)
        let ground = UserGround(
            name, in: groundwork.place.store(.users), configuration, bound: .max)
        do throws(UsersError) {
            try await end(ground, unsent)
        } catch {
            if case .unsent = error { try await register.setLeaving(name, false) }
            throw error
        }
        try await register.remove(name)
        guard groundwork.place.ownsFolders else { return }
        // A request that was being answered may have written a file after the end.
        for folder in [ground.folder, ground.keys] where POSIX.exists(folder.path(percentEncoded: false)) {
            do { try FileManager.default.removeItem(at: folder) } catch {
                throw .store(.failed(operation: "delete \(folder.path)", reason: error.localizedDescription))
            }
        }
    }

    private func end(_ ground: UserGround, _ unsent: UnsentOfUser) async throws(UsersError) {
        let services = Services(groundwork.of(ground))
        ground.scope.register(services.outbox)
        let payments: Int
        do throws(StoreError) {
            try await ground.open(ownsFolders: groundwork.place.ownsFolders)
            payments = unsent == .discard ? 0 : try await services.openPayments()
        } catch { throw .store(error) }
        // A payment is never sent again by itself: only its user may do that, or give it up.
        if payments > 0 { throw .unsent(ground.name.text, changes: try await services.waiting(), payments: payments) }
        let choice: Scope.Unsent? =
            switch unsent {
            case .refuse: nil
            case .sendFirst: .sendFirst
            case .discard: .discard
            }
        do throws(ScopeError) { try await ground.scope.end(unsent: choice) } catch {
            switch error {
            case .unsent(let count): throw .unsent(ground.name.text, changes: count, payments: 0)
            case .store(let error): throw .store(error)
            }
        }
    }

    /// The number of payments that are being sent, or whose outcome is not known.
    private func openPayments() async throws(StoreError) -> Int {
        let contents = try await payments.desk.ledger.contents()
        return contents.records.count { $0.state == .sending || $0.state == .unknown } + contents.unreadable.count
    }

    private func waiting() async throws(UsersError) -> Int {
        do throws(StoreError) { return try await outbox.items().count } catch { throw .store(error) }
    }
}
