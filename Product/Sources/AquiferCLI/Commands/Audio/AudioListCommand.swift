import App
import Aquifer
import AquiferAudioFeed
import AquiferWording
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
        let status = loaded.pendingError == nil ? ExitStatus.delivered : .store
        let now = call.options.configuration.now()
        let pending = Dictionary(loaded.pending.map { ($0.target, $0) }) { $1 }
        if call.options.json {
            let document = ResultDocument(loaded) { clips in
                clips.map { clip in
                    ClipDocument(clip, pending[clip.id.uuidString].map { PendingClipDocument($0, now: now) })
                }
            }
            call.console.out(json: document)
            return status
        }
        let rows = loaded.value.map { clip in
            [
                clip.durationText, clip.title, clip.author ?? "",
                pending[clip.id.uuidString].map { $0.words(now: now) }
                    ?? Language.english.relative(clip.createdAt, now: now),
                clip.id.uuidString,
            ]
        }
        call.console.table(
            ["LENGTH", "TITLE", "AUTHOR", "POSTED", "ID"], rows, call.options,
            ifEmpty: query.isEmpty ? "there are no clips yet" : "no clip is called \"\(query)\"")
        return status
    }
}

extension PendingItem {
    /// The part of it that has gone out, if this process sends it.
    var percent: Int? { if case .sending(let sent) = state { sent.percent(of: length) } else { nil } }

    /// The words in place of the time of its post.
    func words(now: Date) -> String {
        switch state {
        case .waiting, .retrying, .paused, .sent, .gone: "waiting (item \(id))"
        case .sending, .sendingElsewhere: percent.map { "posting \($0) %" } ?? "posting"
        case .refused, .damaged: "not posted (item \(id)): \(state.detail(of: id, now: now))"
        }
    }
}
