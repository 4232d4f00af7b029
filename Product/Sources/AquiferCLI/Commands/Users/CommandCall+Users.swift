import App
import Foundation

extension CommandCall {
    /// The word for the users in the shared store, in place of a file's name.
    private static let inStore = "store"

    /// The users that `--users` names; without it those in the shared store, or those in the file of the data folder.
    func users() throws(CommandError) -> any UserRegister {
        let (given, stored) = (try arguments.value(Options.users), options.configuration.stores?.users)
        if let given, given != Self.inStore { return UsersFile(given) }
        if let stored { return stored }
        guard given == nil else {
            throw .usage("--users \(Self.inStore) goes with --store; a file of this name is ./\(Self.inStore)")
        }
        return UsersFile(options.configuration.data.appending(path: UsersFile.usualName).path(percentEncoded: false))
    }

    /// Refuses users in a store without one, before the servers of the stores are waited for.
    func checkUsers() throws(CommandError) {
        if options.servers == nil { _ = try users() }
    }

    /// The user that the command names.
    func userName() throws(CommandError) -> UserName {
        do throws(UsersError) { return try UserName(words[0]) } catch { throw CommandError(error) }
    }
}

extension CommandError {
    init(_ error: UsersError) {
        switch error {
        case .badName, .exists, .leaving: self.init(status: .usage, message: "\(error)")
        case .unknown: self = .notFound("\(error); aquifer users list shows them")
        case .none, .noneStored: self = .notFound("\(error); aquifer users add NAME adds the first")
        case .unsent(_, let changes, let payments):
            let ways = [
                changes > 0 ? "--send-first sends them" : nil,
                payments > 0 ? "the user checks or gives up payments on the page" : nil,
                "--discard-unsent deletes them",
            ]
            self.init(
                status: .unknown, message: "\(error); " + ways.compactMap(\.self).joined(separator: "; "))
        case .damaged, .damagedInStore, .newerVersion, .open, .store: self.init(status: .store, message: "\(error)")
        }
    }
}
