import App
import Aquifer
import AquiferImageFeed
import AquiferWording
import Foundation

/// `aquifer feed comments ID`.
struct FeedCommentsCommand: CommandHandler {
    private let call: CommandCall
    private let image: UUID

    init(_ call: CommandCall) throws(CommandError) {
        image = try call.pictureID()
        self.call = call
    }

    func run() async throws(CommandError) -> ExitStatus {
        let missing = "no picture \(image.uuidString) is in the feed; aquifer feed list --all shows those that are"
        let loaded = try await call.console.loading(call.options, ifMissing: missing) { () async throws(LoadError) in
            try await call.services().feed.comments(on: image).load()
        }
        if call.options.json {
            call.console.out(json: ResultDocument(loaded) { $0.map { CommentDocument($0) } })
        } else {
            let now = call.options.configuration.now()
            for comment in loaded.value {
                call.console.out("\(comment.author), \(Language.english.relative(comment.createdAt, now: now))")
                call.console.out(lines: comment.message.split(whereSeparator: \.isNewline).map { "  " + $0 })
            }
            if loaded.value.isEmpty && !call.options.quiet { call.console.note("nobody has said anything yet") }
        }
        return .delivered
    }
}
