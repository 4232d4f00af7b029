import App
import Aquifer
import AquiferWording
import AudioFeed
import Foundation

/// `aquifer audio list [QUERY]`: the clips.
struct AudioListCommand: CommandHandler {
    private let call: CommandCall
    private let query: String

    init(_ call: CommandCall) throws(CommandError) {
        query = call.words.joined(separator: " ")
        self.call = call
    }

    func run() async throws(CommandError) -> ExitStatus {
        let services = call.services()
        var loaded = try await call.console.loading(call.options) { () async throws(LoadError) in
            try await services.audio.load()
        }
        loaded.value = loaded.value.filter { $0.matches(query) }
        if call.options.json {
            call.console.out(json: ResultDocument(loaded) { $0.map { ClipDocument($0) } })
            return .delivered
        }
        let now = call.options.configuration.now()
        let rows = loaded.value.map { clip in
            [
                clip.durationText, clip.title, clip.author ?? "",
                Language.english.relative(clip.createdAt, now: now), clip.id.uuidString,
            ]
        }
        call.console.table(
            ["LENGTH", "TITLE", "AUTHOR", "POSTED", "ID"], rows, call.options,
            ifEmpty: query.isEmpty ? "there are no clips yet" : "no clip is called \"\(query)\"")
        return .delivered
    }
}
