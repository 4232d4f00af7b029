import App
import Foundation

extension CommandCall {
    /// The file of the users: the one that `--users` names, or that of the data folder.
    func usersFile() throws(CommandError) -> UsersFile {
        let usual = options.configuration.data.appending(path: UsersFile.usualName).path(percentEncoded: false)
        return UsersFile(try arguments.value(Options.users) ?? usual)
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
        case .none: self = .notFound("\(error); aquifer users add NAME adds the first")
        case .unsent(_, let changes, let payments):
            let ways = [
                changes > 0 ? "--send-first sends them" : nil,
                payments > 0 ? "the user checks or gives up payments on the page" : nil,
                "--discard-unsent deletes them",
            ]
            self.init(
                status: .unknown, message: "\(error); " + ways.compactMap(\.self).joined(separator: "; "))
        case .damaged, .newerVersion, .open, .store: self.init(status: .store, message: "\(error)")
        }
    }
}
