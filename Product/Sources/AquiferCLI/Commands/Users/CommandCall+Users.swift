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

    /// The address of the server for links: the first `--origin`, or `--host` and `--port`.
    func serverAddress() throws(CommandError) -> String {
        if let origin = try arguments.all(Options.origin).first { return "\(origin.origin)/" }
        let (host, port) = (try arguments.value(Options.host) ?? "127.0.0.1", try arguments.value(Options.port) ?? 8080)
        guard port > 0 else { throw .usage("--port is the port of the server, which is never 0") }
        return "http://\(host.contains(":") ? "[\(host)]" : host):\(port)/"
    }

    /// The same call, on the data and the keys of the users of a file, unless others are named.
    func atHome(of users: any UserRegister) async throws(CommandError) -> CommandCall {
        let place: UsersPlace?
        do throws(UsersError) { place = try await users.place() } catch { throw CommandError(error) }
        guard let place, !place.isShared else { return self }
        return with(
            options.keeping(
                data: arguments.has(Options.data) ? nil : place.data,
                keys: arguments.has(Options.keys) ? nil : place.keys))
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
        case .elsewhere:
            self.init(
                status: .store,
                message: "\(error); run it where the server runs, or name its data with --data and --keys, or --store")
        case .damaged, .damagedInStore, .older, .damagedGeneration, .gone, .otherVersion, .open, .store:
            self.init(status: .store, message: "\(error)")
        }
    }
}
