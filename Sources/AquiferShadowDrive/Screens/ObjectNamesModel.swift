import Aquifer
import AquiferFoundation
import Observation

/// The names of an account's files as the server has them now (`/list-objects`), beside the list that is shown.
///
/// They are asked for when the user wants them, and never saved.
@MainActor @Observable
public final class ObjectNamesModel {
    /// The progress of the list.
    public enum Phase: String, Sendable {
        /// Nothing was asked for, or what was is no longer true.
        case idle
        /// The server is being asked.
        case loading
        /// The server has answered.
        case loaded
        /// The server has not answered; ``error`` says why.
        case failed
    }

    /// The progress of the list.
    public private(set) var phase = Phase.idle
    /// The names, in the server's order; empty before ``Phase/loaded``.
    public private(set) var names: [String] = []
    /// The names in the list that was shown when the server was asked. One that others add or delete afterwards is nothing
    /// that the server's answer could be compared with.
    public private(set) var compared: Set<Data> = []
    /// Why the server has not answered.
    public private(set) var error: DriveError?

    @ObservationIgnored private let service: ShadowDriveService
    @ObservationIgnored private let account: PublicKey
    @ObservationIgnored private var run = 0

    /// The names in an account.
    public init(_ service: ShadowDriveService, account: PublicKey) {
        self.service = service
        self.account = account
    }

    /// Asks the server. Does nothing while it is being asked.
    ///
    /// - Parameter shown: the names in the list that is shown. The server fails for an account without files: if none are
    ///   shown either, such a failure is an answer without names.
    public func load(beside shown: [String]) async {
        guard phase != .loading else { return }
        run += 1
        let own = run
        (phase, names, error) = (.loading, [], nil)
        // Names are compared by their bytes: two forms of one letter make two names.
        compared = Set(shown.map { Data($0.utf8) })
        let found: [String]
        do throws(DriveError) { found = try await service.api.listObjects(in: account) } catch {
            guard own == run else { return }
            if case .refused(let refusal) = error, refusal.reason == .emptyAccount, shown.isEmpty {
                phase = .loaded
            } else if error == .cancelled {
                phase = .idle
            } else {
                (phase, self.error) = (.failed, error)
            }
            return
        }
        guard own == run else { return }
        (phase, names) = (.loaded, found)
    }

    /// The names may have changed, or the user has read them.
    public func forget() {
        run += 1
        (phase, names, error) = (.idle, [], nil)
    }
}
