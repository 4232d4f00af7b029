import App
import Aquifer
import AquiferWording
import Foundation

extension CommandCall {
    /// The first word as the ID of a picture.
    func pictureID() throws(CommandError) -> UUID {
        guard let id = UUID(uuidString: words[0]) else {
            throw .notFound("\"\(words[0])\" is not the ID of a picture; aquifer feed list shows them")
        }
        return id
    }
}

/// An ID as a user gives it: whole, or its beginning, from four characters.
struct GivenID: Sendable {
    private let text: String

    init(_ text: String) { self.text = text }

    /// The only one of these things with an ID that begins so.
    ///
    /// - Parameters:
    ///   - thing: what they are, for the error: "card".
    ///   - list: the command that lists them.
    /// - Throws: `.notFound` if there is none, or if there are several.
    func only<Thing: Identifiable<UUID>>(
        of things: [Thing], _ thing: String, listedBy list: String
    ) throws(CommandError) -> Thing {
        let found = things.filter { text.count >= 4 && $0.id.uuidString.hasPrefix(text.uppercased()) }
        guard found.count <= 1 else {
            throw .notFound(
                "\(found.count) \(thing)s have an ID that begins with \"\(text)\"; give more of it (aquifer \(list))")
        }
        guard let only = found.first else {
            throw .notFound("no \(thing) has an ID that begins with \"\(text)\"; aquifer \(list) shows them")
        }
        return only
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
                if let error = loaded.saveError { note("\(error.saveMessage(in: .english)) (\(error))") }
                if let error = loaded.pendingError { note("\(error.pendingMessage(in: .english)) (\(error))") }
            }
            return loaded
        } catch {
            throw missing.map { CommandError(error, ifMissing: $0) } ?? CommandError(error)
        }
    }
}
