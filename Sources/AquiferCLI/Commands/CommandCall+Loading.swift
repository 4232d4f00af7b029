import App
import Aquifer
import AquiferWording
import Foundation

extension CommandCall {
    /// The first word as the ID of a thing. The error names the command that lists the IDs.
    func id(of thing: String = "picture", listedBy list: String = "feed list") throws(CommandError) -> UUID {
        guard let id = UUID(uuidString: words[0]) else {
            throw .notFound("\"\(words[0])\" is not the ID of a \(thing); aquifer \(list) shows them")
        }
        return id
    }
}

extension Console {
    /// Loads, and writes a notice about the source to standard error.
    ///
    /// - Parameter missing: The message if there is no such thing, for the load of one named thing.
    func loading<Value>(
        _ options: GlobalOptions, ifMissing missing: String? = nil, _ load: () async throws(LoadError) -> Loaded<Value>
    ) async throws(CommandError) -> Loaded<Value> {
        do throws(LoadError) {
            let loaded = try await load()
            if !options.quiet {
                if let notice = loaded.source.notice(in: .english, now: options.configuration.now()) { note(notice) }
                if let error = loaded.saveError { note("not saved for offline use: \(error)") }
            }
            return loaded
        } catch {
            throw missing.map { CommandError(error, ifMissing: $0) } ?? CommandError(error)
        }
    }
}
