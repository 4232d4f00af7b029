import Aquifer
import Foundation

/// The fate of a user's unsent changes when the user is removed.
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
    /// Unsent changes are counted first: a removal that is refused changes nothing, and the user's pages notice nothing. From then
    /// on no request is let in. A removal that was killed is finished by the next one.
    ///
    /// - Throws: ``UsersError/unsent(_:changes:payments:)`` if something would be lost that `unsent` does not give up;
    ///   ``UsersError/elsewhere(path:data:)`` if these stores do not have the data of the users. The user stays then. After another
    ///   error the user stays out, and the call can be repeated.
    public func removeUser(
        _ name: UserName, from register: any UserRegister, unsent: UnsentOfUser = .refuse
    ) async throws(UsersError) {
        let record = try await register.user(name)
        guard try await mayHave(dataOf: register) else { return try await register.remove(record.id) }
        let ground = UserGround(
            try UserIdentity(record), in: groundwork.store(.users), configuration, bound: .max)
        let own = Services(groundwork.of(ground))
        do throws(UsersError) {
            try await own.checkUnsent(of: record.name, unsent)
            try await register.setLeaving(record.id, true)
            try await own.end(ground, unsent, ownsFolders: groundwork.place.ownsFolders)
        } catch {
            // Something was queued after the count, or a removal that was killed was to discard it.
            if case .unsent = error, try await register.user(name).isLeaving {
                try await register.setLeaving(record.id, false)
            }
            throw error
        }
        try await register.remove(record.id)
        guard groundwork.place.ownsFolders else { return }
        // A request that was being answered may have written a file after the end.
        for folder in [ground.folder, ground.keys] where POSIX.exists(folder.path(percentEncoded: false)) {
            do { try FileManager.default.removeItem(at: folder) } catch {
                throw .store(.failed(operation: "delete \(folder.path)", reason: error.localizedDescription))
            }
        }
    }

    /// Sends what is to be sent, and refuses what would be lost.
    private func checkUnsent(of name: String, _ unsent: UnsentOfUser) async throws(UsersError) {
        let (changes, payments): (Int, Int)
        do throws(StoreError) {
            if unsent == .discard { return }
            payments = try await openPayments()
            // A payment is never sent again by itself: only its user may do that, or give it up.
            if unsent == .sendFirst, payments == 0 {
                await outbox.retryAll()
                try await outbox.drain()
            }
            changes = try await outbox.items().count
        } catch { throw .store(error) }
        if changes + payments > 0 { throw .unsent(name, changes: changes, payments: payments) }
    }

    /// Ends the scope of the user, unless something is unsent that is not given up.
    private func end(_ ground: UserGround, _ unsent: UnsentOfUser, ownsFolders: Bool) async throws(UsersError) {
        let payments: Int
        do throws(StoreError) {
            try await ground.open(ownsFolders: ownsFolders)
            payments = unsent == .discard ? 0 : try await openPayments()
        } catch { throw .store(error) }
        if payments > 0 { throw .unsent(ground.name.text, changes: 0, payments: payments) }
        do throws(ScopeError) { try await ground.scope.end(unsent: unsent == .discard ? .discard : nil) } catch {
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
}

/// The place of a user's data. Nothing of another place is deleted, and nothing that is elsewhere is said to be deleted.
extension Services {
    /// False if the user has no data anywhere.
    ///
    /// - Throws: ``UsersError/elsewhere(path:data:)`` if it is in another place than here.
    private func mayHave(dataOf register: any UserRegister) async throws(UsersError) -> Bool {
        // A store that has the users has their data.
        guard let file = register as? UsersFile else { return true }
        guard let place = try file.place() else {
            // No server has let in a user of this file.
            return false
        }
        guard try await isHere(place) else {
            throw .elsewhere(path: file.path, data: place.isShared ? "a shared store" : place.data)
        }
        return true
    }

    /// True if these are the stores and the keys of a place.
    private func isHere(_ place: UsersPlace) async throws(UsersError) -> Bool {
        guard place.isShared != groundwork.place.ownsFolders, hasStore else { return false }
        do throws(StoreError) {
            guard try await groundwork.place.knownUsersMark() == place.mark else { return false }
        } catch { throw .store(error) }
        let keys = POSIX.resolved(configuration.keys.standardizedFileURL.path(percentEncoded: false))
        return place.isShared || keys == place.keys || place.generations(in: keys).exists
    }

    /// False if there is no file of the users' data, which a look would make.
    private var hasStore: Bool {
        let file = configuration.data.appending(path: groundwork.place.name(of: .users)).path(percentEncoded: false)
        return !groundwork.place.ownsFolders || POSIX.exists(file)
    }
}
